"""Judgements: what was made of an input. They carry no time, and `evolve` computes nothing that was judged."""

from datetime import datetime
from enum import StrEnum
from typing import Any

from handrail.core.recorded import Recorded
from handrail.vocab.calls import By
from handrail.vocab.outcomes import Outcome


class LandingStage(StrEnum):
    """The rungs of the ladder, in order."""

    NONE = "none"
    NUDGE = "nudge"
    SUBMIT_ONLY = "submit_only"
    FORCED = "forced"
    LANDED = "landed"


class TurnOpened(Recorded, frozen=True):
    """A model call is due, and this is what it carries.

    Args:
        offered: names of the tools that the model sees.
        choice: `auto`, `none`, or the name of the one tool that it has to call.
        notes: notes of the ring's, put into the user's role.
        soft: active seconds at which the landing begins, where time is limited.
        until: active seconds at which the run ends, where time is limited.
        turns_left: turns after this one, where turns are limited.
        hold_text: streamed text may still be refused.
    """

    turn: int
    offered: tuple[str, ...]
    choice: str = "auto"
    notes: tuple[str, ...] = ()
    soft: float | None = None
    until: float | None = None
    turns_left: int | None = None
    hold_text: bool = False


class InputHeld(Recorded, frozen=True):
    """A screener has to look at what the user said before anything is made of it."""

    guard: str


class SummaryOrdered(Recorded, frozen=True):
    """The history is too long: its first `upto` messages are to be summarised."""

    upto: int


class HistoryCut(Recorded, frozen=True):
    """The first `upto` messages stand in the transcript as this text from now on; the journal keeps them.

    Args:
        code: `summarised` or `dropped`.
        text: a note in the user's role.
    """

    upto: int
    code: str
    text: str


class CallCleared(Recorded, frozen=True):
    """The ring has nothing against the call. `arguments` is what will run, canonical JSON."""

    call: str
    arguments: str
    effect: str
    where: str
    timeout: float
    expires_at: datetime | None = None


class CallDeferred(Recorded, frozen=True):
    """The call waits for an earlier one of the same reply."""

    call: str
    guard: str
    after: str


class CallHeld(Recorded, frozen=True):
    """Somebody has to look at the call first."""

    call: str
    guard: str
    by: By
    digest: str
    arguments: str
    show: str | dict[str, Any]
    expires_at: datetime | None = None


class CallRefused(Recorded, frozen=True):
    """The call will not run; the reason goes to the model."""

    call: str
    guard: str
    code: str
    reason: str


class CallReopened(Recorded, frozen=True):
    """The call is judged again, since the agent is another one now."""

    call: str
    reason: str


class CallRequeued(Recorded, frozen=True):
    """A call that a crash interrupted runs again, under the same key."""

    call: str


class CallLost(Recorded, frozen=True):
    """Nobody knows whether the call happened, and it is not run again."""

    call: str
    reason: str


class TextRefused(Recorded, frozen=True):
    """The text may not end the run; the reason goes to the model."""

    guard: str
    code: str
    reason: str


class TextAmended(Recorded, frozen=True):
    """The text stands in this form."""

    guard: str
    text: str


class TextHeld(Recorded, frozen=True):
    """The text is a question to the user; the run waits for their next message."""

    guard: str
    expires_at: datetime | None = None


class LandingAdvanced(Recorded, frozen=True):
    """The landing has gone down a rung, because of this limit."""

    stage: LandingStage
    limit: str


class RunParked(Recorded, frozen=True):
    """Only people can move the run now; its clock stops."""


class RunFinished(Recorded, frozen=True):
    """The end.

    Args:
        said: the last word to the user where the model has not spoken it.
        withheld: what the user said last did not pass its screener, and stays out of the transcript.
    """

    outcome: Outcome
    said: str | None = None
    withheld: bool = False
