"""NoProgress: a run that turns in circles is told so more firmly, then offered less, then landed.

- A turn is fruitless without a success that is new among the last eight and without a new word from the user. The core counts them.
- The core reads `firm` for the wording of its refusals.
- The submit tool is never withdrawn here: it is the way out.
"""

from collections.abc import Iterable

from handrail.core.state import Reading
from handrail.errors import AgentError
from handrail.guards.base import BaseGuard
from handrail.guards.declared import tool_names, whole
from handrail.vocab.verdicts import Lens, Limit, Measure

BEYOND = 3
"""Fruitless turns from the beginning of the landing to the end: one a rung."""


class NoProgress(BaseGuard):
    """What fruitless turns in a row lead to.

    Args:
        firm: from so many on, refusals are worded more firmly.
        narrow: from so many on, the tools that were called in them are withdrawn.
        land: from so many on, the run lands; without a submit tool it ends there.
        keep: tools that are never withdrawn.
    """

    may_withdraw_submit = False

    def __init__(self, firm: int = 1, narrow: int = 3, land: int = 4, *, keep: str | Iterable[str] = ()) -> None:
        """Check the declaration.

        Raises:
            AgentError: the numbers are not in order: 1 <= firm <= narrow <= land.
        """
        kind = type(self).__name__
        self.firm = whole(kind, "firm", firm)
        self.narrow = whole(kind, "narrow", narrow)
        self.land = whole(kind, "land", land)
        if not firm <= narrow <= land:
            raise AgentError(f"{kind} grows stricter step by step: firm <= narrow <= land, not {firm}, {narrow}, {land}")
        self.keep = tool_names(kind, keep)
        super().__init__(firm, narrow, land)
        self.tools = self.keep
        self.looks = (Lens("fruitless", "", land + BEYOND), Lens("last_tools"))

    def offers(self, state: Reading, tool: str) -> bool:
        """Not what was called in vain, once that has gone on for long enough."""
        return tool in self.keep or state.fruitless < self.narrow or tool not in state.last_tools

    def limits(self, state: Reading) -> Limit:
        """Landing begins at `land`."""
        return Limit(name=self.name, measure=Measure.FRUITLESS, soft=self.land, hard=self.land + BEYOND, bare=self.land)
