"""The journal's events: inputs (what happened, with the time `at`) and judgements (what was made of it).

- An input carries `at`, aware UTC; a judgement carries none.
- Names are past participles. Every event is one line of JSON in a journal (`handrail.codec`).
- Ids of calls are ours (`vocab.calls.call_id`).
"""

from datetime import datetime
from enum import StrEnum
from typing import Any, get_args

import msgspec

from handrail.vocab.calls import By, ProposedCall
from handrail.vocab.facts import Fact
from handrail.vocab.messages import Message
from handrail.vocab.outcomes import Outcome
from handrail.vocab.reviews import Answer
from handrail.vocab.usage import Usage


class _Event(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True, tag_field="event", forbid_unknown_fields=True):
    """The base of every event; its name is the tag."""


# Inputs


class RunStarted(_Event, frozen=True):
    """Somebody asks. `can_ask` says whether anybody can answer a question."""

    at: datetime
    run_id: str
    agent: str
    fingerprint: str
    message: str
    history: tuple[Message, ...] = ()
    can_ask: bool = True


class ModelReplied(_Event, frozen=True):
    """The model's whole reply. A `finish` of `length` runs none of its calls; `refusal` ends the run."""

    at: datetime
    turn: int
    text: str | None = None
    calls: tuple[ProposedCall, ...] = ()
    finish: str = "stop"
    refusal: str | None = None
    extra: dict[str, Any] = {}
    usage: Usage = Usage()


class ModelFailed(_Event, frozen=True):
    """The model call failed for good, or (`retry_at`) until then."""

    at: datetime
    turn: int
    kind: str
    detail: str = ""
    retry_at: datetime | None = None


class ToolStarted(_Event, frozen=True):
    """A driver is about to run a cleared call; written before anything happens."""

    at: datetime
    call: str


class ToolReturned(_Event, frozen=True):
    """A call succeeded.

    Args:
        content: the whole result: text as it is (`text`), everything else as JSON.
        shown: what the model sees of it, where that is less.
    """

    at: datetime
    call: str
    content: str
    text: bool = False
    shown: str | None = None
    facts: tuple[Fact, ...] = ()


class ToolFailed(_Event, frozen=True):
    """A call failed and *nothing happened*."""

    at: datetime
    call: str
    error: str


class ToolLost(_Event, frozen=True):
    """A call ended and nobody knows whether it happened."""

    at: datetime
    call: str
    error: str


class HoldAnswered(_Event, frozen=True):
    """A person or a reviewer has answered a hold. Anything but `yes` and `passed` closes the call."""

    at: datetime
    hold: str
    digest: str
    answer: Answer
    comment: str = ""
    flaws: tuple[str, ...] = ()
    by: str = ""
    usage: Usage = Usage()


class UserSaid(_Event, frozen=True):
    """The user says something while the run is going on."""

    at: datetime
    text: str


class FactsNoted(_Event, frozen=True):
    """The interface notes facts of its own: its cart, the open page. `replaces` names kinds that they stand for."""

    at: datetime
    source: str
    facts: tuple[Fact, ...]
    replaces: tuple[str, ...] = ()


class LandRequested(_Event, frozen=True):
    """Somebody wants what there is, now."""

    at: datetime
    reason: str = "requested"


class Ticked(_Event, frozen=True):
    """Time has passed."""

    at: datetime


class TakenOver(_Event, frozen=True):
    """Another driver goes on with the run."""

    at: datetime
    fingerprint: str


class Cancelled(_Event, frozen=True):
    """Somebody wants an end."""

    at: datetime
    reason: str = ""


# Judgements


class LandingStage(StrEnum):
    """The rungs of the ladder, in order."""

    NONE = "none"
    NUDGE = "nudge"
    SUBMIT_ONLY = "submit_only"
    FORCED = "forced"
    LANDED = "landed"


class TurnOpened(_Event, frozen=True):
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


class CallCleared(_Event, frozen=True):
    """The ring has nothing against the call. `arguments` is what will run, canonical JSON."""

    call: str
    arguments: str
    effect: str
    where: str
    timeout: float
    expires_at: datetime | None = None


class CallDeferred(_Event, frozen=True):
    """The call waits for an earlier one of the same reply."""

    call: str
    guard: str
    after: str


class CallHeld(_Event, frozen=True):
    """Somebody has to look at the call first."""

    call: str
    guard: str
    by: By
    digest: str
    arguments: str
    show: str | dict[str, Any]
    expires_at: datetime | None = None


class CallRefused(_Event, frozen=True):
    """The call will not run; the reason goes to the model."""

    call: str
    guard: str
    code: str
    reason: str


class CallReopened(_Event, frozen=True):
    """The call is judged again, since the agent is another one now."""

    call: str
    reason: str


class CallRequeued(_Event, frozen=True):
    """A call that a crash interrupted runs again, under the same key."""

    call: str


class CallLost(_Event, frozen=True):
    """Nobody knows whether the call happened, and it is not run again."""

    call: str
    reason: str


class TextRefused(_Event, frozen=True):
    """The text may not end the run; the reason goes to the model."""

    guard: str
    code: str
    reason: str


class TextAmended(_Event, frozen=True):
    """The text stands in this form."""

    guard: str
    text: str


class TextHeld(_Event, frozen=True):
    """The text is a question to the user; the run waits for their next message."""

    guard: str
    expires_at: datetime | None = None


class LandingAdvanced(_Event, frozen=True):
    """The landing has gone down a rung, because of this limit."""

    stage: LandingStage
    limit: str


class RunParked(_Event, frozen=True):
    """Only people can move the run now; its clock stops."""


class RunFinished(_Event, frozen=True):
    """The end. `said` is the last word to the user where the model has not spoken it."""

    outcome: Outcome
    said: str | None = None


Input = (
    RunStarted
    | ModelReplied
    | ModelFailed
    | ToolStarted
    | ToolReturned
    | ToolFailed
    | ToolLost
    | HoldAnswered
    | UserSaid
    | FactsNoted
    | LandRequested
    | Ticked
    | TakenOver
    | Cancelled
)
Judgement = (
    TurnOpened
    | CallCleared
    | CallDeferred
    | CallHeld
    | CallRefused
    | CallReopened
    | CallRequeued
    | CallLost
    | TextRefused
    | TextAmended
    | TextHeld
    | LandingAdvanced
    | RunParked
    | RunFinished
)
Event = Input | Judgement
INPUTS: tuple[type[Input], ...] = get_args(Input)
JUDGEMENTS: tuple[type[Judgement], ...] = get_args(Judgement)
