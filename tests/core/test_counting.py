"""Counting: calls cleared count whatever came of them, refused ones do not, and the user's word starts `per="message"` again."""

from handrail.core.table import Stage
from handrail.guards import CallLimit
from tests.core.kit import Play, agent, read, write


def test_a_limited_tool_disappears_after_that_many_cleared_calls() -> None:
    play = Play(agent(guards=[CallLimit("search", 2)])).started().called("search").ran().tool_failed()
    assert list(play.state.offer.offered) == ["search", "pay"]
    play.called("search").ran().lost()
    assert list(play.state.offer.offered) == ["pay"]


def test_calls_of_one_reply_count_one_by_one() -> None:
    play = Play(agent(guards=[CallLimit("search", 2)])).started().called("search", "search", "search")
    assert play.stages == [Stage.CLEARED, Stage.CLEARED, Stage.REFUSED]


def test_a_limit_per_message_starts_again_when_the_user_speaks_and_at_once() -> None:
    play = Play(agent(guards=[CallLimit("search", 1, per="message")])).started().called("search").did()
    assert list(play.state.offer.offered) == ["pay"]
    play.user_said("Once more.").called("pay")
    assert list(play.state.offer.offered) == ["search", "pay"]
    assert play.called("search").stages == [Stage.CLEARED] and play.state.used("search") == 2


def test_a_limit_per_run_does_not_start_again() -> None:
    play = Play(agent(guards=[CallLimit("search", 1)])).started().called("search").did().user_said("Once more.").called("pay")
    assert list(play.state.offer.offered) == ["pay"]


def test_a_limit_on_successes_counts_successes() -> None:
    play = Play(agent(guards=[CallLimit("search", 1, count="succeeded")])).started()
    for _ in range(3):
        play.called("search").ran().tool_failed()
    assert play.called("search").did().state.offer.offered == ("pay",)


def test_a_call_that_a_crash_repeats_counts_once() -> None:
    play = Play(agent(read(), write(), guards=[CallLimit("search", 1)])).started().called("search").ran().taken_over().ran()
    assert play.state.used("search") == 1 and play.returned().state.ok("search") == 1


def test_successes_failures_and_clearings_are_told_apart() -> None:
    play = Play(agent()).started().called("search", "search", "search").ran(1).ran(2).ran(3).returned(1).tool_failed(2).lost(3)
    count = play.state.counts["search"]
    assert (count.cleared, count.succeeded, count.failed) == (3, 1, 1)
