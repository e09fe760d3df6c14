"""A journal judged again: the same ring judges the same, another one shows where it differs and what follows."""

from datetime import UTC, datetime, timedelta

import pytest

from handrail.check import replayed
from handrail.core.agent import Agent
from handrail.core.events import (
    CallCleared,
    CallHeld,
    CallRefused,
    Event,
    HoldAnswered,
    Input,
    ModelReplied,
    RunFinished,
    RunStarted,
    Ticked,
    ToolReturned,
    ToolStarted,
    TurnOpened,
    UserSaid,
)
from handrail.core.react import step
from handrail.core.state import RunState
from handrail.errors import JournalError
from handrail.guards import Approval, CallLimit, MustSubmit, Prerequisite
from handrail.vocab.calls import ProposedCall, call_id
from handrail.vocab.reviews import Answer
from tests.check.kit import planner

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)


def _at(seconds: int) -> datetime:
    return NOON + timedelta(seconds=seconds)


def _calls(turn: int, name: str, arguments: str) -> ModelReplied:
    call = ProposedCall(id=call_id(turn, 1), name=name, arguments=arguments)
    return ModelReplied(at=_at(turn), turn=turn, calls=(call,), finish="tool_calls")


def _runs(turn: int) -> tuple[Input, Input]:
    call = call_id(turn, 1)
    return ToolStarted(at=_at(turn), call=call), ToolReturned(at=_at(turn), call=call, content="found", text=True)


SEARCH = (_calls(1, "search", '{"text":"lakes"}'), *_runs(1))
SUBMIT = _calls(2, "submit", '{"legs":[],"places":["lake"]}')
PLAN = (*SEARCH, SUBMIT, *_runs(2))


def _journal(agent: Agent, *inputs: Input) -> tuple[Event, ...]:
    state, events = RunState(), list[Event]()
    started = RunStarted(at=NOON, run_id="run_1", agent=agent.name, fingerprint=agent.fingerprint, message="Plan a trip.")
    for event in (started, *inputs):
        more, state = step(agent, state, event)
        events.extend(more)
    return tuple(events)


def test_the_same_ring_judges_a_journal_as_it_is_recorded() -> None:
    events = _journal(planner(), *PLAN)
    replay = replayed(planner(), events)
    assert replay.difference is None and not replay.unfit and not replay.follows
    assert replay.events == len(events)
    assert replay.state.outcome is not None and replay.state.outcome.output == "found"


def test_a_guard_that_is_new_shows_the_first_judgement_that_differs() -> None:
    events = _journal(planner(), *PLAN)
    difference = replayed(planner(Prerequisite("submit", of="drive")), events).difference
    assert difference is not None
    assert isinstance(events[difference.seq], CallCleared) and difference.recorded == events[difference.seq]
    assert isinstance(difference.today, CallRefused) and difference.today.guard == "Prerequisite(submit, of=drive)"
    assert difference.names == {"t2c1": "submit"}


def test_what_follows_is_told_and_inputs_that_no_longer_fit_are_listed() -> None:
    events = _journal(planner(), *PLAN)
    replay = replayed(planner(Prerequisite("submit", of="drive")), events)
    assert [type(event) for event in replay.follows] == [CallRefused, TurnOpened]
    assert [(type(unfit.input), unfit.code) for unfit in replay.unfit] == [(ToolStarted, "phase"), (ToolReturned, "phase")]
    assert [events[unfit.seq] for unfit in replay.unfit] == [unfit.input for unfit in replay.unfit]
    assert replay.state.outcome is None


def test_a_limit_that_is_gone_shows_in_the_next_offer() -> None:
    events = _journal(planner(CallLimit("search", 1)), *PLAN)
    difference = replayed(planner(), events).difference
    assert difference is not None and isinstance(difference.recorded, TurnOpened) and isinstance(difference.today, TurnOpened)
    assert (difference.recorded.offered, difference.today.offered) == (("drive", "submit"), ("search", "drive", "submit"))


def test_inputs_go_on_fitting_where_the_run_comes_back_to_where_it_was() -> None:
    events = _journal(planner(CallLimit("search", 1)), *PLAN)
    replay = replayed(planner(), events)
    assert replay.unfit == ()
    assert isinstance(replay.follows[-1], RunFinished)


def test_an_approval_of_another_document_no_longer_fits() -> None:
    held = _journal(planner(Approval("submit")), *SEARCH, SUBMIT)
    hold = next(event for event in held if isinstance(event, CallHeld))
    yes = HoldAnswered(at=_at(3), hold="t2c1h1", digest=hold.digest, answer=Answer.YES)
    events = _journal(planner(Approval("submit")), *SEARCH, SUBMIT, yes)
    replay = replayed(planner(Approval("submit", show=lambda arguments, ledger: "Another document.")), events)
    assert replay.difference is not None and isinstance(replay.difference.today, CallHeld)
    assert [(type(unfit.input), unfit.code) for unfit in replay.unfit] == [(HoldAnswered, "digest")]


def test_a_late_answer_moves_the_clock_as_it_does_in_a_run() -> None:
    says = ModelReplied(at=_at(1), turn=1, text="Where to?")
    answer = UserSaid(at=_at(100), text="To the lakes.")
    events = _journal(planner(MustSubmit("submit")), says, answer)
    state = replayed(planner(MustSubmit("submit", longest_text=0)), events).state
    assert state.clock is not None and state.clock.at == answer.at


def test_a_journal_that_was_cut_is_no_difference() -> None:
    events = _journal(planner(), *PLAN)
    for end in range(1, len(events) + 1):
        assert replayed(planner(), events[:end]).difference is None


def test_a_judgement_that_is_missing_in_the_middle_is_a_difference() -> None:
    events = _journal(planner(), *PLAN)
    place = next(seq for seq, event in enumerate(events) if isinstance(event, CallCleared))
    difference = replayed(planner(), (*events[:place], *events[place + 1 :])).difference
    assert difference is not None and difference.seq == place
    assert difference.recorded is None and difference.today == events[place]


def test_an_expired_answer_is_unfit_and_time_passes_all_the_same() -> None:
    agent = planner(Approval("submit", expires=timedelta(hours=1)))
    held = _journal(agent, *SEARCH, SUBMIT)
    hold = next(event for event in held if isinstance(event, CallHeld))
    no = HoldAnswered(at=NOON + timedelta(minutes=30), hold="t2c1h1", digest=hold.digest, answer=Answer.NO)
    events = _journal(agent, *SEARCH, SUBMIT, no)
    replay = replayed(planner(Approval("submit", expires=timedelta(minutes=10))), events)
    assert [unfit.code for unfit in replay.unfit] == ["expired"]
    assert any(isinstance(event, Ticked) for event in replay.follows)
    assert any(isinstance(event, CallRefused) and event.code == "expired" for event in replay.follows)


def test_what_is_no_journal_is_refused() -> None:
    with pytest.raises(JournalError, match="empty"):
        replayed(planner(), ())
    with pytest.raises(JournalError, match=r"event 0 \(Ticked\) has no place"):
        replayed(planner(), (Ticked(at=NOON),))
