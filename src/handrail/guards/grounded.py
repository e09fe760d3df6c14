"""Grounded: an argument is a value that a successful call produced, never one that the model made up.

Equality is that of canonical JSON: `5` and `5.0` are one value, `5` and `"5"` are two, and so are `"Kangding"` and `"kangding"`.
"""

from difflib import get_close_matches
from typing import Any

from handrail.core.ring import JudgedCall
from handrail.core.state import Reading
from handrail.guards.base import BaseGuard
from handrail.guards.declared import dotted, text, tool_name
from handrail.guards.words import LONGEST, listed
from handrail.vocab.canonical import canonical
from handrail.vocab.paths import values_at
from handrail.vocab.verdicts import ALLOW, Lens, Refuse, Verdict

SHOWN = 3
"""Unknown values that a refusal names."""
NEAREST = 5
"""Known values that a refusal offers instead."""


class Grounded(BaseGuard):
    """Every value at the path is a fact of the kind.

    Args:
        tool: the tool whose arguments are looked at.
        path: where in them, such as `places` or `days.hotel_id`; lists on the way are gone through.
        kind: the kind of fact, as a tool's `produces` names it.
    """

    def __init__(self, tool: str, path: str, kind: str) -> None:
        """Check the declaration.

        Raises:
            AgentError: the path or the kind is empty.
        """
        own = type(self).__name__
        self.tool = tool_name(own, tool)
        self.path = dotted(own, path)
        self.kind = text(own, "kind", kind)
        super().__init__(tool, path)
        self.tools = (tool,)
        self.paths = ((tool, path),)
        self.looks = (Lens("facts", kind),)

    def judges(self, state: Reading, call: JudgedCall) -> Verdict:
        """Refuse a value that is no fact, and name the nearest ones that are."""
        if call.tool != self.tool:
            return ALLOW
        unknown = {_form(value): value for value in values_at(call.arguments, self.path)}
        if not unknown:
            return ALLOW
        values = [fact.value for fact in state.facts(self.kind)]
        known = {value if type(value) is str else _form(value): value for value in values}
        unknown = {form: value for form, value in unknown.items() if form not in known}
        if not unknown:
            return ALLOW
        return Refuse("ungrounded", self._teach(list(unknown.values()), list(known.values())))

    def _teach(self, unknown: list[Any], known: list[Any]) -> str:
        first = f"{self.path!r} of {self.tool!r} holds what no successful call has returned as a {self.kind!r}: {listed(unknown, SHOWN)}."
        if not known:
            return f"{first} No {self.kind!r} is known yet: look it up first."
        near = ", ".join(listed([value], 1) for value in nearest(unknown[:SHOWN], known))
        return f"{first} Known: {near}{', …' if len(known) > NEAREST else ''}; use one exactly as it is written, or look it up first."


def _form(value: Any) -> str | tuple[str]:
    """What equal JSON values share. A text, which most facts are, stands for itself, and no other value does."""
    return value if isinstance(value, str) else (canonical(value),)


def nearest(unknown: list[Any], known: list[Any]) -> list[Any]:
    """Up to five known values: those that look like an unknown one, then the others in their order."""
    by_text: dict[str, Any] = {}
    for value in known:
        by_text.setdefault(_text(value), value)
    close = [match for value in unknown for match in get_close_matches(_text(value), by_text, NEAREST)]
    return [by_text[match] for match in list(dict.fromkeys([*close, *by_text]))[:NEAREST]]


def _text(value: Any) -> str:
    return (value if isinstance(value, str) else canonical(value))[:LONGEST]
