"""All behaviours of any model, walked through: the planner's ring holds, and a planted gap in it is found."""

from typing import Any

import pytest

from handrail import RunState
from handrail.apps.trips.agent import agent
from handrail.apps.trips.invariants import INVARIANTS
from handrail.check.explore import explore
from handrail.check.report import Fault
from handrail.core.events import CallCleared
from handrail.core.state import OpenCall
from handrail.vocab.calls import ProposedCall
from handrail.vocab.canonical import canonical
from handrail.vocab.facts import Fact, Ledger
from handrail.vocab.reviews import Answer, HoldAnswer
from tests.apps.trips.planning import PLAN


@pytest.mark.slow
def test_the_ring_holds_whatever_a_model_does() -> None:
    report = explore(agent())
    assert report.faults == ()
    assert (report.ok, report.complete, report.assumes, report.warnings) == (True, True, (), ())
    assert set(report.tools) == set(agent().tools)
    assert {each.__name__ for each in INVARIANTS} <= set(report.invariants)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("guard", "broken"),
    [("Approval(submit_plan)", "no_plan_without_a_yes"), ("Grounded(submit_plan, days.stay)", "no_plan_with_an_unverified_place")],
)
def test_a_gap_in_the_ring_is_found(guard: str, broken: str) -> None:
    planner = agent()
    left_out = {guard} if "Approval" in guard else {each.name for each in planner.guards if each.name.startswith("Grounded")}
    report = explore(planner.but(guards=[each for each in planner.guards if each.name not in left_out]))
    assert report.counterexample is not None
    assert report.counterexample.fault is Fault.BROKEN
    assert broken in report.counterexample.what


def handed_over(*, answers: tuple[HoldAnswer, ...] = (), places: tuple[str, ...] = ()) -> tuple[RunState, Any]:
    """A state with a submit call, and the event that clears it."""
    call = OpenCall(proposed=ProposedCall(id="t1c1", name="submit_plan"), answers=answers)
    facts = tuple(Fact("place", place) for place in places)
    cleared = CallCleared(call="t1c1", arguments=canonical(PLAN), effect="idempotent", where="server", timeout=20)
    return RunState(calls=(call,), ledger=Ledger(facts)), cleared


ALL = ("chengdu", "kangding", "danba", "siguniang-town")
A_YES = HoldAnswer(guard="Approval(submit_plan)", digest="d", answer=Answer.YES)


@pytest.mark.parametrize(
    ("answers", "places", "wrong"),
    [
        ((A_YES,), ALL, []),
        ((), ALL, ["a plan was handed over, and the travellers had not said yes to it"]),
        ((A_YES,), ALL[:3], ["a plan was handed over with places that nobody has found: siguniang-town"]),
    ],
)
def test_invariants_say_what_is_wrong(answers: tuple[HoldAnswer, ...], places: tuple[str, ...], wrong: list[str]) -> None:
    state, event = handed_over(answers=answers, places=places)
    assert [said for each in INVARIANTS if (said := each(state, event)) is not None] == wrong
