"""`evolve(state, event)`: the fold. The same journal gives the same state for ever.

It never sees the agent, the ring, a clock or the outside, and computes nothing that was judged: it writes down.
What an event does to one call is in `evolve_calls`, what opening and ending a turn does is in `evolve_turns`.
"""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

from msgspec.structs import replace

from handrail.core import evolve_calls, evolve_turns
from handrail.core.events import (
    Cancelled,
    Event,
    FactsNoted,
    HistoryCut,
    HistoryMeasured,
    InputHeld,
    InputScreened,
    LandingAdvanced,
    LandRequested,
    ModelFailed,
    ModelReplied,
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
    UserSaid,
)
from handrail.core.state import Condensing, OpenCall, Reply, RunClock, RunState, Screening
from handrail.core.table import RUN, Phase
from handrail.core.transcripts import cut
from handrail.errors import Bug
from handrail.vocab.calls import MOST_CALLS
from handrail.vocab.facts import Ledger
from handrail.vocab.messages import AssistantMessage
from handrail.vocab.outcomes import Outcome, Status
from handrail.vocab.reviews import Answer


def evolve(state: RunState, event: Event) -> RunState:
    """The state after the event.

    Raises:
        Bug: the tables have no place for it.
    """
    phase = RUN[state.phase].get(type(event))
    if phase is None:
        raise Bug(f"{type(event).__name__} has no place in phase {state.phase.value!r}")
    at: datetime | None = getattr(event, "at", None)
    clock = state.clock if at is None else _advanced(state, event, at)
    folded = _FOLDS[type(event)](state, event)
    return replace(folded, phase=phase, seq=state.seq + 1, clock=clock)


def fold(events: Iterable[Event], state: RunState | None = None) -> RunState:
    """The state after all of the events, from a fresh one or from the one given."""
    state = RunState() if state is None else state
    for event in events:
        state = evolve(state, event)
    return state


def _advanced(state: RunState, event: Event, at: datetime) -> RunClock:
    clock = state.clock
    if clock is None:
        return RunClock(at=at)
    gap = (at - clock.at).total_seconds()
    if gap <= 0:
        return clock
    rests = state.phase is Phase.WAITING or isinstance(event, TakenOver)
    return RunClock(at=at, active=clock.active + (0.0 if rests else gap))


def _run_started(state: RunState, event: RunStarted) -> RunState:
    return replace(
        state,
        run_id=event.run_id,
        agent=event.agent,
        fingerprint=event.fingerprint,
        transcript=event.history,
        inbox=(event.message,),
        said=(event.message,),
        unseen=(event.message,),
        asides=event.notes,
        can_ask=event.can_ask,
        history_limit=event.history_limit,
        confirmed_before=event.confirmed,
    )


def _history_measured(state: RunState, event: HistoryMeasured) -> RunState:
    found = state.condensing or Condensing()
    return replace(state, condensing=replace(found, tokens=event.tokens, fixed=event.fixed, limit=event.limit))


def _summary_ordered(state: RunState, event: SummaryOrdered) -> RunState:
    found = state.condensing or Condensing()
    failures = found.failures + (found.summary is not None)
    return replace(state, condensing=replace(found, upto=event.upto, summary=None, failures=failures))


def _summarised(state: RunState, event: Summarised) -> RunState:
    found = state.condensing or Condensing()
    return replace(state, condensing=replace(found, summary=event.text, size=event.tokens), usage=state.usage + event.usage)


def _summary_failed(state: RunState, event: SummaryFailed) -> RunState:
    found = state.condensing or Condensing()
    return replace(state, condensing=replace(found, upto=None, failures=found.failures + 1), usage=state.usage + event.usage)


def _history_cut(state: RunState, event: HistoryCut) -> RunState:
    cuts = state.condensing.cuts if state.condensing is not None else 0
    return replace(state, transcript=cut(state.transcript, event.upto, event.text), condensing=Condensing(cuts=cuts + 1), takeovers=0)


def _input_held(state: RunState, event: InputHeld) -> RunState:
    return replace(state, screening=replace(state.screening or Screening(), guard=event.guard))


def _input_screened(state: RunState, event: InputScreened) -> RunState:
    found = replace(state.screening or Screening(), guard=None)
    match event.answer:
        case Answer.PASSED:
            found = replace(found, passed=(*found.passed, event.guard), failures=0)
        case Answer.FLAWED:
            found = replace(found, flawed=event.guard)
        case _:
            found = replace(found, failures=found.failures + 1)
    return replace(state, screening=found, usage=state.usage + event.usage, takeovers=0)


def _model_replied(state: RunState, event: ModelReplied) -> RunState:
    text = event.text if event.text and event.text.strip() else None
    calls = event.calls[:MOST_CALLS]
    message = AssistantMessage(text=text or event.refusal, calls=calls, extra=event.extra)
    empty = text is None and not calls and event.refusal is None
    return replace(
        state,
        reply=Reply(message=message, finish=event.finish, refusal=event.refusal, dropped=len(event.calls) - len(calls)),
        calls=tuple(OpenCall(proposed=call) for call in calls),
        usage=state.usage + replace(event.usage, calls=1),
        empties=state.empties + 1 if empty else 0,
        failures=0,
        takeovers=0,
    )


def _model_failed(state: RunState, event: ModelFailed) -> RunState:
    reply = Reply(failure=event.kind, detail=event.detail, retry_at=event.retry_at)
    return replace(state, reply=reply, failures=state.failures + 1, usage=replace(state.usage, calls=state.usage.calls + 1))


def _user_said(state: RunState, event: UserSaid) -> RunState:
    return replace(
        state,
        inbox=(*state.inbox, event.text),
        said=(*state.said, event.text),
        unseen=(*state.unseen, event.text),
        asides=(*state.asides, *event.notes),
        screening=None,
        text_refusals=(),
    )


def _facts_noted(state: RunState, event: FactsNoted) -> RunState:
    kept = tuple(fact for fact in state.ledger.facts if not (fact.tool == event.source and fact.kind in event.replaces))
    noted = (replace(fact, tool=event.source, confirmed=False) for fact in event.facts)
    return replace(state, ledger=Ledger(kept).adding(noted))


def _land_requested(state: RunState, event: LandRequested) -> RunState:
    return state if state.stop else replace(state, stop="landing", stop_reason=event.reason)


def _cancelled(state: RunState, event: Cancelled) -> RunState:
    outcome = Outcome(status=Status.CANCELLED, reason=event.reason or None) if state.phase is Phase.READY else None
    return replace(state, stop="cancelled", stop_reason=event.reason, outcome=outcome)


def _taken_over(state: RunState, event: TakenOver) -> RunState:
    changed = event.fingerprint != state.fingerprint
    return replace(
        state,
        fingerprint=event.fingerprint,
        calls=tuple(evolve_calls.taken_over(call, changed=changed) for call in state.calls),
        attempt=state.attempt + 1,
        takeovers=state.takeovers + (state.phase is not Phase.WAITING),
    )


def _text_refused(state: RunState, event: TextRefused) -> RunState:
    reply = state.reply or Reply()
    reply = replace(reply, text_refused=True, notes=(*reply.notes, event.reason))
    return replace(state, reply=reply, text_refusals=(*state.text_refusals, event.guard))


def _text_amended(state: RunState, event: TextAmended) -> RunState:
    reply = state.reply or Reply()
    message = replace(reply.message or AssistantMessage(), text=event.text)
    return replace(state, reply=replace(reply, message=message, amended_by=(*reply.amended_by, event.guard)))


def _text_held(state: RunState, event: TextHeld) -> RunState:
    reply = state.reply or Reply()
    return replace(state, reply=replace(reply, text_held=True, text_expires=event.expires_at), questions=state.questions + 1)


def _landing_advanced(state: RunState, event: LandingAdvanced) -> RunState:
    return replace(state, landing=event.stage, limit=event.limit, rung_turn=state.turn)


def _nothing_more(state: RunState, event: Ticked | RunParked) -> RunState:
    return state


_FOLDS: dict[type[Event], Callable[[RunState, Any], RunState]] = {
    RunStarted: _run_started,
    HistoryMeasured: _history_measured,
    SummaryOrdered: _summary_ordered,
    Summarised: _summarised,
    SummaryFailed: _summary_failed,
    HistoryCut: _history_cut,
    InputHeld: _input_held,
    InputScreened: _input_screened,
    ModelReplied: _model_replied,
    ModelFailed: _model_failed,
    UserSaid: _user_said,
    FactsNoted: _facts_noted,
    LandRequested: _land_requested,
    Cancelled: _cancelled,
    TakenOver: _taken_over,
    Ticked: _nothing_more,
    TextRefused: _text_refused,
    TextAmended: _text_amended,
    TextHeld: _text_held,
    LandingAdvanced: _landing_advanced,
    RunParked: _nothing_more,
    **evolve_calls.FOLDS,
    **evolve_turns.FOLDS,
}
