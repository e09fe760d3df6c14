"""What has to be going on in a state. A driver starts what is new and cancels what has vanished, by key."""

from datetime import datetime
from typing import Any

import msgspec

from handrail.vocab.outcomes import HoldKind


class CallModel(msgspec.Struct, frozen=True, kw_only=True):
    """Ask the model. Ends with `ModelReplied` or `ModelFailed`; where the request has more than `most_tokens`, with `HistoryMeasured`."""

    key: str
    turn: int
    offered: tuple[str, ...]
    choice: str
    hold_text: bool
    most_tokens: int | None = None


class Summarise(msgspec.Struct, frozen=True, kw_only=True):
    """Summarise the first messages of the transcript. Ends with `Summarised` or `SummaryFailed`."""

    key: str
    upto: int


class ScreenInput(msgspec.Struct, frozen=True, kw_only=True):
    """Let a screener look at what the user said. Ends with `InputScreened`."""

    key: str
    guard: str
    said: tuple[str, ...]


class StartTool(msgspec.Struct, frozen=True, kw_only=True):
    """Say that a cleared call is about to run: the only act is the input `ToolStarted`."""

    key: str
    call: str


class RunTool(msgspec.Struct, frozen=True, kw_only=True):
    """Run a started call. Ends with `ToolReturned`, `ToolFailed` or `ToolLost`.

    Args:
        idempotency_key: the same at every repetition of this call.
        seconds: how long it may take.
    """

    key: str
    call: str
    tool: str
    arguments: str
    idempotency_key: str
    seconds: float


class AskReviewer(msgspec.Struct, frozen=True, kw_only=True):
    """Let a clean-context reviewer look at a held call. Ends with `HoldAnswered`."""

    key: str
    hold: str
    digest: str
    guard: str
    tool: str
    arguments: str
    show: str | dict[str, Any]


class AskPerson(msgspec.Struct, frozen=True, kw_only=True):
    """Ask a person: for an approval (`HoldAnswered`), an answer (`ToolReturned`), or any message (`UserSaid`)."""

    key: str
    hold: str
    kind: HoldKind
    digest: str = ""
    tool: str | None = None
    arguments: str | None = None
    show: str | dict[str, Any] = ""
    expires_at: datetime | None = None


class AskClient(msgspec.Struct, frozen=True, kw_only=True):
    """Hand a call to the user's browser, once. Ends with `ToolReturned`, `ToolFailed` or at its deadline."""

    key: str
    call: str
    tool: str
    arguments: str
    deadline: datetime


class WakeAt(msgspec.Struct, frozen=True, kw_only=True):
    """Come back at that time with `Ticked`."""

    key: str
    at: datetime


Effect = CallModel | Summarise | ScreenInput | StartTool | RunTool | AskReviewer | AskPerson | AskClient | WakeAt
