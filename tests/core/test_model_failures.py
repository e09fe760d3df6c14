"""Model failures: what the client's own retries did not cure is permanent; only jobs wait and try again, three times in a row."""

from datetime import timedelta

from handrail.core.effects import WakeAt
from handrail.core.table import Phase
from handrail.guards import TimeLimit, TurnLimit
from handrail.vocab.messages import AssistantMessage, ToolMessage
from handrail.vocab.outcomes import Status
from tests.core.kit import NOON, Play, agent, write


def test_a_failure_fails_the_run_with_its_kind_and_detail() -> None:
    play = Play(agent()).started().failed("unauthorised", detail="no such key")
    assert play.outcome.status is Status.FAILED and play.outcome.reason == "the model call failed (unauthorised): no such key"
    assert isinstance(play.state.transcript[-1], AssistantMessage)


def test_a_failure_lands_where_there_is_something_to_land_with() -> None:
    play = Play(agent(write("submit"), submit="submit", land=lambda ledger: "a report")).started().failed("timeout")
    assert play.outcome.output == "a report" and play.outcome.limit == "model failure (timeout)"


def test_without_a_landing_the_detail_is_not_lost() -> None:
    play = Play(agent(write("submit"), submit="submit")).started().failed("unauthorised", detail="no such key")
    assert play.outcome.reason == "the model call failed (unauthorised): no such key"


def test_finished_work_is_kept() -> None:
    play = Play(agent()).started().called("search").did(1, "found").failed()
    assert ToolMessage(call="t1c1", content="found") in play.state.transcript


def test_case_35_a_job_waits_until_the_time_it_was_told_and_not_a_moment_less() -> None:
    play = Play(agent()).started().failed("rate_limited", retry_in=600)
    (wake,) = play.effects
    assert isinstance(wake, WakeAt) and wake.at == NOON + timedelta(seconds=600)
    assert play.after(599.9).ticked().phase is Phase.ACTING
    assert play.after(0.1).ticked().state.turn == 2


def test_it_waits_at_most_three_times_in_a_row() -> None:
    play = Play(agent()).started()
    for _ in range(3):
        assert play.failed(retry_in=1).after(1).ticked().phase is Phase.THINKING
    assert play.failed(retry_in=1).outcome.status is Status.FAILED


def test_a_reply_between_starts_the_count_again() -> None:
    play = Play(agent()).started()
    for _ in range(2):
        play.failed(retry_in=1).after(1).ticked()
    play.called("search").did()
    for _ in range(3):
        assert play.failed(retry_in=1).after(1).ticked().phase is Phase.THINKING


def test_a_wait_stays_within_the_limits() -> None:
    play = Play(agent(guards=[TimeLimit(60)])).started().failed(retry_in=600)
    (wake,) = play.effects
    assert isinstance(wake, WakeAt) and wake.at == NOON + timedelta(seconds=60)
    assert play.after(60).ticked().outcome.limit == "TimeLimit(60)"


def test_a_wait_stays_within_the_turns() -> None:
    assert Play(agent(guards=[TurnLimit(1)])).started().failed(retry_in=1).after(1).ticked().outcome.limit == "TurnLimit(1)"


def test_what_the_user_says_meanwhile_enters_with_the_next_turn() -> None:
    play = Play(agent()).started("a").failed(retry_in=10).user_said("b").after(10).ticked()
    (only,) = play.state.transcript
    assert [said.text for said in getattr(only, "said", ())] == ["a", "b"]
