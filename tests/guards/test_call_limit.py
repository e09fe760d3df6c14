"""CallLimit: after so many calls the tool is out of sight, and refused anyway."""

from typing import Any

import pytest

from handrail.core.state import Count, RunState
from handrail.core.table import Stage
from handrail.errors import AgentError
from handrail.guards import CallLimit
from handrail.vocab.verdicts import ALLOW, After, Lens, Refuse
from tests.guards.given import a_call, a_state

TWICE = CallLimit("search", 2)
TWO_HITS = CallLimit("search", 2, count="succeeded")


@pytest.mark.parametrize(("cleared", "left"), [(0, True), (1, True), (2, False), (3, False)])
def test_a_tool_is_offered_and_allowed_until_it_has_been_called_often_enough(cleared: int, left: bool) -> None:
    state = a_state(cleared={"search": cleared})
    assert TWICE.offers(state, "search") is left
    assert (TWICE.judges(state, a_call("search")) == ALLOW) is left


def test_a_refusal_says_how_often_it_may_be_called() -> None:
    assert TWICE.judges(a_state(cleared={"search": 2}), a_call("search")) == Refuse(
        "call_limit", "'search' may be called 2 times in this run, and has been. Go on with what you have, or use another tool."
    )


@pytest.mark.parametrize(
    ("guard", "words"),
    [
        (CallLimit("search", 1), "may be called once in this run, and has been."),
        (CallLimit("search", 1, per="message"), "may be called once between two messages of the user's, and has been."),
        (CallLimit("search", 3, count="succeeded"), "may succeed 3 times in this run, and has."),
    ],
)
def test_the_words_fit_the_declaration(guard: CallLimit, words: str) -> None:
    verdict = guard.judges(a_state(succeeded=[("search", {})] * 3), a_call("search"))
    assert isinstance(verdict, Refuse) and words in verdict.reason


def test_other_tools_are_not_its_business() -> None:
    state = a_state(cleared={"search": 9, "drive": 9})
    assert TWICE.offers(state, "drive")
    assert TWICE.judges(state, a_call("drive")) == ALLOW


def test_failed_calls_count_unless_it_counts_successes() -> None:
    state = a_state(cleared={"search": 5}, succeeded=[("search", {})])
    assert not TWICE.offers(state, "search")
    assert TWO_HITS.offers(state, "search")
    assert TWO_HITS.judges(state, a_call("search")) == ALLOW


def test_counting_successes_it_refuses_after_the_last_one() -> None:
    state = a_state(succeeded=[("search", {})] * 2)
    assert not TWO_HITS.offers(state, "search")
    assert isinstance(TWO_HITS.judges(state, a_call("search")), Refuse)


@pytest.mark.parametrize(
    ("earlier", "expected"),
    [
        ([Stage.RUNNING], ALLOW),
        ([Stage.RUNNING, Stage.CLEARED], After("t2c2")),
        ([Stage.RUNNING, Stage.FAILED], ALLOW),
        ([Stage.RUNNING, Stage.RUNNING, Stage.REFUSED], After("t2c2")),
    ],
)
def test_counting_successes_a_call_waits_for_the_open_ones_that_may_use_the_limit_up(earlier: list[Stage], expected: object) -> None:
    state = a_state(open_calls=[*(("search", stage) for stage in earlier), ("search", Stage.PROPOSED)])
    assert TWO_HITS.judges(state, a_call("search", id=f"t2c{len(earlier) + 1}")) == expected


def test_per_message_the_count_begins_again_when_the_user_speaks() -> None:
    state = RunState(counts={"search": Count(cleared=7, succeeded=7, cleared_since=1, succeeded_since=1)})
    for count in ("cleared", "succeeded"):
        assert CallLimit("search", 2, per="message", count=count).offers(state, "search")
        assert not CallLimit("search", 1, per="message", count=count).offers(state, "search")
        assert not CallLimit("search", 2, count=count).offers(state, "search")


def test_it_says_what_it_is_about() -> None:
    assert (TWICE.name, TWICE.tools, TWICE.looks) == ("CallLimit(search)", ("search",), (Lens("used", "search", 2),))
    assert TWO_HITS.name == "CallLimit(search, count=succeeded)"
    assert TWO_HITS.looks == (Lens("ok", "search", 2), Lens("waits_for", "search"))
    assert CallLimit("search", 2, per="message").name == "CallLimit(search, per=message)"
    assert TWICE.settings == {"tool": "search", "most": 2, "per": "run", "count": "cleared"}


@pytest.mark.parametrize("wrong", [{"most": 0}, {"most": 2.0}, {"most": True}, {"per": "turn"}, {"count": "failed"}, {"tool": ""}])
def test_a_declaration_that_cannot_be_meant_is_refused(wrong: dict[str, Any]) -> None:
    declared: dict[str, Any] = {"tool": "search", "most": 2}
    with pytest.raises(AgentError, match="CallLimit"):
        CallLimit(**(declared | wrong))
