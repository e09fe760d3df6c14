"""Answers are held against the rows: what calls an order something that it is not is sent back once."""

import pytest

from handrail import Fact
from handrail.apps.orders.ring import AsLookedUp
from handrail.vocab.verdicts import Allow, Refuse, TextVerdict
from tests.guards.given import Masked, a_state

ROWS = (Fact("order", 1317, about={"status": "placed"}), Fact("order", 1267, about={"status": "shipped"}))
GUARD = AsLookedUp()


def _said(answer: str, guard: AsLookedUp = GUARD, *, rows: tuple[Fact, ...] = ROWS, refused: tuple[str, ...] = ()) -> TextVerdict:
    """The verdict, on a reading that shows no more than the guard declares."""
    assert guard.looks is not None
    return guard.accepts(Masked(a_state(facts=rows, text_refusals=refused), guard.looks), answer)


@pytest.mark.parametrize(
    "answer",
    [
        "Yes, order 1317 has been shipped.",
        "Order 1317 was DELIVERED.",
        "Order 1267 was placed, and cancelled later.",
        "It was delivered for 18.07.",
    ],
)
def test_an_answer_that_contradicts_the_rows_is_sent_back(answer: str) -> None:
    verdict = _said(answer)
    assert isinstance(verdict, Refuse) and verdict.code == "not_as_looked_up"


def test_what_is_sent_back_says_what_the_named_order_is() -> None:
    verdict = _said("Yes, order 1317 has been shipped.")
    assert isinstance(verdict, Refuse) and "1317 is placed" in verdict.reason and "1267" not in verdict.reason


@pytest.mark.parametrize(
    "answer",
    [
        "No: order 1317 has not been shipped; it is placed.",
        "Order 1267 has been shipped, and 1317 is placed.",
        "The newest order was shipped.",
        "Bestellung 1317 ist noch nicht unterwegs.",
        "There are two orders, 1317 and 1267.",
    ],
)
def test_an_answer_that_says_it_as_the_rows_do_stands(answer: str) -> None:
    assert isinstance(_said(answer), Allow)


def test_without_rows_there_is_nothing_to_contradict() -> None:
    assert isinstance(_said("No order was shipped.", rows=()), Allow)


def test_the_second_answer_stands() -> None:
    assert isinstance(_said("Order 1317 was delivered.", refused=(GUARD.name,)), Allow)


def test_under_another_name_it_counts_its_own_refusals() -> None:
    other = GUARD.named("other")
    assert isinstance(_said("Order 1317 was delivered.", other, refused=(GUARD.name,)), Refuse)
