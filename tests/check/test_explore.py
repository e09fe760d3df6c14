"""What a walk finds: each fault is planted, and a sound ring beside it is left in peace."""

from typing import Annotated

import pytest
from pydantic import Field

from handrail.check import Fault, Report, explore, invariant
from handrail.core.agent import Agent
from handrail.core.events import Event, RunFinished, ToolStarted
from handrail.core.ring import JudgedCall
from handrail.core.state import Reading, RunState
from handrail.core.table import Stage
from handrail.errors import AgentError
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
    TimeLimit,
    TokenLimit,
    TurnLimit,
    guard,
)
from handrail.tools import tool
from handrail.vocab.calls import By
from handrail.vocab.facts import Ledger
from handrail.vocab.verdicts import ALLOW, Hold, Lens, Verdict
from tests.check.kit import REVIEWER, ask, book, drive, eight_guards, look, notes, planner, search, submit


def _story(agent: Agent, fault: Fault) -> tuple[str, ...]:
    report = explore(agent)
    assert report.counterexample is not None and not report.ok
    assert report.counterexample.fault is fault
    return report.counterexample.story


def _fine(agent: Agent, **options: int) -> Report:
    report = explore(agent, **options)
    assert report.counterexample is None, report.counterexample.text()
    assert report.ok and report.complete
    return report


# Dead ends


def test_a_prerequisite_that_a_call_limit_can_starve_when_calls_fail_is_found() -> None:
    story = _story(planner(Prerequisite("submit", of="search"), CallLimit("search", 2)), Fault.DEAD_END)
    assert len(story) == 5
    assert story[1].startswith("The model calls search(") and story[2].startswith("search fails")
    assert story[4] == "search fails; turn 3 opens with drive, submit on offer."


def test_the_story_of_a_dead_end_says_what_is_in_the_way() -> None:
    found = explore(planner(Prerequisite("submit", of="search"), CallLimit("search", 1))).counterexample
    assert found is not None
    assert found.why[0] == "search is not offered: CallLimit(search)"
    assert found.why[1].startswith("submit is refused by Prerequisite(submit, of=search) (prerequisite)")
    assert found.text().splitlines()[0].startswith("dead end: ") and "  1. The user asks" in found.text()


def test_a_call_limit_that_counts_successes_starves_nothing() -> None:
    _fine(planner(Prerequisite("submit", of="search"), CallLimit("search", 2, count="succeeded")))


def test_a_limit_on_searches_that_find_nothing_starves_what_has_to_be_grounded() -> None:
    @tool(effect="write", name="submit")
    async def some(places: Annotated[list[str], Field(min_length=1)]) -> str:
        """Hand in at least one place."""
        return str(places)

    agent = planner(Grounded("submit", "places", "place"), CallLimit("search", 1, count="succeeded"), tools=[search, some])
    story = _story(agent, Fault.DEAD_END)
    assert story[2].startswith("search succeeds (with nothing that anybody looks for)")
    assert explore(agent).assumes == (
        "submit: it has no examples, and all arguments made up for it are refused; give it some with @tool(examples=[…])",
    )


def test_an_empty_list_is_a_way_out_where_nothing_was_found() -> None:
    ring = (
        Grounded("submit", "places", "place"),
        CallLimit("search", 5, count="succeeded"),
        Prerequisite("submit", of="search"),
        MustSubmit("submit"),
        Approval("submit"),
    )
    assert _fine(planner(*ring)).assumes == ()


def test_a_limit_per_message_is_no_dead_end_while_the_user_can_speak() -> None:
    _fine(planner(Prerequisite("submit", of="search"), CallLimit("search", 2, per="message")))


def test_limits_of_time_turns_and_tokens_are_no_dead_ends() -> None:
    _fine(planner(Prerequisite("submit", of="search"), TimeLimit(10), TokenLimit(100), NoProgress()))


def test_a_text_that_is_never_accepted_is_a_dead_end_without_a_submit_tool() -> None:
    class Deaf(BaseGuard):
        refuses_text = True
        looks = (Lens("ok", "drive", 1),)

        def accepts(self, state: Reading, text: str) -> Hold:
            return Hold(by=By.PERSON, show=text)

    story = _story(planner(Deaf(), submit=None, land=None, tools=[search]), Fault.DEAD_END)
    assert len(story) == 1


# Unreachable tools


def test_a_tool_that_no_run_can_come_to_call_is_found() -> None:
    agent = planner(Prerequisite("drive", of="search"), Prerequisite("search", of="drive"))
    report = explore(agent)
    assert report.tools == ("submit",)
    assert report.faults == (
        "unreachable tool: no run can come to call search",
        "unreachable tool: no run can come to call drive",
    )
    assert report.counterexample is not None and "search is refused by Prerequisite" in report.counterexample.story[-1]


def test_a_tool_that_is_never_offered_is_found() -> None:
    class Hidden(BaseGuard):
        def offers(self, state: Reading, tool: str) -> bool:
            return tool != "drive"

    found = explore(planner(Hidden())).counterexample
    assert found is not None and found.fault is Fault.UNREACHABLE
    assert found.why == ("It is never offered: Hidden takes it away.",)


def test_where_nothing_works_from_the_first_turn_on_the_tool_that_cannot_be_reached_is_told_first() -> None:
    @guard(tool="submit", looks=())
    def never(state: Reading, call: JudgedCall) -> str | None:
        return "Never."

    report = explore(planner(never))
    assert report.counterexample is not None and report.counterexample.fault is Fault.UNREACHABLE
    assert [fault.partition(":")[0] for fault in report.faults] == ["unreachable tool", "dead end"]


# Invariants


def _searched(state: RunState, event: Event) -> str | None:
    ends_well = isinstance(event, RunFinished) and event.outcome.status == "completed" and not event.outcome.partial
    return "a plan was handed in without a search" if ends_well and not state.ok("search") else None


def test_a_broken_invariant_is_found_by_a_shortest_way() -> None:
    story = _story(planner(invariants=[_searched]), Fault.BROKEN)
    assert len(story) == 3
    assert story[-1] == "submit succeeds; the run ends completed."


def test_an_invariant_that_the_ring_upholds_is_proven_and_named() -> None:
    assert _fine(planner(Prerequisite("submit", of="search"), invariants=[_searched])).invariants == ("_searched",)


def test_an_invariant_that_raises_is_broken() -> None:
    def wrong(state: RunState, event: Event) -> str | None:
        return str(1 / 0)

    found = explore(planner(invariants=[wrong])).counterexample
    assert found is not None and "ZeroDivisionError" in found.what


def test_an_invariant_that_reads_what_states_are_not_told_apart_by_is_only_assumed() -> None:
    def short(state: RunState, event: Event) -> str | None:
        return "too long" if len(state.transcript) > 1_000 else None

    assert _fine(planner(invariants=[short])).assumes == ("invariant short: it reads 'transcript', which states are not told apart by",)


def test_an_invariant_counts_as_far_as_it_says() -> None:
    @invariant(Lens("ok", "search", 5))
    def few(state: RunState, event: Event) -> str | None:
        return "five searches" if state.ok("search") >= 5 else None

    story = _story(planner(invariants=[few]), Fault.BROKEN)
    assert sum(line.startswith("search succeeds") for line in story) == 5


def test_invariants_about_approvals_are_there_by_themselves() -> None:
    assert _fine(planner(Approval("submit"))).invariants == (
        "no held call runs without its yes",
        "no submit without an approval of that very call",
    )
    assert _fine(planner(Approval("book"), tools=[search, book, submit])).invariants == ("no held call runs without its yes",)
    assert _fine(planner()).invariants == ()


def test_a_guard_that_changes_its_mind_lets_a_held_call_run_and_is_found() -> None:
    class Fickle(BaseGuard):
        holds = (("submit", By.PERSON),)
        asked = 0

        def judges(self, state: Reading, call: JudgedCall) -> Verdict:
            self.asked += 1
            return ALLOW if self.asked % 2 else Hold(by=By.PERSON, show="it")

    found = explore(planner(Fickle(), tools=[submit])).counterexample
    assert found is not None and found.fault is Fault.BROKEN
    assert "no submit without an approval of that very call" in found.what


# Unbounded runs


def test_a_run_that_nothing_ends_is_found() -> None:
    story = _story(planner(guards=[]), Fault.UNBOUNDED)
    assert story[-1] == "And so on for ever: step 2 can come again and again."


def test_no_progress_alone_does_not_end_a_run_that_finds_something_new_each_time() -> None:
    report = explore(planner(guards=[NoProgress()]))
    assert report.counterexample is not None and report.counterexample.fault is Fault.UNBOUNDED
    assert report.counterexample.why == ("NoProgress(1, 3, 4) does not end it: something new is gained each time round.",)


def test_no_progress_ends_a_run_whose_tools_are_all_limited() -> None:
    report = _fine(planner(guards=[NoProgress(), CallLimit("search", 2), CallLimit("drive", 3)]))
    assert report.longest == "7 fruitless turns in a row (NoProgress(1, 3, 4))"


def test_questions_to_a_person_are_no_unbounded_run() -> None:
    _fine(planner(guards=[NoProgress(), MustSubmit("submit")], tools=[ask, submit]))


@pytest.mark.parametrize("limit", [TimeLimit(60), TurnLimit(5), TokenLimit(1_000)])
def test_time_turns_or_tokens_end_a_run(limit: BaseGuard) -> None:
    assert limit.name in _fine(planner(guards=[limit])).longest


# What is assumed, and what is refused


def test_a_guard_without_lenses_may_allow_or_refuse_and_is_printed_as_assumed() -> None:
    @guard
    def known(state: Reading, call: JudgedCall) -> str | None:
        raise AssertionError("a guard without lenses is not asked")

    assert _fine(planner(known)).assumes == ("known: it does not say what it looks at",)


def test_invariants_hold_whatever_a_guard_without_lenses_says() -> None:
    @guard(tool="search")
    def sometimes(state: Reading, call: JudgedCall) -> str | None:
        return None

    def never_refused(state: RunState, event: Event) -> str | None:
        return "refused" if getattr(event, "code", "") == "assumed" else None

    story = _story(planner(sometimes, invariants=[never_refused]), Fault.BROKEN)
    assert "search is refused by sometimes" in story[-1]


def test_a_guard_that_reads_what_it_does_not_declare_is_an_error() -> None:
    @guard(tool="submit", looks=())
    def sly(state: Reading, call: JudgedCall) -> str | None:
        return None if state.ok("search") else "Search first."

    with pytest.raises(AgentError, match=r"guard 'sly' reads ok\('search'\), which is not in its 'looks'"):
        explore(planner(sly))


def test_a_count_without_a_cap_is_an_error() -> None:
    @guard(tool="submit", looks=(Lens("used", "search"),))
    def endless(state: Reading, call: JudgedCall) -> str | None:
        return None if state.used("search") else "Search first."

    with pytest.raises(AgentError, match="without a cap"):
        explore(planner(endless))


def test_a_guard_that_raises_on_made_up_values_is_only_assumed() -> None:
    @guard(tool="submit", looks=(Lens("facts", "place"),))
    def heights(state: Reading, call: JudgedCall) -> str | None:
        return None if all(fact.about["height"] < 4_000 for fact in state.facts("place")) else "Too high."

    assert _fine(planner(heights)).assumes == ("heights: it raised on made-up values: KeyError: 'height'",)


def test_a_guard_that_raises_on_the_examples_of_a_tool_refuses_as_it_would_in_a_run() -> None:
    @tool(effect="write", name="submit", examples=[{"text": "a plan"}])
    async def simple(text: str) -> str:
        """Hand in."""
        return text

    @guard(tool="submit", looks=())
    def broken(state: Reading, call: JudgedCall) -> str | None:
        return str(call.arguments["places"])

    report = explore(planner(broken, tools=[simple]))
    assert report.assumes == () and report.counterexample is not None
    assert "guard_raised" in report.counterexample.story[-1]


def test_a_tool_for_which_no_arguments_can_be_made_asks_for_examples() -> None:
    @tool(effect="read")
    async def coded(code: Annotated[str, Field(pattern="^[A-Z]{3}-[0-9]{4}$")]) -> str:
        """Look a code up."""
        return code

    with pytest.raises(AgentError, match=r"no arguments for the tool 'coded'.*examples"):
        explore(planner(tools=[coded, submit]))


def test_a_submit_tool_without_a_landing_is_a_warning_and_so_is_a_landing_that_raises() -> None:
    def land(ledger: Ledger) -> str:
        return str(ledger.facts[0].value)

    assert "no 'land'" in _fine(planner(land=None)).warnings[0]
    assert "'land' raises on an empty ledger (IndexError" in _fine(planner(land=land)).warnings[0]


def test_a_walk_that_is_given_up_proves_nothing() -> None:
    report = explore(eight_guards(), most_states=50)
    assert not report.ok and not report.complete and report.counterexample is None


# Whole agents


def test_eight_guards_and_five_tools_hold() -> None:
    report = _fine(eight_guards())
    assert report.tools == ("search", "notes", "drive", "book", "submit")
    assert report.states > 100


def test_people_and_browsers_are_part_of_the_world() -> None:
    report = _fine(planner(Order({"submit": ["ask", "look"]}), tools=[ask, look, submit]))
    assert report.tools == ("ask", "look", "submit")


def test_a_reviewer_alone_lands_a_draft_that_never_passes() -> None:
    _fine(planner(Review("submit", reviewer=REVIEWER, most=1)))


@pytest.mark.parametrize("turns", [1, 2, 5])
def test_an_agent_that_answers_in_text_is_walked_to_its_last_turn(turns: int) -> None:
    _fine(planner(guards=[AnswerLimit(20), TurnLimit(turns)], submit=None, land=None, tools=[search, notes]))


def test_pairs_of_calls_find_what_single_calls_cannot() -> None:
    def alone(state: RunState, event: Event) -> str | None:
        running = any(call.stage is Stage.RUNNING for call in state.calls)
        return "two calls run at once" if running and isinstance(event, ToolStarted) else None

    agent = planner(invariants=[alone], tools=[search, drive, submit])
    _fine(agent)
    found = explore(agent, batch=2).counterexample
    assert found is not None and "search(" in found.story[1] and " and " in found.story[1]


def test_a_walk_comes_to_the_same_report_each_time() -> None:
    agent = planner(Prerequisite("submit", of="search"), CallLimit("search", 2), MustSubmit("submit"))
    assert explore(agent) == explore(agent)
