"""Intent before act: a call is started in the journal before anything happens, and what a crash leaves behind is told from that."""

from datetime import timedelta

import pytest

from handrail.core.effects import AskClient, RunTool, StartTool, WakeAt
from handrail.core.events import CallCleared, CallLost, CallRequeued, LandingAdvanced, TurnOpened
from handrail.core.table import Phase, Stage
from handrail.errors import StaleInput
from handrail.guards import CallLimit, NoProgress
from handrail.vocab.calls import ToolEffect, Where
from handrail.vocab.outcomes import Status
from tests.core.kit import FakeTool, Play, agent, idempotent, read, write


def test_a_cleared_call_is_only_said_to_start_and_a_started_one_is_run() -> None:
    play = Play(agent()).started().called(("search", {"q": "x"}))
    assert play.judged(CallCleared) and play.effects == (StartTool(key="r1/t1c1/start/0", call="t1c1"),)
    play.ran()
    (effect,) = play.effects
    assert isinstance(effect, RunTool)
    assert (effect.tool, effect.arguments, effect.idempotency_key, effect.seconds) == ("search", '{"q":"x"}', "r1/t1c1", 30.0)


def test_a_call_is_started_once() -> None:
    play = Play(agent()).started().called("search").ran()
    with pytest.raises(StaleInput) as stale:
        play.ran()
    assert stale.value.code == "twice"


def test_tool_failed_means_it_did_not_happen_and_the_model_is_told_why() -> None:
    play = Play(agent()).started().called("pay").ran().tool_failed(error="the card is blocked")
    assert play.results == [{"error": "the card is blocked"}]
    assert play.state.counts["pay"].failed == 1


def test_tool_lost_leaves_the_outcome_unknown_and_the_run_goes_on() -> None:
    play = Play(agent()).started().called("pay").ran().lost(error="timed out; it may have happened")
    assert play.results == [{"error": "timed out; it may have happened"}]
    assert play.phase is Phase.THINKING and play.state.ok("pay") == 0


def test_case_42_after_a_crash_a_read_runs_again() -> None:
    play = Play(agent(guards=[CallLimit("search", 1)])).started().called("search").ran().taken_over()
    assert play.judged(CallRequeued) and play.stages == [Stage.CLEARED]
    play.ran()
    assert [effect.key for effect in play.effects] == ["r1/t1c1/run/2"]
    assert play.state.used("search") == 1


def test_case_42_after_a_crash_an_idempotent_call_runs_again_with_the_same_key() -> None:
    play = Play(agent(idempotent())).started().called("book").ran()
    before = play.effects[0]
    play.taken_over().ran()
    after = play.effects[0]
    assert isinstance(before, RunTool) and isinstance(after, RunTool)
    assert after.idempotency_key == before.idempotency_key and after.key != before.key


def test_case_42_after_a_crash_a_write_is_unknown_and_never_run_again_by_itself() -> None:
    play = Play(agent()).started().called("pay").ran().taken_over()
    (lost,) = play.judged(CallLost)
    assert "Check before you repeat it" in lost.reason and play.results == [{"error": lost.reason}]
    assert play.judged(TurnOpened)


def test_a_call_that_was_not_started_yet_is_simply_started_after_a_take_over() -> None:
    play = Play(agent()).started().called("pay").taken_over()
    assert play.last[1:] == () and isinstance(play.effects[0], StartTool)


def test_only_a_take_over_sends_running_calls_back() -> None:
    play = Play(agent()).started().called("search").ran()
    play.ticked().user_said("and?").facts_noted()
    assert play.stages == [Stage.RUNNING]


def test_a_client_call_is_started_when_it_is_handed_out_so_a_second_tab_does_not_get_it_again() -> None:
    play = Play(agent(FakeTool("fill", ToolEffect.WRITE, Where.CLIENT, timeout=60))).started().called("fill")
    handed = play.effects[0]
    assert isinstance(handed, AskClient) and handed.deadline == play.now + timedelta(seconds=60)
    play.ran()
    assert [type(effect) for effect in play.effects] == [WakeAt]
    with pytest.raises(StaleInput) as stale:
        play.ran()
    assert stale.value.code == "twice"
    assert play.returned(1, {"ok": True}).results == [{"ok": True}]


@pytest.mark.parametrize("where", [Where.CLIENT, Where.PERSON])
def test_a_take_over_does_not_touch_client_and_person_calls(where: Where) -> None:
    play = Play(agent(FakeTool("fill", ToolEffect.WRITE, where))).started().called("fill")
    if where is Where.CLIENT:
        play.ran()
    before = play.stages
    assert play.taken_over().stages == before


def test_take_overs_without_progress_are_counted_and_the_run_fails_after_five() -> None:
    play = Play(agent()).started()
    for _ in range(5):
        assert play.taken_over().phase is Phase.THINKING
    play.taken_over()
    assert play.outcome.status is Status.FAILED and play.outcome.limit == "5 take-overs without progress"


def test_take_overs_without_progress_land_where_there_is_something_to_land_with() -> None:
    play = Play(agent(submit="pay", land=lambda ledger: "what there is")).started()
    for _ in range(6):
        play.taken_over()
    assert play.judged(LandingAdvanced) and play.outcome.output == "what there is" and play.outcome.partial


@pytest.mark.parametrize("progress", ["reply", "returned", "failed", "lost"])
def test_progress_starts_the_count_of_take_overs_again(progress: str) -> None:
    play = Play(agent(read("search"), read("look"))).started()
    if progress != "reply":
        play.called("search", "look").ran(1).ran(2)
    for _ in range(5):
        play.taken_over()
        if progress != "reply":
            play.ran(1).ran(2)
    match progress:
        case "reply":
            play.called("search")
        case "returned":
            play.returned(1)
        case "failed":
            play.tool_failed(1)
        case _:
            play.lost(1)
    assert play.state.takeovers == 0 and play.taken_over().phase is Phase.ACTING


def test_take_overs_of_a_run_that_waits_for_people_are_not_counted() -> None:
    play = Play(agent(FakeTool("ask", ToolEffect.READ, Where.PERSON))).started().called("ask")
    for _ in range(20):
        assert play.taken_over().phase is Phase.WAITING
    assert play.returned(1, "blue").phase is Phase.THINKING


def test_a_submit_whose_outcome_is_unknown_lands_and_is_never_submitted_again() -> None:
    play = Play(agent(read(), write("submit"), submit="submit", land=lambda ledger: "a report")).started().called("submit", "search")
    play.ran().lost()
    assert play.outcome.output == "a report" and play.outcome.partial and play.outcome.limit == "submit with an unknown outcome"
    assert play.results[1] == {"error": "The run has ended; this was not run."}


def test_a_submit_that_a_crash_interrupted_lands_too() -> None:
    play = Play(agent(write("submit"), submit="submit", land=lambda ledger: "a report")).started().called("submit").ran().taken_over()
    assert play.judged(CallLost) and play.outcome.output == "a report"


def test_a_result_that_comes_twice_is_stale() -> None:
    play = Play(agent()).started().called("search", "search").ran(1).ran(2).returned(1, "one")
    with pytest.raises(StaleInput) as stale:
        play.returned(1, "another")
    assert stale.value.code == "twice" and play.call(1).content == "one"


def test_the_late_result_of_a_call_that_was_given_up_is_stale() -> None:
    play = Play(agent(guards=[NoProgress()])).started().called("pay").ran().taken_over()
    with pytest.raises(StaleInput):
        play.returned(1)
