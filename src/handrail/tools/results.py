"""What a tool hands back, and what came of running it.

- A tool returns any value that has a JSON form, or `Result(value, facts=...)` to put facts into the ledger.
- `Failed` says that nothing happened; `Lost` that nobody knows. Neither is an exception.
"""

from collections.abc import Iterable
from typing import Any

import msgspec

from handrail.vocab.facts import Fact


class Result(msgspec.Struct, frozen=True):
    """A value for the model, and the facts that it establishes. Their kinds are those of the tool's `produces`."""

    value: Any
    facts: Iterable[Fact] = ()


class Returned(msgspec.Struct, frozen=True, kw_only=True):
    """The tool succeeded.

    Args:
        content: the whole result: text as it is (`text`), everything else as JSON.
        text: the result was text.
        shown: what the model sees of it, where that is less.
        facts: with the tool's name filled in.
    """

    content: str
    text: bool = False
    shown: str | None = None
    facts: tuple[Fact, ...] = ()


class Failed(msgspec.Struct, frozen=True):
    """The call failed and nothing happened."""

    error: str


class Lost(msgspec.Struct, frozen=True):
    """The call ended and nobody knows whether it happened."""

    error: str


Ran = Returned | Failed | Lost
"""How a call of a tool can end."""
