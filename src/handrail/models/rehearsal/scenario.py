"""What a rehearsal is made of: a conversation as a scenario sees it, the move that it makes, and the scenario itself.

- Rules, and no attempt at understanding language: a scenario looks at what is offered, said and come back, and gives the next move.
- A scenario is a pure function of the conversation: it holds no state of its own, so any number of runs can share it.
- Moves are free to be wrong on purpose: arguments may be any text, and tools may be called that nobody offers.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import msgspec


class ToolResult(msgspec.Struct, frozen=True, kw_only=True):
    """What one call led to.

    Args:
        tool: its name.
        arguments: as they were sent; `{}` where they are no JSON object.
        content: the text of the result.
        value: the text read as JSON, else the text itself.
        error: what was wrong, where the result is `{"error": "…"}`.
    """

    tool: str
    arguments: dict[str, Any]
    content: str
    value: Any
    error: str | None = None


class Conversation(msgspec.Struct, frozen=True, kw_only=True):
    """A request as a scenario sees it. *Since* means: after the user's latest words; notes of the ring's are no words of the user's.

    Args:
        model: the name that was asked for.
        system: the system text.
        said: everything that the user said, in order, without notes.
        notes: the ring's notes since.
        results: results since, in order, errors included.
        declarations: the offered tools by name, in order.
        choice: `auto`, `none`, `required`, or the name of the tool that has to be called.
        turns: replies since; 0 for the first reply to the user's words.
        messages: the whole request's messages, as they came.
        attempt: how often the client has sent this request before.
    """

    model: str = ""
    system: str = ""
    said: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    results: tuple[ToolResult, ...] = ()
    declarations: dict[str, Mapping[str, Any]] = {}
    choice: str = "auto"
    turns: int = 0
    messages: tuple[Mapping[str, Any], ...] = ()
    attempt: int = 0

    @property
    def user(self) -> str:
        """The user's latest words."""
        return self.said[-1] if self.said else ""

    @property
    def errors(self) -> tuple[str, ...]:
        """Errors since, in order."""
        return tuple(result.error for result in self.results if result.error is not None)

    def offers(self, tool: str) -> bool:
        """Whether the tool may be called now."""
        return tool in self.declarations and self.choice != "none"

    def results_of(self, tool: str) -> tuple[ToolResult, ...]:
        """What a tool answered since, without errors."""
        return tuple(result for result in self.results if result.tool == tool and result.error is None)


Arguments = Mapping[str, Any] | str
"""Arguments of a call; a text is sent as it is, however broken."""


class Say(msgspec.Struct, frozen=True):
    """Answer with a text."""

    text: str


class Call(msgspec.Struct, frozen=True):
    """Call tools, in this order, with some text beside the calls or none."""

    calls: tuple[tuple[str, Arguments], ...]
    text: str | None = None


Move = Say | Call


def call(tool: str, arguments: Arguments) -> Call:
    """One call."""
    return Call(calls=((tool, arguments),))


class Scenario(Protocol):
    """A few rules for one kind of task."""

    name: str

    def fits(self, conversation: Conversation) -> bool:
        """Whether these rules are for this conversation, going by the tools on offer or the system text."""
        ...

    def move(self, conversation: Conversation) -> Move:
        """The next move."""
        ...


def move(scenarios: Sequence[Scenario], conversation: Conversation, otherwise: Scenario) -> Move:
    """The move of the first scenario that fits, else of the last resort."""
    return next((scenario for scenario in scenarios if scenario.fits(conversation)), otherwise).move(conversation)
