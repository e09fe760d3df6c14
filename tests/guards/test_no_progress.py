"""NoProgress: firmer, then narrower, then the landing."""

from typing import Any

import pytest

from handrail.errors import AgentError
from handrail.guards import NoProgress
from handrail.vocab.verdicts import Lens, Limit, Measure
from tests.guards.given import a_state, an_agent

GUARD = NoProgress(firm=1, narrow=3, land=4, keep="ask")


@pytest.mark.parametrize(("fruitless", "offered"), [(0, True), (2, True), (3, False), (9, False)])
def test_tools_that_were_called_in_vain_are_withdrawn_after_a_while(fruitless: int, offered: bool) -> None:
    state = a_state(fruitless=fruitless, last_tools=("search", "ask"))
    assert GUARD.offers(state, "search") is offered
    assert GUARD.offers(state, "drive")
    assert GUARD.offers(state, "ask")


def test_the_submit_tool_stays_on_offer() -> None:
    assert GUARD.may_withdraw_submit is False


def test_the_core_reads_from_it_when_to_be_firm() -> None:
    assert an_agent(NoProgress(2, 3, 4)).firm == 2
    assert an_agent().firm is None


def test_a_run_without_progress_lands_and_without_a_submit_tool_ends() -> None:
    assert GUARD.limits(a_state()) == Limit(name="NoProgress(1, 3, 4)", measure=Measure.FRUITLESS, soft=4, hard=7, bare=4)


def test_it_says_what_it_is_about() -> None:
    assert GUARD.tools == ("ask",)
    assert GUARD.looks == (Lens("fruitless", "", 7), Lens("last_tools"))
    assert GUARD.settings == {"firm": 1, "narrow": 3, "land": 4, "keep": ["ask"]}
    assert NoProgress().settings == {"firm": 1, "narrow": 3, "land": 4, "keep": []}


def test_the_three_may_be_one() -> None:
    assert NoProgress(2, 2, 2).name == "NoProgress(2, 2, 2)"


@pytest.mark.parametrize(("firm", "narrow", "land"), [(0, 3, 4), (4, 3, 4), (1, 5, 4), (1, 3, 2), (1.0, 3, 4), (True, 3, 4)])
def test_numbers_that_are_not_in_order_are_refused(firm: Any, narrow: Any, land: Any) -> None:
    with pytest.raises(AgentError, match="NoProgress"):
        NoProgress(firm, narrow, land)
