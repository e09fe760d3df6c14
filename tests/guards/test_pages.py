"""The guards' pages say what the guards say: their examples run, and what the model is told is what it is told."""

import asyncio
import inspect
from ast import PyCF_ALLOW_TOP_LEVEL_AWAIT
from collections.abc import Mapping
from typing import Any

import pytest

from handrail.core.events import CallRefused
from handrail.core.state import Reading
from handrail.guards import AnswerLimit, Approval, CallLimit, Grounded, MustSubmit, NoProgress, Order, Prerequisite, Review, guard
from handrail.vocab.facts import Fact
from handrail.vocab.reviews import Answer
from handrail.vocab.verdicts import Hold, Refuse
from tests.docs.markdown import DOCS, blocks
from tests.guards.given import Run, a_call, a_state, an_agent

FOLDER = DOCS / "reference" / "guards"
NAMES = (
    "answer_limit",
    "approval",
    "call_limit",
    "grounded",
    "guard",
    "must_submit",
    "no_progress",
    "order",
    "prerequisite",
    "review",
    "screen",
    "time_limit",
    "token_limit",
    "turn_limit",
)
PARTS = ["## The accident", "## How to declare it", "## See it work", "## What the model is told", "## What `check` sees"]
LEG = {"origin": "Chengdu", "destination": "Kangding"}


def _executed(name: str) -> Mapping[str, Any]:
    namespace: dict[str, Any] = {}
    code = [block.text for block in blocks(FOLDER / f"{name}.md") if block.language == "python"]
    assert code, "a page shows how to declare the guard"
    for text in code:
        done = eval(compile(text, name, "exec", flags=PyCF_ALLOW_TOP_LEVEL_AWAIT), namespace)
        if inspect.iscoroutine(done):
            asyncio.run(done)
    return namespace


def test_there_is_a_page_for_every_guard_and_the_index_lists_them() -> None:
    assert {path.stem for path in FOLDER.glob("*.md")} == {*NAMES, "index"}
    index = (FOLDER / "index.md").read_text()
    assert [name for name in NAMES if f"({name}.md)" not in index] == []


@pytest.mark.parametrize("name", NAMES)
def test_a_page_tells_the_accident_the_declaration_an_example_the_words_and_what_check_sees(name: str) -> None:
    lines = (FOLDER / f"{name}.md").read_text().splitlines()
    assert [line for line in lines if line.startswith("## ")] == PARTS


@pytest.mark.parametrize("name", NAMES)
def test_the_examples_of_a_page_run(name: str) -> None:
    _executed(name)


def _told(name: str) -> list[str]:
    return [block.text.strip() for block in blocks(FOLDER / f"{name}.md") if block.language == "text" and block.mark != "output"]


def _reason(verdict: object) -> str:
    assert isinstance(verdict, Refuse)
    return verdict.reason


def _grounded(*places: str) -> str:
    state = a_state(facts=[Fact("place", place) for place in places])
    return _reason(Grounded("submit_plan", "places", "place").judges(state, a_call("submit_plan", places=["Kanding"])))


def test_the_pages_quote_refusals_word_for_word() -> None:
    submit = a_call("submit_plan", legs=[LEG])
    searched = a_state(cleared={"search_notes": 4})
    assert _told("prerequisite") == [
        _reason(Prerequisite("submit_plan", of="estimate_drive").judges(a_state(), submit)),
        _reason(Prerequisite("submit_plan", of="estimate_drive", per="legs").judges(a_state(), submit)),
    ]
    assert _told("order") == [_reason(Order({"submit_plan": ["estimate_drive", "search_notes"]}).judges(a_state(), submit))]
    assert _told("call_limit") == [_reason(CallLimit("search_notes", 4).judges(searched, a_call("search_notes")))]
    assert _told("must_submit") == [_reason(MustSubmit("submit_plan").accepts(a_state(), "x" * 201))]
    assert _told("grounded") == [_grounded("Kangding", "Litang"), _grounded()]
    assert _told("answer_limit") == [_reason(AnswerLimit(60).accepts(a_state(), "word " * 212))]
    assert _told("guard") == [
        _reason(_executed("guard")["no_round_trips"].judges(a_state(), a_call("estimate_drive", origin="a", destination="a")))
    ]


def _refusals(run: Run) -> list[str]:
    return [event.reason for event in run.events if isinstance(event, CallRefused)]


def test_the_pages_quote_what_the_core_says_for_a_guard_word_for_word() -> None:
    approved = Run(an_agent(Approval("submit")))
    approved.reply(("submit", {}))
    approved.answer(Answer.NO, "wrong account")
    assert _told("approval") == _refusals(approved)
    reviewed = Run(an_agent(Review("submit", reviewer=an_agent(name="critic", tools=(), submit=None))))
    reviewed.reply(("submit", {}))
    reviewed.answer(Answer.FLAWED, flaws=("day 2 has nine hours of driving",))
    assert _told("review") == _refusals(reviewed)
    circling = Run(an_agent(NoProgress(), Prerequisite("submit", of="drive")))
    for _ in range(3):
        circling.reply(("submit", {}))
    assert [_refusals(circling)[-1].endswith(told) for told in _told("no_progress")] == [True]


def test_the_page_on_rules_names_all_that_a_rule_may_read() -> None:
    page = (FOLDER / "guard.md").read_text()
    readable = {name for name in vars(Reading) if not name.startswith("_")}
    assert {"ok", "ledger", "turns_left"} <= readable
    assert [name for name in sorted(readable) if f"`{name}`" not in page] == []


def test_the_document_on_the_approval_page_is_made_of_arguments_and_facts() -> None:
    guarded = Approval("submit", show=_executed("approval")["outline"])
    state = a_state(facts=[Fact("leg", LEG, about={"minutes": 300}), Fact("leg", "other", about={"minutes": 50})])
    verdict = guarded.judges(state, a_call("submit", days=2, places=["Kangding", "Litang"]))
    assert isinstance(verdict, Hold)
    assert verdict.show == "2 days, 350 minutes of driving: Kangding, Litang"


def test_the_rule_on_closed_roads_refuses_as_the_page_says() -> None:
    rule = _executed("guard")["no_closed_roads"]
    assert isinstance(rule, type(guard(lambda state, call: None)))
    closed = a_state(facts=[Fact("road", "G318", about={"closed": True}), Fact("road", "S303")])
    assert _reason(rule.judges(closed, a_call("submit_plan", roads=["G318", "S303"]))) == "Closed at that time: G318. Plan around them."
