"""`@guard`: a rule of one's own domain as a plain function."""

from functools import partial
from typing import Any

import pytest

from handrail.core.ring import JudgedCall
from handrail.core.state import Reading
from handrail.errors import AgentError
from handrail.guards import guard
from handrail.vocab.verdicts import ALLOW, Lens, Refuse
from tests.guards.given import Masked, a_call, a_state, an_agent


@guard
def no_far_places(state: Reading, call: JudgedCall) -> str | None:
    """Nobody is sent further than a day's drive."""
    return "That is too far; choose something nearer." if call.arguments.get("minutes", 0) > 600 else None


@guard(tool="drive", looks=[Lens("ok", "search", 1)], code="search_first")
def only_after_a_search(state: Reading, call: JudgedCall) -> str | None:
    return None if state.ok("search") else "Search first."


def test_none_allows_and_a_text_refuses() -> None:
    assert no_far_places.judges(a_state(), a_call("drive", minutes=60)) == ALLOW
    assert no_far_places.judges(a_state(), a_call("drive", minutes=601)) == Refuse(
        "no_far_places", "That is too far; choose something nearer."
    )


def test_without_a_tool_it_judges_every_call() -> None:
    assert isinstance(no_far_places.judges(a_state(), a_call("anything", minutes=601)), Refuse)


def test_with_a_tool_it_judges_only_that() -> None:
    assert only_after_a_search.judges(a_state(), a_call("drive")) == Refuse("search_first", "Search first.")
    assert only_after_a_search.judges(a_state(), a_call("submit")) == ALLOW
    assert only_after_a_search.judges(a_state(succeeded=[("search", {})]), a_call("drive")) == ALLOW


def test_what_it_reads_is_unknown_unless_it_says_so() -> None:
    assert no_far_places.looks is None
    assert only_after_a_search.looks == (Lens("ok", "search", 1),)
    assert guard(looks=())(no_far_places.rule).looks == ()


def test_the_function_s_docstring_says_what_it_prevents() -> None:
    assert no_far_places.__doc__ == "Nobody is sent further than a day's drive."
    assert only_after_a_search.__doc__ == ""


def test_it_says_what_it_is_about() -> None:
    assert (no_far_places.name, no_far_places.tools) == ("no_far_places", ())
    assert (only_after_a_search.name, only_after_a_search.tools) == ("only_after_a_search", ("drive",))
    assert no_far_places.settings == {"rule": f"{__name__}.no_far_places", "tool": None, "code": "no_far_places"}
    assert an_agent(no_far_places).fingerprint != an_agent().fingerprint


@pytest.mark.parametrize("said", [True, False, 0, "", "  ", ["no"]])
def test_anything_but_none_or_a_text_raises_and_the_core_refuses(said: Any) -> None:
    def odd(state: Reading, call: JudgedCall) -> Any:
        return said

    with pytest.raises(AgentError, match="return None to allow"):
        guard(odd).judges(a_state(), a_call("search"))


async def _looks_it_up(state: Reading, call: JudgedCall) -> str | None:
    return None


@pytest.mark.parametrize("rule", [_looks_it_up, "search", None, 7, partial(print, 1)])
def test_what_is_no_plain_function_is_refused(rule: Any) -> None:
    with pytest.raises(AgentError, match="@guard takes a"):
        guard()(rule)


def test_a_rule_that_declares_too_little_is_found() -> None:
    hasty = guard(looks=())(only_after_a_search.rule)
    with pytest.raises(AssertionError, match="it reads ok"):
        hasty.judges(Masked(a_state(), hasty.looks or ()), a_call("drive"))
