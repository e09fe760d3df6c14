"""Prerequisite: first those, then this."""

from typing import Any

import pytest

from handrail.core.table import Stage
from handrail.errors import AgentError
from handrail.guards import Prerequisite
from handrail.vocab.verdicts import ALLOW, After, Lens, Refuse
from tests.guards.given import a_call, a_state

PLAIN = Prerequisite("submit", of="drive")
PER_LEG = Prerequisite("submit", of="drive", per="legs")
LEG: dict[str, Any] = {"origin": "Chengdu", "destination": "Kangding"}
BACK: dict[str, Any] = {"origin": "Kangding", "destination": "Chengdu"}


def test_before_a_success_the_call_is_refused_and_told_what_to_call_first() -> None:
    assert PLAIN.judges(a_state(), a_call("submit")) == Refuse(
        "prerequisite", "'submit' runs only after 'drive' has succeeded. Call 'drive' first, then 'submit' again."
    )


def test_a_call_that_was_cleared_and_failed_is_no_success() -> None:
    assert isinstance(PLAIN.judges(a_state(cleared={"drive": 3}), a_call("submit")), Refuse)


def test_after_a_success_the_call_is_allowed() -> None:
    assert PLAIN.judges(a_state(succeeded=[("drive", LEG)]), a_call("submit")) == ALLOW


def test_other_tools_are_not_its_business() -> None:
    assert PLAIN.judges(a_state(), a_call("drive")) == ALLOW
    assert PLAIN.judges(a_state(), a_call("search")) == ALLOW


@pytest.mark.parametrize("stage", [Stage.PROPOSED, Stage.HELD, Stage.CLEARED, Stage.RUNNING, Stage.INTERRUPTED])
def test_a_call_waits_for_an_earlier_open_one_of_the_same_reply(stage: Stage) -> None:
    state = a_state(open_calls=[("drive", stage), ("submit", Stage.PROPOSED)])
    assert PLAIN.judges(state, a_call("submit", id="t2c2")) == After("t2c1")


@pytest.mark.parametrize("stage", [Stage.FAILED, Stage.REFUSED, Stage.UNKNOWN])
def test_a_call_does_not_wait_for_one_that_came_to_nothing(stage: Stage) -> None:
    state = a_state(open_calls=[("drive", stage), ("submit", Stage.PROPOSED)])
    assert isinstance(PLAIN.judges(state, a_call("submit", id="t2c2")), Refuse)


def test_a_call_does_not_wait_for_a_later_one() -> None:
    state = a_state(open_calls=[("submit", Stage.PROPOSED), ("drive", Stage.PROPOSED)])
    assert isinstance(PLAIN.judges(state, a_call("submit", id="t2c1")), Refuse)


def test_with_several_all_have_to_have_succeeded_and_the_missing_ones_are_named() -> None:
    guard = Prerequisite("submit", of=["drive", "search", "book"])
    assert guard.judges(a_state(succeeded=[("search", {})]), a_call("submit")) == Refuse(
        "prerequisite", "'submit' runs only after 'drive' and 'book' have succeeded. Call 'drive' and 'book' first, then 'submit' again."
    )


def test_what_is_missing_altogether_refuses_although_another_is_under_way() -> None:
    guard = Prerequisite("submit", of=["drive", "search"])
    state = a_state(open_calls=[("search", Stage.RUNNING), ("submit", Stage.PROPOSED)])
    verdict = guard.judges(state, a_call("submit", id="t2c2"))
    assert isinstance(verdict, Refuse)
    assert "'drive'" in verdict.reason and "'search'" not in verdict.reason


def test_per_value_each_leg_must_have_been_computed() -> None:
    state = a_state(succeeded=[("drive", LEG)])
    assert PER_LEG.judges(state, a_call("submit", legs=[LEG])) == ALLOW
    verdict = PER_LEG.judges(state, a_call("submit", legs=[LEG, BACK]))
    assert verdict == Refuse(
        "prerequisite",
        "'legs' of 'submit' holds what no successful call of 'drive' was made for. "
        "First call 'drive' for {'origin': 'Kangding', 'destination': 'Chengdu'}; then 'submit' again with the same values.",
    )


def test_an_object_is_computed_by_equal_values_under_all_shared_names() -> None:
    state = a_state(succeeded=[("drive", {"destination": "Kangding", "origin": "Chengdu", "vehicle": "car"})])
    assert PER_LEG.judges(state, a_call("submit", legs=[{**LEG, "minutes": 300}])) == ALLOW
    assert PER_LEG.judges(state, a_call("submit", legs=[{**LEG, "vehicle": "car"}])) == ALLOW
    assert isinstance(PER_LEG.judges(state, a_call("submit", legs=[{**LEG, "vehicle": "bus"}])), Refuse)


def test_an_object_that_shares_no_name_with_a_call_is_not_computed_by_it() -> None:
    state = a_state(succeeded=[("drive", {"a": 1}), ("drive", {})])
    assert isinstance(PER_LEG.judges(state, a_call("submit", legs=[LEG])), Refuse)
    assert isinstance(PER_LEG.judges(state, a_call("submit", legs=[{}])), Refuse)


def test_two_calls_do_not_compute_one_leg_between_them() -> None:
    state = a_state(succeeded=[("drive", {**LEG, "destination": "Litang"}), ("drive", {**LEG, "origin": "Litang"})])
    assert isinstance(PER_LEG.judges(state, a_call("submit", legs=[LEG])), Refuse)


@pytest.mark.parametrize(
    ("argument", "value", "computed"),
    [
        ("kangding", "kangding", True),
        (5.0, 5, True),
        ("5", 5, False),
        (True, 1, False),
        (["kangding", "litang"], "litang", True),
        (["kangding"], "litang", False),
    ],
)
def test_a_single_value_is_computed_if_it_was_among_the_arguments(argument: Any, value: Any, computed: bool) -> None:
    guard = Prerequisite("submit", of="search", per="places.id")
    state = a_state(succeeded=[("search", {"limit": 9, "about": argument})])
    verdict = guard.judges(state, a_call("submit", places=[{"id": value}]))
    assert (verdict == ALLOW) is computed


def test_without_values_at_the_path_there_is_nothing_to_compute() -> None:
    nothing: tuple[dict[str, Any], ...] = ({}, {"legs": []}, {"legs": None})
    for arguments in nothing:
        assert PER_LEG.judges(a_state(), a_call("submit", **arguments)) == ALLOW


def test_a_leg_waits_for_an_earlier_call_that_may_compute_it() -> None:
    state = a_state(succeeded=[("drive", LEG)], open_calls=[("drive", Stage.RUNNING), ("submit", Stage.PROPOSED)])
    assert PER_LEG.judges(state, a_call("submit", id="t2c2", legs=[LEG, BACK])) == After("t2c1")
    assert PER_LEG.judges(state, a_call("submit", id="t2c2", legs=[LEG])) == ALLOW


def test_the_first_three_missing_values_are_named_each_once() -> None:
    legs = [{"origin": f"place {number}"} for number in (1, 1, 2, 3, 4, 5)]
    verdict = PER_LEG.judges(a_state(), a_call("submit", legs=legs))
    assert isinstance(verdict, Refuse)
    assert "{'origin': 'place 3'} and 2 more;" in verdict.reason
    assert verdict.reason.count("place 1") == 1 and "place 4" not in verdict.reason


def test_per_value_with_several_tools_each_value_needs_each_of_them() -> None:
    guard = Prerequisite("submit", of=["drive", "road"], per="legs")
    verdict = guard.judges(a_state(succeeded=[("drive", LEG)]), a_call("submit", legs=[LEG, BACK]))
    assert isinstance(verdict, Refuse)
    assert "'drive' for {'origin': 'Kangding', 'destination': 'Chengdu'} and 'road' for {'origin': 'Chengdu'" in verdict.reason
    everything = a_state(succeeded=[(tool, leg) for tool in ("drive", "road") for leg in (LEG, BACK)])
    assert guard.judges(everything, a_call("submit", legs=[LEG, BACK])) == ALLOW


def test_a_refusal_stays_short_however_long_the_values_are() -> None:
    legs = [{"origin": "x" * 5_000, "n": number} for number in range(9)]
    verdict = PER_LEG.judges(a_state(), a_call("submit", legs=legs))
    assert isinstance(verdict, Refuse) and len(verdict.reason) < 600


def test_it_says_what_it_is_about() -> None:
    assert (PLAIN.name, PLAIN.tools, PLAIN.paths) == ("Prerequisite(submit, of=drive)", ("submit", "drive"), ())
    assert PLAIN.looks == (Lens("ok", "drive", 1), Lens("waits_for", "drive"))
    assert (PER_LEG.name, PER_LEG.paths) == ("Prerequisite(submit, of=drive, per=legs)", (("submit", "legs"),))
    assert PER_LEG.looks == (Lens("computed", "drive"), Lens("waits_for", "drive"))
    assert PER_LEG.settings == {"tool": "submit", "of": ["drive"], "per": "legs"}


@pytest.mark.parametrize(
    ("of", "per"), [((), None), ("submit", None), (["drive", "submit"], None), ("drive", ""), ("drive", "a..b"), (7, None)]
)
def test_a_declaration_that_cannot_be_meant_is_refused(of: Any, per: str | None) -> None:
    with pytest.raises(AgentError, match="Prerequisite"):
        Prerequisite("submit", of=of, per=per)
