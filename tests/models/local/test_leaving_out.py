"""Optional arguments stay where something in the conversation supports them, and go where nothing does."""

from typing import Any

import pytest

from handrail.models.local.leaving_out import without_unsupported

SCHEMA = {"properties": {}, "required": ["email"]}


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("shipped", "Which ones were shipped?"),
        ("shipped", "Are you SHIPPING anything?"),
        ("cancelled", "Did they cancel?"),
        ("cancelled", "the canceled ones"),
        ("delivered", "what has arrived so far"),
        ("thai food", "I like food that is Thai"),
        (3, "the last three"),
        (3, "only 3, please"),
        (12.5, "under 12.50"),
        (12.5, "under 12,5"),
        (1, "the latest order"),
        (["noodles", "beer"], "noodles"),
        ({"diet": "vegan"}, "something vegan"),
        ("id-7", '{"restaurant_uuid": "id-7"}'),
    ],
)
def test_what_was_said_stays(value: Any, said: str) -> None:
    assert without_unsupported({"wish": value}, SCHEMA, said) == ({"wish": value}, {})


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("shipped", "Which orders are there?"),
        ("Thai Palace", "something from the Palace"),
        (10, "the last three"),
        (1, "orders of 1001"),
        (["noodles"], "pizza"),
        ({"diet": "vegan"}, "pizza"),
        ("", "pizza"),
        ([], "pizza"),
        (None, "pizza"),
        (True, "pizza"),
    ],
)
def test_what_nobody_said_goes(value: Any, said: str) -> None:
    assert without_unsupported({"wish": value}, SCHEMA, said) == ({}, {"wish": value})


def test_what_is_needed_stays_whatever_was_said() -> None:
    assert without_unsupported({"email": "made@up.example"}, SCHEMA, "hello") == ({"email": "made@up.example"}, {})


@pytest.mark.parametrize(("said", "stays"), [("How many orders are there?", True), ("all of them", True), ("the last ones", False)])
def test_the_most_that_there_may_be_stays_where_all_were_asked_for(said: str, stays: bool) -> None:
    schema = {"properties": {"limit": {"type": "integer", "maximum": 50}}}
    kept, _ = without_unsupported({"limit": 50}, schema, said)
    assert kept == ({"limit": 50} if stays else {})


def test_a_switch_stays_where_its_name_was_said() -> None:
    assert without_unsupported({"open_now": True}, SCHEMA, "whoever is open") == ({"open_now": True}, {})


def test_the_others_keep_their_order() -> None:
    kept, out = without_unsupported({"a": "one", "b": "nobody", "email": "x", "c": "two"}, SCHEMA, "one two")
    assert list(kept) == ["a", "email", "c"] and out == {"b": "nobody"}
