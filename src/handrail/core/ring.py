"""What the core asks of guards and of tools: two protocols.

A guard is a pure reading of the state; it keeps nothing. A tool is judged here by its declaration alone; drivers run it.
"""

from collections.abc import Mapping
from typing import Any, Protocol

import msgspec

from handrail.core.state import Reading
from handrail.vocab.calls import By, ToolEffect, Where
from handrail.vocab.verdicts import ALLOW, Lens, Limit, TextVerdict, Verdict


class JudgedCall(msgspec.Struct, frozen=True, kw_only=True):
    """A call as a guard sees it: its arguments have been validated against the tool's declaration."""

    id: str
    tool: str
    effect: ToolEffect
    arguments: Mapping[str, Any]


class Parsed(msgspec.Struct, frozen=True):
    """Arguments that fit: canonical JSON, and the same decoded."""

    canonical: str
    values: Mapping[str, Any]


class Unfit(msgspec.Struct, frozen=True):
    """Arguments that do not fit, and a text that teaches why (at most 800 characters)."""

    reason: str


class Callable(Protocol):
    """A tool, as far as the core needs it."""

    @property
    def name(self) -> str: ...
    @property
    def effect(self) -> ToolEffect: ...
    @property
    def where(self) -> Where: ...
    @property
    def timeout(self) -> float: ...
    @property
    def produces(self) -> frozenset[str]: ...
    @property
    def declaration(self) -> Mapping[str, Any]:
        """The chat-completions declaration: `{"type": "function", "function": {...}}`."""
        ...

    @property
    def digest(self) -> str:
        """Of the declaration; an approval is bound to it."""
        ...

    def parse(self, arguments: str | None) -> Parsed | Unfit:
        """Read the model's untrusted text."""
        ...


class Guard(Protocol):
    """One guardrail. Every method is a pure reading of the state; `handrail.guards.base.BaseGuard` has the defaults."""

    @property
    def name(self) -> str: ...
    @property
    def looks(self) -> tuple[Lens, ...] | None:
        """All that it reads; `None` where that is not known (a plain `@guard`)."""
        ...

    @property
    def refuses_text(self) -> bool:
        """Whether `accepts` can say anything but Allow."""
        ...

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools that it names; an agent without one of them is refused."""
        ...

    @property
    def holds(self) -> tuple[tuple[str, By], ...]:
        """The tools that it can hold, and for whom."""
        ...

    @property
    def may_withdraw_submit(self) -> bool:
        """Whether `offers` may take the submit tool away too."""
        ...

    @property
    def settings(self) -> Mapping[str, Any]:
        """What it was declared with, for the agent's fingerprint."""
        ...

    def offers(self, state: Reading, tool: str) -> bool:
        """May the model see this tool now?"""
        ...

    def judges(self, state: Reading, call: JudgedCall) -> Verdict:
        """May this call run now?"""
        ...

    def accepts(self, state: Reading, text: str) -> TextVerdict:
        """May this text end the run?"""
        ...

    def limits(self, state: Reading) -> Limit | None:
        """Where the run begins to land, and where it ends."""
        ...


class Silent:
    """What a guard says where it says nothing. An agent does not even ask what a guard has left as it is here."""

    def offers(self, state: Reading, tool: str) -> bool:
        """May the model see this tool now?"""
        return True

    def judges(self, state: Reading, call: JudgedCall) -> Verdict:
        """May this call run now?"""
        return ALLOW

    def accepts(self, state: Reading, text: str) -> TextVerdict:
        """May this text end the run?"""
        return ALLOW

    def limits(self, state: Reading) -> Limit | None:
        """Where the run begins to land, and where it ends."""
        return None
