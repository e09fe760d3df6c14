"""The journal's events: inputs (`core.inputs`: what happened) and judgements (`core.judgements`: what was made of it).

Every event is one line of JSON in a journal (`handrail.codec`).
"""

from typing import get_args

from handrail.core.inputs import (
    Cancelled,
    FactsNoted,
    HistoryMeasured,
    HoldAnswered,
    InputScreened,
    LandRequested,
    ModelFailed,
    ModelReplied,
    RunStarted,
    Summarised,
    SummaryFailed,
    TakenOver,
    Ticked,
    ToolFailed,
    ToolLost,
    ToolReturned,
    ToolStarted,
    UserSaid,
)
from handrail.core.judgements import (
    CallCleared,
    CallDeferred,
    CallHeld,
    CallLost,
    CallRefused,
    CallReopened,
    CallRequeued,
    HistoryCut,
    InputHeld,
    LandingAdvanced,
    LandingStage,
    RunFinished,
    RunParked,
    SummaryOrdered,
    TextAmended,
    TextHeld,
    TextRefused,
    TurnOpened,
)

__all__ = [
    "INPUTS",
    "JUDGEMENTS",
    "CallCleared",
    "CallDeferred",
    "CallHeld",
    "CallLost",
    "CallRefused",
    "CallReopened",
    "CallRequeued",
    "Cancelled",
    "Event",
    "FactsNoted",
    "HistoryCut",
    "HistoryMeasured",
    "HoldAnswered",
    "Input",
    "InputHeld",
    "InputScreened",
    "Judgement",
    "LandRequested",
    "LandingAdvanced",
    "LandingStage",
    "ModelFailed",
    "ModelReplied",
    "RunFinished",
    "RunParked",
    "RunStarted",
    "Summarised",
    "SummaryFailed",
    "SummaryOrdered",
    "TakenOver",
    "TextAmended",
    "TextHeld",
    "TextRefused",
    "Ticked",
    "ToolFailed",
    "ToolLost",
    "ToolReturned",
    "ToolStarted",
    "TurnOpened",
    "UserSaid",
]

Input = (
    RunStarted
    | HistoryMeasured
    | Summarised
    | SummaryFailed
    | InputScreened
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
    | InputHeld
    | SummaryOrdered
    | HistoryCut
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
