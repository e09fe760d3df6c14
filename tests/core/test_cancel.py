"""Cancel: what can be stopped is stopped at once, a running write is waited for, and DONE is final."""

from datetime import timedelta

import pytest

from handrail.core.effects import RunTool, WakeAt
from handrail.core.events import CallCleared, CallLost, CallRefused, LandRequested
from handrail.core.evolve import fold
from handrail.core.table import Phase, Stage
from handrail.errors import StaleInput
from handrail.guards import Approval, TimeLimit
from handrail.vocab.calls import ToolEffect, Where
from handrail.vocab.messages import AssistantMessage
from handrail.vocab.outcomes import Status
from tests.core.kit import NOON, FakeTool, Play, agent, idempotent, read, write


def test_before_it_began_a_run_is_simply_over() -> None:
    play = Play(agent()).cancelled("not needed")
    assert play.outcome.status is Status.CANCELLED and play.outcome.reason == "not needed" and play.effects == ()


def test_a_model_call_is_cancelled_at_once() -> None:
    play = Play(agent()).started().cancelled("enough")
    assert play.phase is Phase.DONE and play.outcome.status is Status.CANCELLED and play.outcome.reason == "enough"
    assert play.state.transcript[-1] == AssistantMessage(text="This was cancelled.")


def test_case_30_reads_are_cancelled_at_once_and_every_open_call_is_answered() -> None:
    play = Play(agent()).started().called("search", "search", "pay").ran(1).cancelled()
    assert [event.call for event in play.judged(CallRefused)] == ["t1c1", "t1c2", "t1c3"] and play.phase is Phase.DONE
    assert play.results == [{"error": f"The run has ended; this {how}."} for how in ("read was stopped", "was not run", "was not run")]


@pytest.mark.parametrize("tool", [write(), idempotent("pay")])
def test_a_running_write_is_awaited_up_to_its_time_out(tool: FakeTool) -> None:
    play = Play(agent(tool)).started().called("pay", "pay").ran(1).after(10).cancelled()
    run, wake = play.effects
    assert isinstance(run, RunTool) and isinstance(wake, WakeAt) and wake.at == NOON + timedelta(seconds=30)
    assert play.stages == [Stage.RUNNING, Stage.REFUSED]
    play.after(5).returned(1, "paid")
    assert play.outcome.status is Status.CANCELLED and play.results[0] == "paid"


def test_case_14_30_a_write_that_does_not_come_back_in_time_is_unknown() -> None:
    play = Play(agent()).started().called("pay").ran().cancelled()
    assert play.after(29.9).ticked().phase is Phase.ACTING
    play.after(0.1).ticked()
    assert play.judged(CallLost) and "may have happened" in play.results[0]["error"] and play.outcome.status is Status.CANCELLED


def test_nothing_new_begins_while_a_write_is_awaited() -> None:
    play = Play(agent(guards=[TimeLimit(5)])).started().called("pay", "search").ran().cancelled().user_said("Really?")
    assert not play.judged(CallCleared) and play.after(6).ticked().phase is Phase.ACTING
    assert play.returned().outcome.unread == ("Really?",)


def test_holds_and_questions_are_withdrawn() -> None:
    ask = FakeTool("ask", ToolEffect.READ, Where.PERSON)
    play = Play(agent(ask, write(), guards=[Approval("pay")])).started().called("pay", "ask").cancelled()
    assert play.phase is Phase.DONE and play.effects == () and len(play.judged(CallRefused)) == 2


def test_a_running_client_write_is_awaited_too() -> None:
    play = Play(agent(FakeTool("fill", ToolEffect.WRITE, Where.CLIENT))).started().called("fill").ran().cancelled()
    assert play.stages == [Stage.RUNNING] and play.returned().outcome.status is Status.CANCELLED


def test_a_text_that_waits_for_an_answer_is_withdrawn() -> None:
    play = Play(agent(write("submit"), submit="submit")).started().answered("Which?").cancelled()
    assert play.outcome.status is Status.CANCELLED


def test_a_take_over_of_a_cancelled_run_leaves_its_write_unknown() -> None:
    play = Play(agent()).started().called("pay").ran().cancelled().taken_over()
    assert play.judged(CallLost) and play.outcome.status is Status.CANCELLED


def test_an_interrupted_call_that_may_be_repeated_is_not_denied_at_the_end() -> None:
    play = Play(agent(idempotent())).started().called("book").ran().taken_over().cancelled()
    assert play.judged(CallLost) and play.outcome.status is Status.CANCELLED


def test_the_wish_to_land_is_something_else_where_there_is_a_submit_tool() -> None:
    play = Play(agent(write("submit"), submit="submit", land=lambda ledger: "a report")).started().land_requested()
    assert play.outcome.status is Status.COMPLETED and play.outcome.limit == "requested" and play.outcome.partial


@pytest.mark.parametrize("reason", ["requested", "ctrl-c"])
def test_without_submit_the_wish_to_land_is_the_same_as_cancel(reason: str) -> None:
    play = Play(agent()).started().called("pay", "search").ran()
    play.give(LandRequested(at=play.now, reason=reason))
    assert play.stages == [Stage.RUNNING, Stage.REFUSED], "a running write is awaited"
    assert play.returned().outcome.status is Status.CANCELLED and play.outcome.reason == reason


def test_a_cancel_after_a_wish_to_land_cancels_and_not_the_other_way_round() -> None:
    play = Play(agent()).started().called("pay").ran().land_requested().cancelled("now")
    assert play.land_requested().returned().outcome.reason == "now"


def test_done_is_final() -> None:
    play = Play(agent()).started().called("search").ran().cancelled()
    for late in (play.ticked, play.cancelled, play.land_requested, play.taken_over, play.facts_noted, play.returned):
        with pytest.raises(StaleInput) as stale:
            late()
        assert stale.value.code == "phase"
    with pytest.raises(StaleInput):
        play.user_said("Hello?")


def test_a_journal_that_was_cut_before_the_first_turn_ends_with_a_valid_transcript() -> None:
    play = Play(agent(read())).started("Hello.")
    cut = Play(play.agent)
    cut.journal = play.journal[:1]
    cut.state = fold(cut.journal)
    cut.cancelled()
    assert [type(message).__name__ for message in cut.state.transcript] == ["UserMessage", "AssistantMessage"]
