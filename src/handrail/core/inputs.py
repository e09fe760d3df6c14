"""Inputs: what happened, each with its time `at`, aware UTC. Names are past participles; ids of calls are ours (`vocab.calls.call_id`)."""

from datetime import datetime
from typing import Any

import msgspec

from handrail.core.recorded import Recorded
from handrail.vocab.calls import ProposedCall
from handrail.vocab.facts import Fact
from handrail.vocab.messages import Message
from handrail.vocab.reviews import Answer
from handrail.vocab.usage import HISTORY_LIMIT, Usage


class RunStarted(Recorded, frozen=True):
    """Somebody asks.

    Args:
        can_ask: anybody can answer a question.
        history: what was said before, as the model is to see it.
        history_limit: tokens of a request beyond which older turns are summarised; `None` for no limit of ours.
        confirmed: what people have confirmed earlier in this conversation.
        notes: what the interface has to say beside the user's words, such as what was clicked meanwhile.
    """

    at: datetime
    run_id: str
    agent: str
    fingerprint: str
    message: str
    history: tuple[Message, ...] = ()
    can_ask: bool = True
    history_limit: int | None = HISTORY_LIMIT
    confirmed: tuple[Fact, ...] = ()
    notes: tuple[str, ...] = ()


class HistoryMeasured(Recorded, frozen=True):
    """The request of the open turn is longer than it may be.

    Args:
        tokens: of each message of the transcript.
        fixed: tokens of all the rest of the request.
        limit: what all of it has to fit into.
    """

    at: datetime
    turn: int
    tokens: tuple[int, ...]
    fixed: int
    limit: int


class Summarised(Recorded, frozen=True):
    """The first `upto` messages have been summarised; `tokens` is how long the text is."""

    at: datetime
    upto: int
    text: str
    tokens: int
    usage: Usage = Usage()


class SummaryFailed(Recorded, frozen=True):
    """There is no summary of the first `upto` messages."""

    at: datetime
    upto: int
    detail: str = ""
    usage: Usage = Usage()


class InputScreened(Recorded, frozen=True):
    """A screener has looked at what the user said: `said` texts of it. Anything but `passed` keeps it from the model."""

    at: datetime
    guard: str
    said: int
    answer: Answer
    flaws: tuple[str, ...] = ()
    comment: str = ""
    usage: Usage = Usage()


class ModelReplied(Recorded, frozen=True):
    """The model's whole reply. A `finish` of `length` runs none of its calls; `refusal` ends the run."""

    at: datetime
    turn: int
    text: str | None = None
    calls: tuple[ProposedCall, ...] = ()
    finish: str = "stop"
    refusal: str | None = None
    extra: dict[str, Any] = msgspec.field(default_factory=dict)
    usage: Usage = Usage()


class ModelFailed(Recorded, frozen=True):
    """The model call failed for good, or (`retry_at`) until then."""

    at: datetime
    turn: int
    kind: str
    detail: str = ""
    retry_at: datetime | None = None


class ToolStarted(Recorded, frozen=True):
    """A driver is about to run a cleared call; written before anything happens."""

    at: datetime
    call: str


class ToolReturned(Recorded, frozen=True):
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


class ToolFailed(Recorded, frozen=True):
    """A call failed and *nothing happened*."""

    at: datetime
    call: str
    error: str


class ToolLost(Recorded, frozen=True):
    """A call ended and nobody knows whether it happened."""

    at: datetime
    call: str
    error: str


class HoldAnswered(Recorded, frozen=True):
    """A person or a reviewer has answered a hold. Anything but `yes` and `passed` closes the call."""

    at: datetime
    hold: str
    digest: str
    answer: Answer
    comment: str = ""
    flaws: tuple[str, ...] = ()
    by: str = ""
    usage: Usage = Usage()


class UserSaid(Recorded, frozen=True):
    """The user says something while the run is going on; `notes` as in `RunStarted`."""

    at: datetime
    text: str
    notes: tuple[str, ...] = ()


class FactsNoted(Recorded, frozen=True):
    """The interface notes facts of its own: its cart, the open page. `replaces` names kinds that they stand for."""

    at: datetime
    source: str
    facts: tuple[Fact, ...]
    replaces: tuple[str, ...] = ()


class LandRequested(Recorded, frozen=True):
    """Somebody wants what there is, now."""

    at: datetime
    reason: str = "requested"


class Ticked(Recorded, frozen=True):
    """Time has passed."""

    at: datetime


class TakenOver(Recorded, frozen=True):
    """Another driver goes on with the run."""

    at: datetime
    fingerprint: str


class Cancelled(Recorded, frozen=True):
    """Somebody wants an end."""

    at: datetime
    reason: str = ""
