"""Parking: a run that waits for people needs nothing in memory; the journal alone brings it back."""

from handrail.core.events import RunParked
from handrail.core.evolve import fold
from handrail.core.outstanding import open_holds, outstanding
from handrail.core.react import settled
from handrail.core.table import Phase, Stage
from handrail.guards import Approval
from handrail.vocab.calls import ToolEffect, Where
from handrail.vocab.outcomes import HoldKind
from tests.core.kit import FakeTool, Play, agent, read, write

ASK = FakeTool("ask", ToolEffect.READ, Where.PERSON)


def test_a_run_parks_in_the_journal_before_a_driver_may_let_go_of_it() -> None:
    play = Play(agent(guards=[Approval("pay")])).started().called("pay")
    assert play.last[-1] == RunParked() and play.phase is Phase.WAITING


def test_what_people_are_asked_is_in_the_state() -> None:
    play = Play(agent(ASK, write(), guards=[Approval("pay")])).started().called("pay", "ask")
    assert [(hold.id, hold.kind) for hold in open_holds(play.state)] == [("t1c1h1", HoldKind.APPROVAL), ("t1c2", HoldKind.QUESTION)]


def test_the_journal_alone_brings_a_parked_run_back() -> None:
    play = Play(agent(guards=[Approval("pay")])).started().called("pay")
    back = Play(play.agent, at=play.now)
    back.journal, back.state = play.journal, fold(play.journal)
    assert back.effects == play.effects and back.taken_over().yes().stages == [Stage.CLEARED]


def test_a_parked_run_that_is_looked_at_parks_again() -> None:
    play = Play(agent(guards=[Approval("pay")])).started().called("pay")
    for look in (play.ticked, play.facts_noted, play.taken_over):
        assert look().last[1:] == (RunParked(),)


def test_one_of_two_answers_leaves_a_run_parked_for_the_other() -> None:
    play = Play(agent(ASK, guards=[])).started().called("ask", "ask").returned(2, "second")
    assert play.phase is Phase.WAITING and [hold.id for hold in open_holds(play.state)] == ["t1c1"]


def test_a_journal_that_was_cut_anywhere_can_be_gone_on_with() -> None:
    play = Play(agent(guards=[Approval("pay")])).started().called("search", "pay").did(1).yes(2).did(2).answered("Done.")
    whole = play.journal
    for cut in range(1, len(whole) + 1):
        events, state = settled(play.agent, fold(whole[:cut]))
        assert whole[cut : cut + len(events)] == events
        assert state == fold(whole[: cut + len(events)])


def test_a_person_who_declines_a_question_fails_it() -> None:
    play = Play(agent(ASK)).started().called("ask").tool_failed(1, "I will not say")
    assert play.results == [{"error": "I will not say"}]


def test_a_finished_run_has_nothing_outstanding() -> None:
    play = Play(agent(read())).started().answered("Done.")
    assert outstanding(play.state) == () and open_holds(play.state) == ()
