"""Time: it comes in with inputs, only waiting for people stops it, and the nearest deadline is always outstanding."""

from datetime import timedelta

import pytest

from handrail.core.effects import WakeAt
from handrail.core.table import Phase
from handrail.guards import Approval, TimeLimit
from handrail.vocab.calls import ToolEffect, Where
from handrail.vocab.outcomes import Status
from handrail.vocab.verdicts import Limit, Measure
from tests.core.kit import NOON, FakeGuard, FakeTool, Play, agent, read, write

ASK = FakeTool("ask", ToolEffect.READ, Where.PERSON)
CLIENT = FakeTool("page", ToolEffect.READ, Where.CLIENT, timeout=40)


def active(play: Play) -> float:
    assert play.state.clock is not None
    return play.state.clock.active


def wake(play: Play) -> WakeAt:
    (found,) = [effect for effect in play.effects if isinstance(effect, WakeAt)]
    return found


def test_time_goes_on_while_the_model_thinks_and_tools_run() -> None:
    play = Play(agent()).started().after(3).called("search").after(4).ran().after(5).returned()
    assert active(play) == 12


@pytest.mark.parametrize("tool", [ASK, write()])
def test_waiting_for_people_stops_the_clock(tool: FakeTool) -> None:
    play = Play(agent(tool, guards=[Approval("pay")] if tool.name == "pay" else [])).started().after(2).called(tool.name)
    assert play.phase is Phase.WAITING
    play.after(3600).facts_noted()
    assert active(play) == 2 and play.phase is Phase.WAITING
    if tool is ASK:
        play.after(3600).returned(1, "blue")
    else:
        play.after(3600).yes()
    assert active(play) == 2
    assert active(play.after(1).ticked()) == 3


def test_a_question_in_text_stops_the_clock_too() -> None:
    play = Play(agent(write("submit"), submit="submit")).started().answered("Which one?")
    assert play.phase is Phase.WAITING
    assert active(play.after(500).user_said("This one.")) == 0


def test_a_client_call_leaves_the_run_acting() -> None:
    play = Play(agent(CLIENT)).started().called("page")
    assert play.phase is Phase.ACTING
    assert active(play.after(10).returned(1)) == 10


def test_a_back_off_leaves_the_run_acting() -> None:
    play = Play(agent()).started().failed(retry_in=60)
    assert play.phase is Phase.ACTING and wake(play).at == NOON + timedelta(seconds=60)
    assert active(play.after(60).ticked()) == 60 and play.state.turn == 2


def test_a_run_is_waiting_only_when_all_that_is_outstanding_is_with_people() -> None:
    play = Play(agent(ASK, read())).started().called("ask", "search")
    assert play.phase is Phase.ACTING
    assert play.did(2).phase is Phase.WAITING


def test_what_waits_behind_a_call_with_a_person_waits_with_it() -> None:
    play = Play(agent(guards=[Approval("pay")])).started().called("pay", ("pay", {"n": 2}))
    assert play.phase is Phase.WAITING


def test_the_gap_before_a_take_over_is_not_active() -> None:
    play = Play(agent()).started().after(1000).taken_over()
    assert active(play) == 0 and active(play.after(1).ticked()) == 1


def test_a_clock_that_runs_backwards_counts_as_nothing() -> None:
    play = Play(agent()).started().after(10).ticked().after(-100).ticked()
    assert active(play) == 10
    assert active(play.after(101).ticked()) == 11


@pytest.mark.parametrize("phase", [Phase.THINKING, Phase.ACTING])
def test_the_nearest_limit_is_outstanding_in_every_phase_that_counts(phase: Phase) -> None:
    play = Play(agent(guards=[TimeLimit(100), TimeLimit(300)])).started().after(10).called("search")
    if phase is Phase.THINKING:
        play.did()
    assert play.phase is phase and wake(play).at == NOON + timedelta(seconds=100)


def test_while_people_are_waited_for_only_their_expiry_is_outstanding() -> None:
    play = Play(agent(guards=[TimeLimit(100), Approval("pay", expires=timedelta(hours=2))])).started().called("pay")
    assert play.phase is Phase.WAITING and wake(play).at == NOON + timedelta(hours=2)


def test_the_nearest_of_several_is_the_one() -> None:
    play = Play(agent(CLIENT, guards=[TimeLimit(100)])).started().called("page")
    assert wake(play).at == NOON + timedelta(seconds=40)


def test_nothing_is_to_be_woken_for_without_a_limit() -> None:
    assert not [effect for effect in Play(agent()).started().effects if isinstance(effect, WakeAt)]


def test_a_wake_comes_back_as_a_tick_and_ends_the_run_at_its_limit() -> None:
    play = Play(agent(guards=[TimeLimit(100)])).started()
    play.after(99.999).ticked()
    assert play.phase is Phase.THINKING
    play.now = wake(play).at
    assert play.ticked().outcome.status is Status.FAILED and play.outcome.limit == "TimeLimit(100)"


def test_a_wake_is_never_too_early_however_time_adds_up() -> None:
    third = Limit(name="third", measure=Measure.TIME, soft=1 / 3, hard=1 / 3)
    play = Play(agent(guards=[FakeGuard(limiting=lambda state: third)])).started()
    for _ in range(3):
        play.after(0.1).ticked()
    play.now = wake(play).at
    assert play.ticked().phase is Phase.DONE


def test_an_expiry_comes_back_as_a_tick() -> None:
    play = Play(agent(guards=[Approval("pay", expires=timedelta(seconds=50))])).started().called("pay")
    play.after(50).ticked()
    assert play.results == [{"error": "Nobody answered in time; this was not run."}]
