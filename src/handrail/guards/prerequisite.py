"""Prerequisite: a tool runs only after others have succeeded; with `per`, succeeded for each value of an argument.

- A success is a call that returned; a text that says so is none.
- A call whose prerequisite is an earlier, still open call of the same reply waits for it.
- With several tools in `of`, all of them must have succeeded (`per`: each of them for each value).
"""

from collections.abc import Iterable, Mapping
from typing import Any

from handrail.core.ring import JudgedCall
from handrail.core.state import Reading
from handrail.errors import AgentError
from handrail.guards.base import BaseGuard
from handrail.guards.declared import dotted, tool_name, tool_names
from handrail.guards.words import joined, listed
from handrail.vocab.canonical import canonical
from handrail.vocab.paths import values_at
from handrail.vocab.verdicts import ALLOW, After, Lens, Refuse, Verdict

SHOWN = 3
"""Missing values that a refusal names."""


class Prerequisite(BaseGuard):
    """The tool runs only after those have succeeded.

    Args:
        tool: what has to wait.
        of: the tool, or tools, that come first.
        per: a path into the arguments of `tool`, such as `legs`: each value there must have been computed. An object
            was, if a successful call had the same values under all names that both have (one at least); any other
            value was, if it was among the arguments of a successful call.
    """

    def __init__(self, tool: str, *, of: str | Iterable[str], per: str | None = None) -> None:
        """Check the declaration.

        Raises:
            AgentError: `of` names no tool or the tool itself, or `per` is no path.
        """
        kind = type(self).__name__
        self.tool = tool_name(kind, tool)
        self.of = tool_names(kind, of)
        self.per = None if per is None else dotted(kind, per)
        if not self.of:
            raise AgentError(f"{kind}({tool}) names no tool that comes first; give one in `of`")
        if tool in self.of:
            raise AgentError(f"{kind}({tool}) waits for itself, so it could never run; take it out of `of`")
        super().__init__(tool, f"of={'+'.join(self.of)}", *([] if per is None else [f"per={per}"]))
        self.tools = (tool, *self.of)
        self.paths = () if per is None else ((tool, per),)
        self.looks = tuple(
            lens for name in self.of for lens in (Lens("ok", name, 1) if per is None else Lens("computed", name), Lens("waits_for", name))
        )

    def judges(self, state: Reading, call: JudgedCall) -> Verdict:
        """Refuse what cannot come right any more in this reply; wait for what can."""
        if call.tool != self.tool:
            return ALLOW
        missing = self._not_called(state) if self.per is None else self._not_computed(state, call, self.per)
        waits = {tool: state.waits_for(call.id, tool) for tool in missing}
        absent = [tool for tool in missing if waits[tool] is None]
        if absent:
            return Refuse("prerequisite", self._teach({tool: missing[tool] for tool in absent}))
        return next((After(earlier) for earlier in waits.values() if earlier is not None), ALLOW)

    def _not_called(self, state: Reading) -> dict[str, list[Any]]:
        return {tool: [] for tool in self.of if not state.ok(tool)}

    def _not_computed(self, state: Reading, call: JudgedCall, path: str) -> dict[str, list[Any]]:
        values = {canonical(value): value for value in values_at(call.arguments, path)}.values()
        found = {}
        for tool in self.of if values else ():
            computed = state.computed(tool)
            missing = [value for value in values if not any(_covers(arguments, value) for arguments in computed)]
            if missing:
                found[tool] = missing
        return found

    def _teach(self, absent: Mapping[str, list[Any]]) -> str:
        names = joined(map(repr, absent))
        if self.per is None:
            verb = "has" if len(absent) == 1 else "have"
            return f"{self.tool!r} runs only after {names} {verb} succeeded. Call {names} first, then {self.tool!r} again."
        calls = joined(f"{tool!r} for {listed(values, SHOWN)}" for tool, values in absent.items())
        return (
            f"{self.per!r} of {self.tool!r} holds what no successful call of {names} was made for. "
            f"First call {calls}; then {self.tool!r} again with the same values."
        )


def _covers(arguments: Mapping[str, Any], value: Any) -> bool:
    if isinstance(value, Mapping):
        both = [name for name in arguments if name in value]
        return bool(both) and all(canonical(arguments[name]) == canonical(value[name]) for name in both)
    wanted = canonical(value)
    return any(canonical(item) == wanted for argument in arguments.values() for item in values_at(argument, ""))
