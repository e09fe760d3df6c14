"""`stale(state, input)`: whether a run still has a place for an input. A stale one is not journalled."""

from collections.abc import Callable
from enum import StrEnum
from typing import Any

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
from handrail.core.state import RunState
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
    kind = type(event)
    if kind not in RUN[state.phase]:
        return StaleCode.PHASE
    looks = _LOOKS.get(kind)
    return None if looks is None else looks(state, event)


def _wants_reply(state: RunState) -> bool:
    return state.condensing is None or not state.condensing.tokens


def _stale_reply(state: RunState, event: ModelReplied | ModelFailed) -> StaleCode | None:
    return None if event.turn == state.turn and _wants_reply(state) else StaleCode.TURN


def _stale_measure(state: RunState, event: HistoryMeasured) -> StaleCode | None:
    fits = event.turn == state.turn and len(event.tokens) == len(state.transcript)
    return None if fits and _wants_reply(state) else StaleCode.TURN


def _stale_summary(state: RunState, event: Summarised | SummaryFailed) -> StaleCode | None:
    found = state.condensing
    return None if found is not None and found.summary is None and found.upto == event.upto else StaleCode.TURN


def _stale_look(state: RunState, event: InputScreened) -> StaleCode | None:
    looking = state.screening is not None and state.screening.guard == event.guard
    return None if looking and event.said == len(state.unseen) else StaleCode.HOLD


def _stale_word(state: RunState, event: UserSaid) -> StaleCode | None:
    expires = state.reply.text_expires if state.reply is not None else None
    return StaleCode.EXPIRED if expires is not None and event.at >= expires else None


def _stale_call(state: RunState, event: ToolStarted | ToolReturned | ToolFailed | ToolLost) -> StaleCode | None:
    call = state.call(event.call)
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


_LOOKS: dict[type[Input], Callable[[RunState, Any], StaleCode | None]] = {
    ModelReplied: _stale_reply,
    ModelFailed: _stale_reply,
    HistoryMeasured: _stale_measure,
    Summarised: _stale_summary,
    SummaryFailed: _stale_summary,
    InputScreened: _stale_look,
    ToolStarted: _stale_call,
    ToolReturned: _stale_call,
    ToolFailed: _stale_call,
    ToolLost: _stale_call,
    HoldAnswered: _stale_answer,
    UserSaid: _stale_word,
}
