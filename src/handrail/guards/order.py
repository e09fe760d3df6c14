"""Order: which tool comes after which, declared once as a whole graph that can be drawn.

It says exactly what a `Prerequisite` for each of its tools would say.
"""

from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter

from handrail.core.ring import JudgedCall
from handrail.core.state import Reading
from handrail.errors import AgentError
from handrail.guards.base import BaseGuard
from handrail.guards.declared import tool_name, tool_names
from handrail.guards.prerequisite import Prerequisite
from handrail.vocab.verdicts import ALLOW, Verdict


class Order(BaseGuard):
    """Each tool runs only after those before it have succeeded.

    Args:
        graph: tool → the tools right before it; one that may come first need not be a key.
    """

    def __init__(self, graph: Mapping[str, Iterable[str]]) -> None:
        """Check that the graph has no cycle.

        Raises:
            AgentError: it has one (which is named), or orders nothing.
        """
        self.graph = {tool_name("Order", tool): tool_names("Order", before) for tool, before in graph.items()}
        try:
            TopologicalSorter(self.graph).prepare()
        except CycleError as cycle:
            raise AgentError(f"Order goes round in a circle: {' → '.join(cycle.args[1])}; none of these could ever run") from cycle
        self._steps = {tool: Prerequisite(tool, of=before) for tool, before in self.graph.items() if before}
        if not self._steps:
            raise AgentError("Order puts no tool after another; say which come before which, such as {'submit_plan': ['estimate_drive']}")
        super().__init__(*self._steps)
        self.tools = tuple(dict.fromkeys(name for tool, before in self.graph.items() for name in (*before, tool)))
        self.looks = tuple(dict.fromkeys(lens for step in self._steps.values() for lens in step.looks or ()))

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """Pairs of a tool and one that comes right after it, for drawing."""
        return tuple((earlier, tool) for tool, before in self.graph.items() for earlier in before)

    def judges(self, state: Reading, call: JudgedCall) -> Verdict:
        """What the tool's own prerequisite says."""
        step = self._steps.get(call.tool)
        return ALLOW if step is None else step.judges(state, call)
