"""What an event does to one call of the open turn. The table of stages says whether it may."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from handrail.core.events import (
    CallCleared,
    CallDeferred,
    CallHeld,
    CallLost,
    CallRefused,
    CallReopened,
    CallRequeued,
    Event,
    HoldAnswered,
    TakenOver,
    ToolFailed,
    ToolLost,
    ToolReturned,
    ToolStarted,
)
from handrail.core.state import Count, Denial, Done, Held, OpenCall, RunState
from handrail.core.table import CALL, Stage
from handrail.errors import Bug
from handrail.vocab.calls import By, ToolEffect, Where
from handrail.vocab.canonical import digest
from handrail.vocab.facts import Fact, Ledger
from handrail.vocab.reviews import Answer, HoldAnswer

SAID_INSTEAD = "said_instead"
"""The code of a refusal by a message that came while an approval was pending."""

NOTHING = Count()
UNNAMED = "the draft did not pass"
"""What a reviewer found who names no flaw."""


def error(reason: str) -> str:
    """The one form of every error that a model sees."""
    return msgspec.json.encode({"error": reason}).decode()


def denial_of(tool: str, arguments: str | None) -> str:
    """What a person's no is remembered by: the tool and its canonical arguments."""
    return digest(tool, arguments)


def taken_over(call: OpenCall, *, changed: bool) -> OpenCall:
    """The call after another driver has taken the run over; only running server calls were interrupted."""
    if call.stage is Stage.RUNNING and call.where is Where.SERVER:
        return replace(call, stage=CALL[Stage.RUNNING][TakenOver], reopen=changed)
    if changed and call.stage in {Stage.HELD, Stage.CLEARED}:
        return replace(call, reopen=True)
    return call


def _moved(state: RunState, call_id: str, event: Event, **changes: Any) -> tuple[RunState, OpenCall]:
    call = state.call(call_id)
    stage = CALL[call.stage].get(type(event)) if call is not None else None
    if call is None or stage is None:
        where = f"at stage {call.stage.value!r}" if call is not None else "and there is no such call"
        raise Bug(f"{type(event).__name__} has no place for call {call_id!r} {where}")
    moved = replace(call, stage=stage, **changes)
    calls = tuple([moved if other is call else other for other in state.calls])
    return replace(state, calls=calls), moved


def _counted(state: RunState, tool: str, **more: int) -> Mapping[str, Count]:
    return {**state.counts, tool: state.counts.get(tool, NOTHING).plus(**more)}


def _cleared(state: RunState, event: CallCleared) -> RunState:
    state, call = _moved(
        state,
        event.call,
        event,
        arguments=event.arguments,
        effect=ToolEffect(event.effect),
        where=Where(event.where),
        timeout=event.timeout,
        expires_at=event.expires_at,
        after=None,
    )
    return replace(state, counts=_counted(state, call.name, cleared=1))


def _deferred(state: RunState, event: CallDeferred) -> RunState:
    return _moved(state, event.call, event, after=event.after)[0]


def _held(state: RunState, event: CallHeld) -> RunState:
    call = state.call(event.call)
    number = call.holds + 1 if call is not None else 1
    held = Held(
        id=f"{event.call}h{number}", guard=event.guard, by=event.by, digest=event.digest, show=event.show, expires_at=event.expires_at
    )
    return _moved(state, event.call, event, held=held, holds=number, arguments=event.arguments, after=None)[0]


def _refused(state: RunState, event: CallRefused) -> RunState:
    before = state.call(event.call)
    state, call = _moved(state, event.call, event, content=error(event.reason), held=None, reopen=False)
    if before is not None and before.held is not None and event.code == SAID_INSTEAD:
        return replace(state, denied=_denied(state, call, state.said[-1] if state.said else ""))
    return state


def _reopened(state: RunState, event: CallReopened) -> RunState:
    before = state.call(event.call)
    state, call = _moved(state, event.call, event, held=None, reopen=False, arguments=None, expires_at=None)
    if before is not None and before.stage is Stage.CLEARED:
        return replace(state, counts=_counted(state, call.name, cleared=-1))
    return state


def _requeued(state: RunState, event: CallRequeued) -> RunState:
    return _moved(state, event.call, event)[0]


def _lost(state: RunState, event: CallLost | ToolLost) -> RunState:
    reason = event.reason if isinstance(event, CallLost) else event.error
    state = _moved(state, event.call, event, content=error(reason), reopen=False)[0]
    return replace(state, takeovers=0) if isinstance(event, ToolLost) else state


def _started(state: RunState, event: ToolStarted) -> RunState:
    call = state.call(event.call)
    return _moved(state, event.call, event, started=(call.started if call else 0) + 1, started_at=event.at)[0]


def _returned(state: RunState, event: ToolReturned) -> RunState:
    before = state.call(event.call)
    state, call = _moved(
        state,
        event.call,
        event,
        content=event.content if event.shown is None else event.shown,
        output=None if event.shown is None else event.content,
        text=event.text,
        mark=digest(before.name, before.arguments, event.content) if before is not None else "",
    )
    asked = call.where is Where.PERSON
    return replace(
        state,
        ledger=_with_facts(state.ledger, call, event.facts) if event.facts else state.ledger,
        done=(*state.done, Done(tool=call.name, call=call.id, arguments=call.arguments or "{}")),
        counts=_counted(state, call.name, succeeded=1),
        said=(*state.said, event.content) if asked else state.said,
        unseen=(*state.unseen, event.content) if asked else state.unseen,
        screening=None if asked else state.screening,
        questions=0,
        takeovers=0,
    )


def _with_facts(ledger: Ledger, call: OpenCall, facts: tuple[Fact, ...]) -> Ledger:
    """What a person answered, or said yes to, is confirmed; nothing else is, whatever the tool says."""
    confirmed = call.where is Where.PERSON or any(answer.answer is Answer.YES for answer in call.answers)
    return ledger.adding(replace(fact, tool=call.name, confirmed=confirmed) for fact in facts)


def _failed(state: RunState, event: ToolFailed) -> RunState:
    state, call = _moved(state, event.call, event, content=error(event.error))
    return replace(state, counts=_counted(state, call.name, failed=1), takeovers=0)


def _answered(state: RunState, event: HoldAnswered) -> RunState:
    held_call = next((call for call in state.calls if call.held is not None and call.held.id == event.hold), None)
    if held_call is None or held_call.held is None:
        raise Bug(f"HoldAnswered has no place: there is no hold {event.hold!r}")
    held = held_call.held
    answer = HoldAnswer(guard=held.guard, digest=event.digest, answer=event.answer, comment=event.comment, flaws=event.flaws, by=event.by)
    state, call = _moved(state, held_call.id, event, held=None, answers=(*held_call.answers, answer))
    state = replace(state, usage=state.usage + event.usage, takeovers=0)
    if held.by is By.PERSON:
        return state if event.answer is Answer.YES else replace(state, denied=_denied(state, call, event.comment))
    if event.answer is Answer.FAILED:
        failures = state.review_failures.get(call.name, 0) + 1
        return replace(state, review_failures={**state.review_failures, call.name: failures})
    rounds = state.reviews.get(call.name, 0) + 1
    flaws = () if event.answer is Answer.PASSED else event.flaws or (UNNAMED,)
    return replace(state, reviews={**state.reviews, call.name: rounds}, flaws={**state.flaws, call.name: flaws})


def _denied(state: RunState, call: OpenCall, comment: str) -> Mapping[str, Denial]:
    return {**state.denied, denial_of(call.name, call.arguments): Denial(comment=comment, said=len(state.said))}


FOLDS: dict[type[Event], Callable[[RunState, Any], RunState]] = {
    CallCleared: _cleared,
    CallDeferred: _deferred,
    CallHeld: _held,
    CallRefused: _refused,
    CallReopened: _reopened,
    CallRequeued: _requeued,
    CallLost: _lost,
    ToolStarted: _started,
    ToolReturned: _returned,
    ToolFailed: _failed,
    ToolLost: _lost,
    HoldAnswered: _answered,
}
