"""Examples of how an agent's tools are used: short conversations, shown to a model that has to be shown.

They are no history: nothing in them has happened, no guard reads them, and no journal has them.
"""

from collections.abc import Mapping
from typing import Any

import msgspec


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """One call in an example.

    Args:
        tool: its name.
        arguments: that fit its declaration.
        result: what came of it, as JSON's own types; an error is `{"error": "…"}`.
    """

    tool: str
    arguments: Mapping[str, Any] = {}
    result: Any = None


class Example(msgspec.Struct, frozen=True, kw_only=True):
    """What a user says, the calls that follow one after the other, and the answer.

    Args:
        user: what is said.
        calls: in order; there may be none.
        answer: what the user is told; `None` where the last call is the end of it.
    """

    user: str
    calls: tuple[Shown, ...] = ()
    answer: str | None = None
