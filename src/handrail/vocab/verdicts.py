"""What a guard can say about a call, a text, and limits."""

from datetime import timedelta
from enum import StrEnum
from typing import Any

import msgspec

from handrail.vocab.calls import By


class Allow(msgspec.Struct, frozen=True, kw_only=True):
    """Nothing against it."""


class Refuse(msgspec.Struct, frozen=True):
    """Not this one. The reason goes to the model, so it says what to do instead."""

    code: str
    reason: str


class After(msgspec.Struct, frozen=True):
    """Not yet: an earlier call of the same reply, still open, has to be over first. Naming any other call refuses this one."""

    call: str


class Hold(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody has to look first.

    Args:
        by: a reviewer or a person.
        show: the document to say yes or no to.
        expires: how long a person may take; the run goes on without them afterwards.
        most: rounds of a reviewer; the draft then goes on with the open flaws shown.
    """

    by: By
    show: str | dict[str, Any]
    expires: timedelta = timedelta(days=1)
    most: int = 2


class Amend(msgspec.Struct, frozen=True):
    """The text may end the run in this form."""

    text: str


ALLOW = Allow()
"""Nothing against it: what a guard answers mostly."""
Verdict = Allow | Refuse | After | Hold
"""What a guard says about a call."""
TextVerdict = Allow | Refuse | Hold | Amend
"""What it says about a text that would end the run."""


class Measure(StrEnum):
    """What a limit counts."""

    TIME = "time"
    TURNS = "turns"
    TOKENS = "tokens"
    FRUITLESS = "fruitless"


class Limit(msgspec.Struct, frozen=True, kw_only=True):
    """Where a run begins to land, and where it ends.

    Args:
        name: said in the outcome, such as `TimeLimit(300)`.
        measure: active seconds, turns, tokens, or fruitless turns in a row.
        soft: from here on the landing goes down one rung a turn.
        hard: the end, whatever is going on.
        bare: the end for an agent without a submit tool, which has no rungs; `hard` where it is not given.
    """

    name: str
    measure: Measure
    soft: float
    hard: float
    bare: float | None = None


class Lens(msgspec.Struct, frozen=True):
    """One thing that a guard reads of the state, and the value from which on it makes no difference.

    Args:
        what: the method or attribute of `Reading` that is read.
        name: its argument: a tool, a kind of fact, a guard.
        cap: counts from here on are the same to the guard; `None` where a value is not a count.
    """

    what: str
    name: str = ""
    cap: int | None = None
