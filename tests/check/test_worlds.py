"""What a walk tries: every kind of event that it is said to try happens in it."""

import pytest

from handrail.check import Fault, explore, invariant
from handrail.check.explore import walked
from handrail.core.agent import Agent
from handrail.core.events import (
    INPUTS,
    JUDGEMENTS,
    CallReopened,
    CallRequeued,
    Cancelled,
    Event,
    FactsNoted,
    HistoryCut,
    HistoryMeasured,
    HoldAnswered,
    LandRequested,
    RunFinished,
    Summarised,
    SummaryFailed,
    SummaryOrdered,
    TakenOver,
    TextAmended,
    TextRefused,
    ToolReturned,
)
from handrail.core.ring import JudgedCall
from handrail.core.state import Reading, RunState
from handrail.core.table import Phase
from handrail.guards import (
    AnswerLimit,
    Approval,
    BaseGuard,
    MustSubmit,
    NoProgress,
    Prerequisite,
    Review,
    Screen,
    TimeLimit,
    TurnLimit,
    guard,
)
from handrail.vocab.calls import By
from handrail.vocab.facts import Ledger
from handrail.vocab.reviews import Answer
from handrail.vocab.verdicts import ALLOW, Lens, Limit, Measure, Refuse, TextVerdict, Verdict
from tests.check.kit import REVIEWER, ask, book, look, planner, search, submit

OF_THE_HISTORY = {HistoryMeasured, SummaryOrdered, Summarised, SummaryFailed, HistoryCut}
NOT_WALKED = {CallReopened, CallRequeued, Cancelled, FactsNoted, LandRequested, TakenOver, *OF_THE_HISTORY}


def _events(*agents: Agent, batch: int = 1) -> list[tuple[RunState, Event]]:
    """Everything that happens in the walks of these agents, each with the state before it."""
    found: list[tuple[RunState, Event]] = []
    for agent in agents:
        walk = walked(agent, batch=batch)
        for place, state in enumerate(walk.states):
            for edge in walk.stepper.edges(state) if place else walk.stepper.begins():
                found.extend((state, event) for event in edge.events)
    return found


def test_every_input_and_judgement_happens_but_those_that_are_said_not_to() -> None:
    everything = planner(
        Screen(REVIEWER),
        MustSubmit("submit"),
        Review("submit", reviewer=REVIEWER, most=1),
        Approval("submit", show=lambda arguments, ledger: f"A plan with {len(ledger)} facts."),
        TimeLimit(9),
        tools=[search, book, ask, look, submit],
    )
    pairs = planner(Prerequisite("drive", of="search"))
    text = planner(guards=[AnswerLimit(10), NoProgress(), TurnLimit(5)], submit=None, land=None, tools=[search])
    seen = {type(event) for _, event in (*_events(everything, text), *_events(pairs, batch=2))}
    assert {*INPUTS, *JUDGEMENTS} - seen == NOT_WALKED


def test_reviewers_and_people_give_every_answer() -> None:
    events = _events(planner(Review("submit", reviewer=REVIEWER), Approval("submit")))
    assert {event.answer for _, event in events if isinstance(event, HoldAnswered)} == set(Answer)


def test_a_call_returns_with_and_without_each_kind_of_fact_that_is_looked_for() -> None:
    @guard(tool="submit", looks=[Lens("facts", "place")])
    def placed(state: Reading, call: JudgedCall) -> str | None:
        return None if state.facts("place") else "Search first."

    def kinds(agent: Agent) -> set[tuple[str, ...]]:
        return {tuple(fact.kind for fact in event.facts) for _, event in _events(agent) if isinstance(event, ToolReturned)}

    assert kinds(planner(placed)) == {(), ("place",)}
    assert kinds(planner()) == {()}


def test_a_long_text_is_longer_than_any_guard_lets_through() -> None:
    for agent, last in ((planner(MustSubmit("submit", longest_text=900)), 0), (planner(AnswerLimit(300), submit=None, land=None), 1)):
        refused = {event.guard for _, event in _events(agent) if isinstance(event, TextRefused)}
        cut = {event.guard for _, event in _events(agent) if isinstance(event, TextAmended)}
        assert refused == {agent.guards[0].name} and len(cut) == last


def test_the_last_turn_of_a_text_agent_is_reached_whatever_the_limit_is() -> None:
    for turns in (1, 2, 50):
        agent = planner(guards=[AnswerLimit(10), TurnLimit(turns)], submit=None, land=None, tools=[search])
        limits = {event.outcome.limit for _, event in _events(agent) if isinstance(event, RunFinished)}
        assert f"TurnLimit({turns})" in limits


def test_no_progress_ends_an_agent_that_answers_in_text() -> None:
    agent = planner(guards=[NoProgress(), TurnLimit(50)], submit=None, land=None, tools=[search])
    assert "NoProgress(1, 3, 4)" in {event.outcome.limit for _, event in _events(agent) if isinstance(event, RunFinished)}


def test_a_user_who_speaks_meanwhile_keeps_what_needs_the_last_word_from_running() -> None:
    codes = {getattr(event, "code", "") for _, event in _events(planner(tools=[book, submit]))}
    assert "superseded" in codes


def test_nothing_comes_after_the_end() -> None:
    walk = walked(planner())
    ends = [state for state in walk.states if state.phase is Phase.DONE]
    assert ends and all(list(walk.stepper.edges(state)) == [] for state in ends)


def test_a_limit_that_is_not_always_there_bounds_nothing() -> None:
    class Sometimes(BaseGuard):
        looks = (Lens("ok", "search", 1),)

        def limits(self, state: Reading) -> Limit | None:
            return Limit(name="sometimes", measure=Measure.TURNS, soft=5, hard=9) if state.ok("search") else None

    found = explore(planner(guards=[Sometimes()])).counterexample
    assert found is not None and found.fault is Fault.UNBOUNDED


# Texts


class _Strict(BaseGuard):
    """Accepts texts once something has been found."""

    refuses_text = True
    looks: tuple[Lens, ...] | None = (Lens("facts", "place"),)

    def accepts(self, state: Reading, text: str) -> TextVerdict:
        too_high = [fact for fact in state.facts("place") if fact.about["height"] > 4_000]
        return Refuse("too_high", "Too high.") if too_high else ALLOW


class _Unknown(_Strict):
    looks = None


@pytest.mark.parametrize(
    ("strict", "why"), [(_Strict(), "it raised on made-up values: KeyError: 'height'"), (_Unknown(), "it does not say what it looks at")]
)
def test_what_a_guard_says_to_a_text_may_be_assumed_too(strict: BaseGuard, why: str) -> None:
    agent = planner(strict, submit=None, land=None, tools=[search])
    report = explore(agent)
    assert report.ok and report.assumes == (f"{strict.name}: {why}",)
    assert "assumed" in {getattr(event, "code", "") for _, event in _events(agent)}


def test_a_guard_that_raises_at_a_text_refuses_as_it_would_in_a_run() -> None:
    class Broken(BaseGuard):
        refuses_text = True

        def accepts(self, state: Reading, text: str) -> TextVerdict:
            raise ValueError(text)

    found = explore(planner(Broken(), submit=None, land=None, tools=[search])).counterexample
    assert found is not None and found.fault is Fault.DEAD_END and "guard_raised" in found.why[0]


# Invariants and what they read


def test_an_invariant_may_read_all_that_a_guard_may() -> None:
    def curious(state: RunState, event: Event) -> str | None:
        read = (state.facts("place"), state.computed("search"), state.turns_left, state.rounds("submit"), state.used("search"))
        ledger: Ledger = state.ledger
        return f"{read}" if ledger.has("place", "nowhere") or state.refused_texts("MustSubmit(submit)") > 99 else None

    report = explore(planner(MustSubmit("submit"), invariants=[curious], tools=[search, submit]))
    assert report.ok and report.assumes == ()


def test_an_invariant_may_read_how_long_nothing_new_has_come() -> None:
    @invariant(Lens("fruitless", "", 2))
    def patient(state: RunState, event: Event) -> str | None:
        return "round in circles" if state.fruitless >= 2 and "search" in state.last_tools else None

    found = explore(planner(invariants=[patient], tools=[search, submit])).counterexample
    assert found is not None and found.fault is Fault.BROKEN
    assert any(line.startswith("The model calls search") for line in found.story)


def test_states_are_told_apart_by_what_an_invariant_reads() -> None:
    def found_nothing_yet(state: RunState, event: Event) -> str | None:
        return "found" if state.ledger.values("place") else None

    agent = planner(tools=[search, submit], invariants=[found_nothing_yet])
    found = explore(agent).counterexample
    assert found is not None and found.fault is Fault.BROKEN and "with facts of place" in found.story[2]


def test_a_hold_by_a_guard_that_does_not_say_what_it_reads_is_walked() -> None:
    class Careful(BaseGuard):
        looks = None
        holds = (("book", By.PERSON),)

        def judges(self, state: Reading, call: JudgedCall) -> Verdict:
            raise AssertionError("it is not asked")

    report = explore(planner(Careful(), tools=[book, submit]))
    assert report.ok and report.invariants == ("no held call runs without its yes",)
    answers = {event.answer for _, event in _events(planner(Careful(), tools=[book, submit])) if isinstance(event, HoldAnswered)}
    assert answers == {Answer.YES, Answer.NO}
