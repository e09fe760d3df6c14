"""States with one key are one state: whatever can come after the one can come after the other.

Each state that a walk would fold into an earlier one is gone on from as well, for one more step, and the keys that this leads to are
compared whole. And what a walk leaves out for speed leads to the same report.
"""

from collections.abc import Iterator

import pytest

from handrail.check.candidates import candidates
from handrail.check.explore import explore, walked
from handrail.check.faults import dead_end
from handrail.check.keys import Key
from handrail.check.notebook import Notebook, WalkState
from handrail.check.walk import Stepper, Walk
from handrail.core.agent import Agent
from handrail.core.ring import JudgedCall
from handrail.core.state import Reading
from handrail.guards import (
    AnswerLimit,
    Approval,
    CallLimit,
    Grounded,
    MustSubmit,
    NoProgress,
    Order,
    Prerequisite,
    Review,
    TimeLimit,
    TokenLimit,
    TurnLimit,
    guard,
)
from handrail.vocab.facts import Ledger
from handrail.vocab.verdicts import Lens
from tests.check.kit import REVIEWER, ask, book, drive, eight_guards, look, notes, planner, search, submit

FOLDED = 3
"""States a key that are gone on from beside the first."""


@guard(tool="drive", looks=(Lens("fruitless", "", 2), Lens("last_tools")))
def not_in_circles(state: Reading, call: JudgedCall) -> str | None:
    return "You go round in circles." if state.fruitless >= 2 and "drive" in state.last_tools else None


@guard(tool="submit", looks=(Lens("ledger"),))
def has_places(state: Reading, call: JudgedCall) -> str | None:
    return None if state.ledger.values("place") else "Search first."


@guard(tool="search")
def unknown(state: Reading, call: JudgedCall) -> str | None:
    return None


def _document(arguments: object, ledger: Ledger) -> dict[str, object]:
    return {"places": list(ledger.values("place")), "legs": list(ledger.values("leg"))}


AGENTS = {
    "order": planner(Order({"submit": ["search", "drive"]}), CallLimit("search", 2), MustSubmit("submit")),
    "each leg": planner(Prerequisite("submit", of="drive", per="legs"), Grounded("submit", "places", "place")),
    "a message": planner(CallLimit("search", 2, per="message"), CallLimit("drive", 1), TokenLimit(9)),
    "approval": planner(Approval("submit", show=_document), Approval("book"), TimeLimit(9), tools=[search, drive, book, submit]),
    "review": planner(Review("submit", reviewer=REVIEWER), Approval("submit"), tools=[search, submit]),
    "review alone": planner(Review("submit", reviewer=REVIEWER, most=1), tools=[search, submit]),
    "ledger": planner(has_places, unknown, tools=[search, submit]),
    "circles": planner(not_in_circles, NoProgress(), tools=[drive, submit]),
    "people": planner(CallLimit("ask", 2), CallLimit("look", 1), tools=[ask, look, submit]),
    "two aside": planner(Prerequisite("notes", of="search"), CallLimit("notes", 2), tools=[search, notes, submit]),
    "text": planner(AnswerLimit(20), guards=[AnswerLimit(20), TurnLimit(2)], submit=None, land=None, tools=[search]),
}


def _folded(agent: Agent, *, batch: int = 1) -> Iterator[tuple[Stepper, WalkState, WalkState]]:
    """The pairs of a walk: a state, and one that would be folded into it."""
    finished = walked(agent, batch=batch, exact=True)
    stepper, times = finished.stepper, dict[Key, int]()
    first = {stepper.keys.key(state): state for state in finished.states}
    for state in finished.states[1:]:
        for edge in stepper.edges(state):
            if edge.after is not first[edge.key] and times.get(edge.key, 0) < FOLDED:
                times[edge.key] = times.get(edge.key, 0) + 1
                yield stepper, first[edge.key], edge.after


def _after(stepper: Stepper, state: WalkState) -> set[Key]:
    return {edge.key for edge in stepper.edges(state)}


@pytest.mark.parametrize("name", AGENTS)
def test_states_that_are_folded_have_the_same_successors(name: str) -> None:
    pairs = 0
    for stepper, first, folded in _folded(AGENTS[name]):
        assert _after(stepper, first) == _after(stepper, folded)
        pairs += 1
    assert pairs > 10


def test_states_with_pairs_of_calls_that_are_folded_have_the_same_successors() -> None:
    for stepper, first, folded in _folded(AGENTS["order"], batch=2):
        assert _after(stepper, first) == _after(stepper, folded)


def test_a_key_that_forgets_something_is_found() -> None:
    """The test above can fail: without the count of searches, states are folded that are not the same."""
    agent = planner(Prerequisite("submit", of="search"), CallLimit("search", 1), tools=[search, submit])
    notebook = walked(agent, exact=True).stepper.notebook
    forgetful = Notebook()
    forgetful.sights = {sight: cap for sight, cap in notebook.sights.items() if sight.what != "ok"}
    forgetful.about = {**notebook.about}
    stepper = Stepper(agent, candidates(agent), forgetful, batch=1, exact=True)
    stepper.notebook.sights |= notebook.sights
    walk = Walk(stepper, most_states=1_000)
    walk.go()
    first = {stepper.keys.key(state): state for state in walk.states}
    unlike = [
        edge
        for state in walk.states[1:]
        for edge in stepper.edges(state)
        if edge.after is not first[edge.key] and _after(stepper, first[edge.key]) != _after(stepper, edge.after)
    ]
    assert unlike


@pytest.mark.parametrize("name", [*AGENTS, "starved"])
def test_what_is_left_out_for_speed_makes_no_other_report(name: str) -> None:
    agent = {**AGENTS, "starved": planner(Prerequisite("submit", of="search"), CallLimit("search", 2), CallLimit("drive", 2))}[name]
    quick, exact = walked(agent), walked(agent, exact=True)
    assert len(quick.states) <= len(exact.states)
    assert quick.cleared == exact.cleared
    assert quick.broken is exact.broken is None
    assert (dead_end(quick) is None) is (dead_end(exact) is None) is (name not in {"starved", "order"})


@pytest.mark.slow
def test_how_often_a_tool_was_called_that_nothing_depends_on_is_left_out() -> None:
    agent = eight_guards()
    assert len(walked(agent, exact=True).states) > 3 * len(walked(agent).states)
    assert "notes" in explore(agent).tools
    assert len(walked(planner(CallLimit("notes", 9), tools=[notes, submit])).states) < 20
