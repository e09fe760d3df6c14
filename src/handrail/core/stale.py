"""`stale(state, input)`: whether a run still has a place for an input. A stale one is not journalled."""

from enum import StrEnum

from handrail.core.events import (
    HistoryMeasured,
    HoldAnswered,
    Input,
    InputScreened,
    ModelFailed,
    ModelReplied,
    Summarised,
    SummaryFailed,
    ToolFailed,
    ToolLost,
    ToolReturned,
    ToolStarted,
    UserSaid,
)
from handrail.core.state import OpenCall, RunState
from handrail.core.table import CALL, RUN, Stage
from handrail.vocab.calls import By, Where
from handrail.vocab.reviews import Answer


class StaleCode(StrEnum):
    """Why there is no place; what HTTP answers 409, 410 or 412 to."""

    PHASE = "phase"
    TURN = "turn"
    CALL = "call"
    HOLD = "hold"
    DIGEST = "digest"
    EXPIRED = "expired"
    TWICE = "twice"


FITTING = {By.PERSON: {Answer.YES, Answer.NO}, By.REVIEWER: {Answer.PASSED, Answer.FLAWED, Answer.FAILED}}


def stale(state: RunState, event: Input) -> StaleCode | None:
    """Why the input is stale, or `None` where it is not."""
    if type(event) not in RUN[state.phase]:
        return StaleCode.PHASE
    match event:
        case ModelReplied() | ModelFailed():
            return None if event.turn == state.turn and _wants_reply(state) else StaleCode.TURN
        case HistoryMeasured():
            fits = event.turn == state.turn and len(event.tokens) == len(state.transcript)
            return None if fits and _wants_reply(state) else StaleCode.TURN
        case Summarised() | SummaryFailed():
            found = state.condensing
            return None if found is not None and found.summary is None and found.upto == event.upto else StaleCode.TURN
        case InputScreened():
            looking = state.screening is not None and state.screening.guard == event.guard
            return None if looking and event.said == len(state.unseen) else StaleCode.HOLD
        case ToolStarted() | ToolReturned() | ToolFailed() | ToolLost():
            return _stale_call(state.call(event.call), event)
        case HoldAnswered():
            return _stale_answer(state, event)
        case UserSaid():
            expires = state.reply.text_expires if state.reply is not None else None
            return StaleCode.EXPIRED if expires is not None and event.at >= expires else None
        case _:
            return None


def _wants_reply(state: RunState) -> bool:
    return state.condensing is None or not state.condensing.tokens


def _stale_call(call: OpenCall | None, event: ToolStarted | ToolReturned | ToolFailed | ToolLost) -> StaleCode | None:
    if call is None:
        return StaleCode.CALL
    if call.over:
        return StaleCode.TWICE
    if type(event) not in CALL[call.stage]:
        return StaleCode.TWICE if isinstance(event, ToolStarted) and call.stage is Stage.RUNNING else StaleCode.CALL
    if call.stage is Stage.CLEARED and (call.where is Where.SERVER) is not isinstance(event, ToolStarted):
        taken_by_browser = isinstance(event, ToolStarted) and call.where is Where.CLIENT
        if not taken_by_browser:
            return StaleCode.CALL
    if call.where is not Where.SERVER and call.expires_at is not None and event.at >= call.expires_at:
        return StaleCode.EXPIRED
    return None


def _stale_answer(state: RunState, event: HoldAnswered) -> StaleCode | None:
    held = next((call.held for call in state.calls if call.held is not None and call.held.id == event.hold), None)
    if held is None:
        return StaleCode.TWICE if _was_held(state, event.hold) else StaleCode.HOLD
    if event.digest != held.digest:
        return StaleCode.DIGEST
    if held.expires_at is not None and event.at >= held.expires_at:
        return StaleCode.EXPIRED
    return None if event.answer in FITTING[held.by] else StaleCode.HOLD


def _was_held(state: RunState, hold: str) -> bool:
    ids = (f"{call.id}h{number}" for call in state.calls for number in range(1, call.holds + 1))
    return hold in ids
