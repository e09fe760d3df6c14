"""The two lifecycles as literal tables: the phase of a run, and the stage of a call.

- A cell says where the event leads. A missing cell and an input: the input is stale. A missing cell and a judgement: a bug.
- The diagrams of docs/lifecycle.md are printed from here, and a property test walks every cell.
"""

from enum import StrEnum

from handrail.core.events import (
    CallCleared,
    CallDeferred,
    CallHeld,
    CallLost,
    CallRefused,
    CallReopened,
    CallRequeued,
    Cancelled,
    Event,
    FactsNoted,
    HistoryCut,
    HistoryMeasured,
    HoldAnswered,
    InputHeld,
    InputScreened,
    LandingAdvanced,
    LandRequested,
    ModelFailed,
    ModelReplied,
    RunFinished,
    RunParked,
    RunStarted,
    Summarised,
    SummaryFailed,
    SummaryOrdered,
    TakenOver,
    TextAmended,
    TextHeld,
    TextRefused,
    Ticked,
    ToolFailed,
    ToolLost,
    ToolReturned,
    ToolStarted,
    TurnOpened,
    UserSaid,
)


class Phase(StrEnum):
    """What a run is doing."""

    READY = "ready"
    THINKING = "thinking"
    ACTING = "acting"
    WAITING = "waiting"
    DONE = "done"


class Stage(StrEnum):
    """How far a call has come."""

    PROPOSED = "proposed"
    HELD = "held"
    CLEARED = "cleared"
    RUNNING = "running"
    INTERRUPTED = "interrupted"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    REFUSED = "refused"
    UNKNOWN = "unknown"


OVER = frozenset({Stage.SUCCEEDED, Stage.FAILED, Stage.REFUSED, Stage.UNKNOWN})
"""Stages from which nothing leads on."""

RUN: dict[Phase, dict[type[Event], Phase]] = {
    Phase.READY: {
        RunStarted: Phase.ACTING,
        Cancelled: Phase.DONE,
    },
    Phase.THINKING: {
        ModelReplied: Phase.ACTING,
        ModelFailed: Phase.ACTING,
        HistoryMeasured: Phase.THINKING,
        SummaryOrdered: Phase.THINKING,
        Summarised: Phase.THINKING,
        SummaryFailed: Phase.THINKING,
        HistoryCut: Phase.THINKING,
        UserSaid: Phase.THINKING,
        FactsNoted: Phase.THINKING,
        LandRequested: Phase.THINKING,
        Ticked: Phase.THINKING,
        TakenOver: Phase.THINKING,
        Cancelled: Phase.THINKING,
        LandingAdvanced: Phase.THINKING,
        RunFinished: Phase.DONE,
    },
    Phase.ACTING: {
        ToolStarted: Phase.ACTING,
        ToolReturned: Phase.ACTING,
        ToolFailed: Phase.ACTING,
        ToolLost: Phase.ACTING,
        HoldAnswered: Phase.ACTING,
        InputHeld: Phase.ACTING,
        InputScreened: Phase.ACTING,
        UserSaid: Phase.ACTING,
        FactsNoted: Phase.ACTING,
        LandRequested: Phase.ACTING,
        Ticked: Phase.ACTING,
        TakenOver: Phase.ACTING,
        Cancelled: Phase.ACTING,
        CallCleared: Phase.ACTING,
        CallDeferred: Phase.ACTING,
        CallHeld: Phase.ACTING,
        CallRefused: Phase.ACTING,
        CallReopened: Phase.ACTING,
        CallRequeued: Phase.ACTING,
        CallLost: Phase.ACTING,
        TextRefused: Phase.ACTING,
        TextAmended: Phase.ACTING,
        TextHeld: Phase.ACTING,
        LandingAdvanced: Phase.ACTING,
        TurnOpened: Phase.THINKING,
        RunParked: Phase.WAITING,
        RunFinished: Phase.DONE,
    },
    Phase.WAITING: {
        ToolReturned: Phase.ACTING,
        ToolFailed: Phase.ACTING,
        HoldAnswered: Phase.ACTING,
        UserSaid: Phase.ACTING,
        FactsNoted: Phase.ACTING,
        LandRequested: Phase.ACTING,
        Ticked: Phase.ACTING,
        TakenOver: Phase.ACTING,
        Cancelled: Phase.ACTING,
    },
    Phase.DONE: {},
}

CALL: dict[Stage, dict[type[Event], Stage]] = {
    Stage.PROPOSED: {
        CallCleared: Stage.CLEARED,
        CallDeferred: Stage.PROPOSED,
        CallHeld: Stage.HELD,
        CallRefused: Stage.REFUSED,
    },
    Stage.HELD: {
        HoldAnswered: Stage.PROPOSED,
        CallReopened: Stage.PROPOSED,
        CallRefused: Stage.REFUSED,
    },
    Stage.CLEARED: {
        ToolStarted: Stage.RUNNING,
        CallReopened: Stage.PROPOSED,
        ToolReturned: Stage.SUCCEEDED,
        ToolFailed: Stage.FAILED,
        CallRefused: Stage.REFUSED,
        CallLost: Stage.UNKNOWN,
    },
    Stage.RUNNING: {
        ToolReturned: Stage.SUCCEEDED,
        ToolFailed: Stage.FAILED,
        ToolLost: Stage.UNKNOWN,
        CallLost: Stage.UNKNOWN,
        TakenOver: Stage.INTERRUPTED,
        CallRefused: Stage.REFUSED,
    },
    Stage.INTERRUPTED: {
        CallRequeued: Stage.CLEARED,
        CallLost: Stage.UNKNOWN,
        CallRefused: Stage.REFUSED,
    },
    Stage.SUCCEEDED: {},
    Stage.FAILED: {},
    Stage.REFUSED: {},
    Stage.UNKNOWN: {},
}
