"""Each guard declares exactly what it reads, and counts beyond a cap are the same to it.

Every guard is asked twice about the same run: once with all of the state, once with a reading that shows only what it declared.
"""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import handrail.guards
from handrail.core.ring import Guard, JudgedCall
from handrail.core.state import Count, Done, Offer, OpenCall, Reading, RunState
from handrail.core.table import Stage
from handrail.guards import (
    AnswerLimit,
    Approval,
    BaseGuard,
    CallLimit,
    Grounded,
    MustSubmit,
    NoProgress,
    Order,
    Prerequisite,
    Review,
    Screen,
    TimeLimit,
    TokenLimit,
    TurnLimit,
    guard,
)
from handrail.vocab.calls import ProposedCall, call_id
from handrail.vocab.canonical import canonical
from handrail.vocab.facts import Fact, Ledger
from handrail.vocab.verdicts import Lens
from tests.guards.given import Masked, a_call, a_state, an_agent

TOOLS = ("search", "drive", "submit")
PLACES = ("Kangding", "Litang", "Tagong")


@guard(looks=[Lens("used", "search", 2), Lens("facts", "place")])
def enough_searches(state: Reading, call: JudgedCall) -> str | None:
    """Not before two searches or one place."""
    return None if state.used("search") >= 2 or state.facts("place") else "Search again."


GUARDS: tuple[Guard, ...] = (
    AnswerLimit(3),
    Approval("submit"),
    Approval("submit", show=lambda arguments, ledger: {"places": ledger.values("place")}),
    CallLimit("search", 2),
    CallLimit("search", 2, per="message"),
    CallLimit("search", 2, count="succeeded"),
    CallLimit("search", 2, per="message", count="succeeded"),
    Grounded("submit", "legs.origin", "place"),
    MustSubmit("submit", longest_text=10),
    NoProgress(1, 2, 3),
    Order({"submit": ["drive", "search"], "drive": ["search"]}),
    Prerequisite("submit", of=["drive", "search"]),
    Prerequisite("submit", of="drive", per="legs"),
    Review("submit", reviewer=an_agent(name="critic", tools=(), submit=None)),
    Screen(an_agent(name="warden", tools=(), submit=None)),
    TimeLimit(60),
    TokenLimit(1_000),
    TurnLimit(10),
    enough_searches,
)
READ_BY_THE_CORE = {("rounds", "submit")}
"""What a guard declares for the core, which reads it on the guard's behalf."""


def _said(asked: Guard, state: Reading, calls: list[JudgedCall]) -> list[Any]:
    return [
        *(asked.offers(state, tool) for tool in TOOLS),
        *(asked.judges(state, call) for call in calls),
        *(asked.accepts(state, text) for text in ("", "Which month?", "One two. Three four five six seven eight.")),
        asked.limits(state),
    ]


legs = st.fixed_dictionaries({"origin": st.sampled_from(PLACES), "destination": st.sampled_from(PLACES)})
numbers = st.integers(0, 5)
counts = st.builds(Count, cleared=numbers, succeeded=numbers, cleared_since=numbers, succeeded_since=numbers)
open_calls = st.lists(st.tuples(st.sampled_from(TOOLS), st.sampled_from(Stage), st.lists(legs, max_size=2)), min_size=1, max_size=5)


@st.composite
def states(draw: st.DrawFn) -> RunState:
    """States as wild as the types allow: what a guard reads has to be enough in all of them."""
    done = draw(st.lists(st.tuples(st.sampled_from(TOOLS), legs), max_size=4))
    proposed = draw(open_calls)
    return RunState(
        turn=3,
        counts=draw(st.dictionaries(st.sampled_from(TOOLS), counts)),
        done=tuple(Done(tool=tool, call=f"t1c{index}", arguments=canonical(leg)) for index, (tool, leg) in enumerate(done, 1)),
        ledger=Ledger(
            tuple(Fact(kind, place) for kind, place in draw(st.sets(st.tuples(st.sampled_from(["place", "x"]), st.sampled_from(PLACES)))))
        ),
        calls=tuple(
            OpenCall(proposed=ProposedCall(id=call_id(3, index), name=tool, arguments=canonical({"legs": origins})), stage=stage)
            for index, (tool, stage, origins) in enumerate(proposed, 1)
        ),
        fruitless=draw(numbers),
        last_tools=tuple(draw(st.lists(st.sampled_from(TOOLS), unique=True))),
        offer=Offer(turns_left=draw(st.none() | numbers)),
        text_refusals=tuple(draw(st.lists(st.sampled_from(["AnswerLimit(3)", "MustSubmit(submit)"]), max_size=3))),
        reviews={"submit": draw(numbers)},
    )


@given(state=states(), places=st.lists(legs, max_size=3))
def test_a_guard_says_the_same_when_it_sees_only_what_it_declares(state: RunState, places: list[dict[str, str]]) -> None:
    calls = [a_call(tool, id=call.id, legs=places) for call in state.calls for tool in TOOLS]
    for asked in GUARDS:
        assert asked.looks is not None
        assert _said(asked, Masked(state, asked.looks), calls) == _said(asked, state, calls), asked.name


@pytest.mark.parametrize("asked", GUARDS, ids=repr)
def test_a_guard_reads_all_that_it_declares(asked: Guard) -> None:
    assert asked.looks is not None
    read: set[tuple[str, str]] = set()
    for fruitless in (0, 2):
        masked = Masked(a_state(fruitless=fruitless), asked.looks)
        _said(asked, masked, [a_call(tool, legs=[{"origin": "Litang", "destination": "Tagong"}]) for tool in TOOLS])
        read |= masked.read
    declared = {(lens.what, lens.name) for lens in asked.looks}
    assert declared - read <= READ_BY_THE_CORE
    assert len(declared) == len(asked.looks), "a lens is declared twice"


def test_every_guard_of_the_door_is_asked() -> None:
    offered = {
        thing
        for name in handrail.guards.__all__
        if isinstance(thing := getattr(handrail.guards, name), type) and issubclass(thing, BaseGuard)
    }
    assert offered - {type(asked) for asked in GUARDS} == {BaseGuard}


@pytest.mark.parametrize("asked", GUARDS, ids=repr)
def test_two_guards_declared_alike_are_one_to_a_fingerprint_and_settings_are_json(asked: Guard) -> None:
    assert canonical(asked.settings)
    assert an_agent(asked).fingerprint == an_agent(asked).fingerprint


def test_reading_something_undeclared_is_found() -> None:
    with pytest.raises(AssertionError, match=r"reads ok\(drive\)"):
        Masked(a_state(), [Lens("ok", "search", 1)]).ok("drive")
