"""Refusals teach and do not kill: the one form of every error, firmer words, and the count of fruitless turns."""

import msgspec
import pytest

from handrail.core.events import LandingStage, RunFinished
from handrail.core.table import Phase
from handrail.guards import NoProgress, Prerequisite
from handrail.vocab.messages import ToolMessage
from handrail.vocab.outcomes import Status
from handrail.vocab.verdicts import Refuse
from tests.core.kit import FakeGuard, Play, agent, read, write


def searching(play: Play, n: int, *, result: str = "same") -> Play:
    for _ in range(n):
        play.called(("search", {"q": "x"})).did(1, result)
    return play


def test_an_error_has_one_key_and_goes_under_the_calls_own_id() -> None:
    play = Play(agent(guards=[Prerequisite("pay", of="search")])).started().called("pay")
    last = play.state.transcript[-1]
    assert isinstance(last, ToolMessage) and last.call == "t1c1" and list(msgspec.json.decode(last.content)) == ["error"]


def test_a_refusal_says_what_may_be_called_instead() -> None:
    assert "Call 'search' first" in Play(agent(guards=[Prerequisite("pay", of="search")])).started().called("pay").results[0]["error"]


def test_no_number_of_refusals_raises_or_ends_a_run_without_a_limit() -> None:
    play = Play(agent(guards=[Prerequisite("pay", of="search")])).started()
    for _ in range(100):
        play.called("pay", "none", ("search", "["))
    assert play.phase is Phase.THINKING and play.state.turn == 101 and play.state.fruitless == 100


def test_firmness_goes_into_the_errors_own_text() -> None:
    play = Play(agent(guards=[NoProgress(firm=2, narrow=9, land=9), Prerequisite("pay", of="search")])).started()
    assert "gained nothing" not in play.called("pay").called("pay").results[0]["error"]
    assert "The last 2 replies gained nothing new" in play.called("pay").results[0]["error"]


def test_a_turn_is_fruitful_by_a_success_whose_call_and_result_are_new() -> None:
    play = searching(Play(agent()).started(), 1)
    assert play.state.fruitless == 0
    assert searching(play, 1).state.fruitless == 1
    assert searching(play, 1, result="another").state.fruitless == 0


def test_case_27_key_order_does_not_make_a_call_new() -> None:
    play = Play(agent()).started().called(("search", '{"a":1,"b":2}')).did().called(("search", '{"b":2.0,"a":1}')).did()
    assert play.state.fruitless == 1


def test_what_was_so_long_ago_that_eight_others_came_since_is_new_again() -> None:
    play = Play(agent()).started()
    for n in range(9):
        play.called(("search", {"q": n})).did()
    assert play.called(("search", {"q": 1})).did().state.fruitless == 1
    assert play.called(("search", {"q": 0})).did().state.fruitless == 0


def test_the_whole_result_is_compared_and_not_what_is_shown_of_it() -> None:
    play = Play(agent()).started().called("search").did(1, "long tail 1", shown="long").called("search").did(1, "long tail 2", shown="long")
    assert play.state.fruitless == 0


@pytest.mark.parametrize("kind", ["refused", "failed", "lost", "text", "empty"])
def test_refusals_failures_refused_texts_and_empty_replies_are_fruitless_by_nature(kind: str) -> None:
    play = Play(agent(guards=[FakeGuard(accepting=lambda state, text: Refuse("no", "No."))])).started()
    match kind:
        case "refused":
            play.called("none")
        case "failed":
            play.called("search").ran().tool_failed()
        case "lost":
            play.called("search").ran().lost()
        case "text":
            play.answered("Hm.")
        case _:
            play.answered("")
    assert play.state.fruitless == 1


def test_a_new_word_from_the_user_makes_a_turn_fruitful() -> None:
    play = Play(agent()).started().called("none").user_said("Try again.").called("none")
    assert play.state.fruitless == 0 and play.state.last_tools == ()


def test_a_failed_model_call_is_neither() -> None:
    assert Play(agent()).started().called("none").failed(retry_in=1).after(1).ticked().state.fruitless == 1


def test_the_tools_of_fruitless_turns_are_remembered_until_something_comes_of_one() -> None:
    play = Play(agent()).started().called("none", ("search", "[")).called("pay", "none").ran().tool_failed()
    assert play.state.last_tools == ("none", "search", "pay")
    assert searching(play, 1).state.last_tools == ()


def test_case_27_the_same_call_with_the_same_result_is_told_then_narrowed_then_stopped() -> None:
    play = Play(agent(read(), write(), guards=[NoProgress(firm=1, narrow=2, land=3)])).started()
    assert searching(play, 2).state.offer.offered == ("search", "pay")
    assert searching(play, 1).state.offer.offered == ("pay",)
    play.called(("search", {"q": "x"}))
    assert play.outcome.status is Status.FAILED and play.outcome.limit == "NoProgress(1, 2, 3)"


def test_case_27_two_calls_in_turn_are_no_progress_either() -> None:
    play = Play(agent(guards=[NoProgress(firm=1, narrow=9, land=9)])).started()
    for n in range(12):
        play.called(("search", {"q": "ab"[n % 2]})).did(1, [])
        if play.phase is Phase.DONE:
            break
    assert play.outcome.limit == "NoProgress(1, 9, 9)" and play.state.turn == 11


def test_case_27_polling_whose_result_changes_is_not_stopped() -> None:
    play = Play(agent(guards=[NoProgress()])).started()
    for n in range(30):
        play.called(("search", {"q": "status"})).did(1, f"{n}%")
    assert play.phase is Phase.THINKING and play.state.fruitless == 0


def test_case_27_it_survives_a_take_over() -> None:
    play = searching(Play(agent(guards=[NoProgress()])).started(), 3)
    assert play.taken_over().state.fruitless == 2


def test_exactly_so_many_fruitless_turns_begin_the_landing() -> None:
    play = Play(agent(read(), write("submit"), submit="submit", land=lambda ledger: "", guards=[NoProgress(1, 3, 4)])).started()
    for _ in range(3):
        play.called("none")
    assert play.state.landing is LandingStage.NONE
    assert play.called("none").state.landing is LandingStage.NUDGE


def test_an_agent_without_no_progress_is_ended_by_its_other_limits_alone() -> None:
    play = searching(Play(agent()).started(), 50)
    assert not [event for event in play.journal if isinstance(event, RunFinished)]
