"""Landing: one ladder for all limits, one rung a turn, and an end without a model call. It delivers a report; it never runs a write."""

from typing import Any

import pytest

from handrail.core.effects import CallModel
from handrail.core.events import CallCleared, CallLost, CallRefused, LandingAdvanced, LandingStage, RunFinished
from handrail.core.request import request
from handrail.core.table import Phase, Stage
from handrail.guards import Approval, CallLimit, MustSubmit, NoProgress, Prerequisite, Review, TimeLimit, TokenLimit, TurnLimit
from handrail.vocab.facts import Fact, Ledger
from handrail.vocab.messages import AssistantMessage, ToolMessage
from handrail.vocab.outcomes import Status
from tests.core.kit import FakeGuard, Play, agent, idempotent, read, write

NONE, NUDGE, ONLY, FORCED, LANDED = LandingStage
OTHERS = ("search", "pay")


def report(ledger: Ledger) -> dict[str, Any]:
    return {"places": list(ledger.values("place"))}


def landing(*guards: Any, **more: Any) -> Play:
    tools = (read(), write(), write("submit"))
    return Play(agent(*tools, **({"submit": "submit", "land": report, "guards": guards} | more))).started()


def rungs(play: Play, turn: Any, *, most: int = 30) -> list[LandingStage]:
    """The rung of each turn until the end, where each turn is played alike."""
    found = [play.state.landing]
    while play.phase is not Phase.DONE and len(found) < most:
        turn(play)
        found.append(play.state.landing)
    return found


def idle(play: Play) -> None:
    play.called("none")


def test_a_turn_limit_has_three_rungs_counted_in_turns_left() -> None:
    assert rungs(landing(TurnLimit(6)), idle) == [NONE, NONE, NONE, NUDGE, ONLY, FORCED, LANDED]


@pytest.mark.parametrize(
    ("turns", "expected"),
    [(1, [NONE, LANDED]), (2, [NONE, FORCED, LANDED]), (3, [NONE, ONLY, FORCED, LANDED]), (4, [NONE, NUDGE, ONLY, FORCED, LANDED])],
)
def test_a_turn_limit_under_four_has_fewer_rungs(turns: int, expected: list[LandingStage]) -> None:
    assert rungs(landing(TurnLimit(turns)), idle) == expected


def test_a_failed_model_call_skips_no_rung() -> None:
    def failing(play: Play) -> None:
        if play.state.turn % 2:
            play.failed(retry_in=1).after(1).ticked()
        else:
            idle(play)

    assert rungs(landing(TurnLimit(5)), failing) == [NONE, NONE, NUDGE, ONLY, FORCED, LANDED]


def test_time_lands_from_80_percent_on_one_rung_a_turn() -> None:
    def slow(play: Play) -> None:
        play.after(20 if play.state.landing is NONE else 1)
        idle(play)

    assert rungs(landing(TimeLimit(100)), slow) == [NONE, NONE, NONE, NONE, NUDGE, ONLY, FORCED, LANDED]


def test_tokens_land_from_80_percent_on() -> None:
    def costly(play: Play) -> None:
        play.called("none", tokens=20 if play.state.landing is NONE else 1)

    assert rungs(landing(TokenLimit(100)), costly) == [NONE, NONE, NONE, NONE, NUDGE, ONLY, FORCED, LANDED]


def test_all_limits_share_one_ladder_and_one_rung_a_turn() -> None:
    def slow(play: Play) -> None:
        play.after(45)
        play.called("none", tokens=45)

    play = landing(TimeLimit(100), TokenLimit(100), TurnLimit(5))
    assert rungs(play, slow, most=3) == [NONE, NONE, NUDGE]


def test_each_rung_is_named_with_its_limit_in_the_timeline() -> None:
    play = landing(TurnLimit(4))
    idle(play)
    assert play.judged(LandingAdvanced) == [LandingAdvanced(stage=NUDGE, limit="TurnLimit(4)")]


def test_the_first_rung_is_a_note_to_wrap_up_with_everything_still_on_offer() -> None:
    play = landing(TurnLimit(4))
    idle(play)
    assert play.notes == ["Not much is left of this run. Wrap up with what is verified and call submit soon."]
    assert list(play.state.offer.offered) == [*OTHERS, "submit"]


def test_the_second_rung_withdraws_the_other_tools_and_a_call_to_them_is_refused() -> None:
    play = landing(TurnLimit(3))
    idle(play)
    assert list(play.state.offer.offered) == ["submit"] and "The other tools are closed now" in play.notes[0]
    assert play.called("pay").judged(CallRefused)[0].code == "not_offered"


def test_the_third_rung_forces_the_submit() -> None:
    play = landing(TurnLimit(2))
    idle(play)
    (call,) = play.effects
    assert isinstance(call, CallModel) and call.choice == "submit" and request(play.agent, play.state).choice == "submit"
    assert "Call submit now" in play.notes[0]


def test_case_28_only_the_forced_rung_forces_a_choice() -> None:
    play = landing(TurnLimit(6))
    while play.state.landing is not FORCED and play.phase is not Phase.DONE:
        assert play.state.offer.choice == "auto"
        idle(play)


def test_case_28_a_submit_whose_own_limit_is_used_up_is_not_forced() -> None:
    play = landing(TurnLimit(3), CallLimit("submit", 1))
    play.called("submit").ran().tool_failed()
    assert play.outcome.output == {"places": []} and play.state.turn == 1


def test_the_last_rung_composes_the_result_from_the_ledger_without_a_model_call() -> None:
    play = landing(TurnLimit(2))
    play.called("search").did(1, facts=[Fact("place", "Kangding")])
    idle(play)
    assert play.outcome.output == {"places": ["Kangding"]} and play.outcome.status is Status.COMPLETED
    assert play.outcome.partial and play.outcome.limit == "TurnLimit(2)"
    assert play.state.transcript[-1] == AssistantMessage(text='{"places":["Kangding"]}')


def test_a_landing_may_be_a_text() -> None:
    play = landing(TurnLimit(1), land=lambda ledger: "Nothing found.")
    assert play.answered("x" * 10).outcome.output == "Nothing found." and play.state.transcript[-1] == AssistantMessage(
        text="Nothing found."
    )


@pytest.mark.parametrize(("turns", "partial"), [(4, False), (3, True), (2, True)])
def test_a_submit_on_the_first_rung_is_not_partial(turns: int, *, partial: bool) -> None:
    play = landing(TurnLimit(turns))
    idle(play)
    play.called("submit").did(1, {"plan": 1})
    assert play.outcome.output == {"plan": 1} and play.outcome.partial is partial
    assert play.outcome.limit == (f"TurnLimit({turns})" if partial else None)


@pytest.mark.parametrize("limit", [TimeLimit(100), TokenLimit(100)])
def test_at_the_hard_limit_a_running_read_is_stopped_and_a_running_write_is_unknown(limit: Any) -> None:
    for name, told in (("search", CallRefused), ("pay", CallLost)):
        play = landing(limit).called(name, "search").ran()
        play.land_requested() if isinstance(limit, TokenLimit) else play.after(100).ticked()
        assert play.judged(told)[0].call == "t1c1" and play.phase is Phase.DONE


def test_at_the_hard_limit_a_model_call_in_flight_is_cancelled() -> None:
    play = landing(TimeLimit(100)).after(100).ticked()
    assert play.effects == () and play.outcome.limit == "TimeLimit(100)"


def test_at_the_hard_limit_of_tokens_the_calls_of_the_reply_are_not_run() -> None:
    play = landing(TokenLimit(100)).called("pay", tokens=100)
    assert not play.judged(CallCleared) and play.outcome.limit == "TokenLimit(100)"


def test_a_submit_that_succeeded_counts_even_at_the_limit() -> None:
    play = landing(TimeLimit(100)).called("submit").ran().after(100).returned(1, {"plan": 1})
    assert play.outcome.output == {"plan": 1} and not play.outcome.partial


def test_the_ladder_rests_while_a_person_is_asked() -> None:
    play = landing(TimeLimit(100), Approval("submit")).after(85).called("none")
    play.called("submit").after(80_000).facts_noted()
    assert play.state.landing is NUDGE and play.phase is Phase.WAITING
    assert play.yes().did().outcome.status is Status.COMPLETED


@pytest.mark.parametrize("turns", [3, 2])
def test_a_persons_no_while_landing_lands_unconfirmed(turns: int) -> None:
    play = landing(TurnLimit(turns), Approval("submit"))
    idle(play)
    play.called("submit").no()
    assert play.outcome.unconfirmed and play.outcome.partial and play.outcome.output == {"places": []}


def test_a_persons_no_on_the_first_rung_goes_on() -> None:
    play = landing(TurnLimit(4), Approval("submit"))
    idle(play)
    assert play.called("submit").no().phase is Phase.THINKING


def test_what_lands_without_its_approval_or_review_is_marked() -> None:
    play = landing(TurnLimit(1), Approval("submit"), Review("submit", reviewer=agent(name="critic")))
    idle(play)
    assert play.outcome.unconfirmed and play.outcome.unreviewed
    bare = landing(TurnLimit(1))
    idle(bare)
    assert not bare.outcome.unconfirmed and not bare.outcome.unreviewed


def test_landing_never_runs_a_write_that_a_person_has_not_approved() -> None:
    play = landing(TurnLimit(2), Approval("submit"))
    idle(play)
    play.called("submit")
    assert play.stages == [Stage.HELD] and not play.judged(CallCleared)
    play.land_requested()
    assert play.outcome.unconfirmed and not [event for event in play.journal if isinstance(event, CallCleared)]


def test_no_progress_never_takes_the_submit_tool_away_but_its_own_limit_may() -> None:
    play = landing(NoProgress(1, 1, 9))
    play.called("submit").ran().tool_failed()
    assert "submit" in play.state.offer.offered
    play = landing(CallLimit("submit", 1))
    play.called("submit").ran().tool_failed()
    assert "submit" not in play.state.offer.offered


def test_a_landing_that_raises_fails_with_the_limit_and_keeps_the_finished_work() -> None:
    def broken(ledger: Ledger) -> str:
        raise KeyError("place")

    play = landing(TurnLimit(2), land=broken).called("search").did(1, "found")
    idle(play)
    assert play.outcome.status is Status.FAILED and "KeyError: 'place'" in (play.outcome.reason or "")
    assert ToolMessage(call="t1c1", content="found") in play.state.transcript


@pytest.mark.parametrize("odd", [None, 7, object(), {"x": object()}])
def test_a_landing_that_returns_no_mapping_and_no_text_fails(odd: Any) -> None:
    play = landing(TurnLimit(1), land=lambda ledger: odd)
    idle(play)
    assert play.outcome.status is Status.FAILED and "landing failed" in (play.outcome.reason or "")


def test_an_agent_without_a_landing_fails_with_the_limits_name() -> None:
    play = landing(TurnLimit(1), land=None)
    idle(play)
    assert play.outcome.status is Status.FAILED and play.outcome.limit == "TurnLimit(1)"


def test_without_submit_there_is_no_ladder_and_the_calls_of_the_last_reply_are_not_run() -> None:
    play = Play(agent(guards=[TurnLimit(2)])).started().called("search").did(1, "found").called("search", "pay")
    assert [event.code for event in play.judged(CallRefused)] == ["limit", "limit"] and not play.judged(LandingAdvanced)
    assert play.outcome.status is Status.FAILED and play.outcome.reason == "limit reached: TurnLimit(2)"


def test_case_29_a_limit_keeps_the_finished_work_and_the_session_goes_on() -> None:
    play = Play(agent(guards=[TurnLimit(2)])).started("Count.").called("search").did(1, "one").called("search")
    last = play.state.transcript[-1]
    assert isinstance(last, AssistantMessage) and last.text == "I had to stop before this was done: limit reached: TurnLimit(2)."
    assert ToolMessage(call="t1c1", content="one") in play.state.transcript and len(play.results) == 1
    again = Play(agent()).started("Go on.", history=play.state.transcript)
    assert again.state.transcript[: len(play.state.transcript)] == play.state.transcript


def test_without_submit_a_text_on_the_last_turn_is_the_answer() -> None:
    assert Play(agent(guards=[TurnLimit(1)])).started().answered("Yes.").outcome.output == "Yes."


def test_without_submit_the_answer_that_used_the_tokens_up_is_still_the_answer() -> None:
    assert Play(agent(guards=[TokenLimit(100)])).started().answered("Yes.", tokens=100).outcome.output == "Yes."


def test_without_submit_the_calls_of_the_reply_that_used_the_tokens_up_are_not_run() -> None:
    play = Play(agent(guards=[TokenLimit(100)])).started().called("pay", tokens=100)
    assert play.judged(CallRefused) and play.outcome.limit == "TokenLimit(100)" and play.outcome.status is Status.FAILED


def test_without_submit_time_ends_at_once() -> None:
    play = Play(agent(guards=[TimeLimit(10)])).started().called("pay").ran().after(10).ticked()
    assert play.judged(CallLost) and play.outcome.status is Status.FAILED


def test_no_limit_means_no_landing() -> None:
    assert rungs(landing(), idle, most=25) == [NONE] * 25


def test_a_prerequisite_that_the_closed_tools_would_have_met_does_not_hang_the_run() -> None:
    play = landing(TurnLimit(4), Prerequisite("submit", of="search"), MustSubmit("submit"))
    assert rungs(play, lambda play: play.called("submit"))[-1] is LANDED and play.outcome.partial


def test_a_submit_that_may_be_repeated_and_was_interrupted_at_the_end_is_unknown_and_not_denied() -> None:
    play = Play(agent(idempotent("submit"), submit="submit", land=report)).started().called("submit").ran().taken_over()
    assert play.stages == [Stage.CLEARED]
    play.land_requested()
    assert play.judged(CallLost) and "may have happened" in play.results[0]["error"]


def test_the_end_is_one_event_and_the_last() -> None:
    play = landing(TurnLimit(1), FakeGuard(limiting=lambda state: None))
    idle(play)
    assert [type(event) for event in play.journal].count(RunFinished) == 1 and isinstance(play.journal[-1], RunFinished)
