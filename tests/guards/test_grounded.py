"""Grounded: no invented values."""

from typing import Any

import pytest

from handrail.errors import AgentError
from handrail.guards import Grounded
from handrail.guards.grounded import NEAREST, nearest
from handrail.vocab.facts import Fact
from handrail.vocab.verdicts import ALLOW, Lens, Refuse
from tests.guards.given import a_call, a_state

GUARD = Grounded("submit", "places", "place")


def _known(*values: Any, kind: str = "place") -> Any:
    return a_state(facts=[Fact(kind, value) for value in values])


def test_values_that_are_facts_of_the_kind_are_allowed() -> None:
    assert GUARD.judges(_known("Kangding", "Litang"), a_call("submit", places=["Litang", "Kangding"])) == ALLOW


def test_an_unknown_value_is_refused_beside_the_ones_that_are_known() -> None:
    verdict = GUARD.judges(_known("Litang", "Kangding"), a_call("submit", places=["Litang", "Kanding"]))
    assert verdict == Refuse(
        "ungrounded",
        "'places' of 'submit' holds what no successful call has returned as a 'place': 'Kanding'. "
        "Known: 'Kangding', 'Litang'; use one exactly as it is written, or look it up first.",
    )


def test_without_any_fact_it_says_to_look_it_up_first() -> None:
    assert GUARD.judges(_known("Kangding", kind="hotel"), a_call("submit", places=["Kangding"])) == Refuse(
        "ungrounded",
        "'places' of 'submit' holds what no successful call has returned as a 'place': 'Kangding'. "
        "No 'place' is known yet: look it up first.",
    )


@pytest.mark.parametrize(
    ("value", "fact", "same"),
    [(5, 5.0, True), ("5", 5, False), (1, True, False), ("Kangding", "kangding", False), ({"b": 1, "a": 2}, {"a": 2, "b": 1}, True)],
)
def test_equality_is_that_of_canonical_json(value: Any, fact: Any, same: bool) -> None:
    assert (GUARD.judges(_known(fact), a_call("submit", places=[value])) == ALLOW) is same


def test_the_path_goes_through_nested_lists() -> None:
    guard = Grounded("submit", "days.stops.id", "place")
    days = [{"stops": [{"id": "p1"}, {"id": "p2"}]}, {"stops": []}, {"stops": [{"id": "p9"}]}]
    verdict = guard.judges(_known("p1", "p2"), a_call("submit", days=days))
    assert isinstance(verdict, Refuse) and "'p9'" in verdict.reason
    assert guard.judges(_known("p1", "p2", "p9"), a_call("submit", days=days)) == ALLOW


def test_without_values_at_the_path_there_is_nothing_to_ground() -> None:
    nothing: tuple[dict[str, Any], ...] = ({}, {"places": []}, {"places": None})
    for arguments in nothing:
        assert GUARD.judges(_known(), a_call("submit", **arguments)) == ALLOW


def test_other_tools_are_not_its_business() -> None:
    assert GUARD.judges(_known(), a_call("search", places=["Nowhere"])) == ALLOW


def test_the_first_three_unknown_values_are_named_each_once() -> None:
    verdict = GUARD.judges(_known(), a_call("submit", places=["a", "a", "b", "c", "d", "e"]))
    assert isinstance(verdict, Refuse)
    assert ": 'a', 'b', 'c' and 2 more." in verdict.reason


def test_at_most_five_known_values_are_offered_the_nearest_first() -> None:
    known = [f"unlike {number}" for number in range(20)] + ["Kangding"]
    verdict = GUARD.judges(_known(*known), a_call("submit", places=["Kanding"]))
    assert isinstance(verdict, Refuse)
    offered = verdict.reason.partition("Known: ")[2].partition(";")[0].split(", ")
    assert offered[0] == "'Kangding'" and len(offered) == NEAREST + 1 and offered[-1] == "…"


def test_five_known_values_are_all_there_are_so_nothing_hints_at_more() -> None:
    verdict = GUARD.judges(_known(*"abcde"), a_call("submit", places=["Kanding"]))
    assert isinstance(verdict, Refuse) and "Known: 'a', 'b', 'c', 'd', 'e'; use one" in verdict.reason


def test_nearest_values_need_not_be_texts() -> None:
    assert nearest([1234], [99, 1235, {"id": 1}])[0] == 1235


def test_a_refusal_stays_short_however_long_the_values_are() -> None:
    known = [f"{number}{'x' * 4_000}" for number in range(50)]
    verdict = GUARD.judges(_known(*known), a_call("submit", places=["y" * 9_000, "z" * 9_000]))
    assert isinstance(verdict, Refuse) and len(verdict.reason) < 900


def test_it_says_what_it_is_about() -> None:
    assert (GUARD.name, GUARD.tools, GUARD.paths) == ("Grounded(submit, places)", ("submit",), (("submit", "places"),))
    assert GUARD.looks == (Lens("facts", "place"),)
    assert GUARD.settings == {"tool": "submit", "path": "places", "kind": "place"}
    assert Grounded("submit", path="places", kind="place").settings == GUARD.settings


@pytest.mark.parametrize(("path", "kind"), [("", "place"), ("a..b", "place"), ("places", ""), ("places", None)])
def test_a_declaration_that_cannot_be_meant_is_refused(path: str, kind: Any) -> None:
    with pytest.raises(AgentError, match="Grounded"):
        Grounded("submit", path, kind)
