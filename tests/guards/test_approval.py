"""Approval: a person says yes to this very call."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from handrail.errors import AgentError
from handrail.guards import Approval, arguments
from handrail.vocab.calls import By
from handrail.vocab.facts import Fact, Ledger
from handrail.vocab.verdicts import ALLOW, Hold, Lens
from tests.guards.given import Masked, a_call, a_state

CALL = a_call("pay", to="a", amount=5)


def _priced(values: Mapping[str, Any], ledger: Ledger) -> str:
    return f"Pay {values['amount']} of {ledger.values('balance')[0]} to {values['to']}"


def test_each_call_is_held_for_a_person_with_its_own_arguments() -> None:
    assert Approval("pay").judges(a_state(), CALL) == Hold(by=By.PERSON, show={"to": "a", "amount": 5}, expires=timedelta(days=1))


def test_it_holds_every_time_since_the_core_counts_the_yes() -> None:
    state = a_state(succeeded=[("pay", {"to": "a", "amount": 5})])
    assert isinstance(Approval("pay").judges(state, CALL), Hold)


def test_other_tools_are_not_its_business() -> None:
    assert Approval("pay").judges(a_state(), a_call("search")) == ALLOW


def test_the_document_is_made_of_arguments_and_ledger() -> None:
    guard = Approval("pay", show=_priced, expires=timedelta(minutes=5))
    state = a_state(facts=[Fact("balance", 90)])
    assert guard.judges(state, CALL) == Hold(by=By.PERSON, show="Pay 5 of 90 to a", expires=timedelta(minutes=5))


def test_a_document_is_plain_json_so_that_a_journal_gives_it_back_as_it_was() -> None:
    def outline(values: Mapping[str, Any], ledger: Ledger) -> Mapping[str, Any]:
        return {"at": datetime(2026, 11, 2, tzinfo=UTC), "parts": ("a", "b"), "amount": 5.0}

    verdict = Approval("pay", show=outline).judges(a_state(), CALL)
    assert isinstance(verdict, Hold)
    assert verdict.show == {"at": "2026-11-02T00:00:00Z", "parts": ["a", "b"], "amount": 5.0}


@pytest.mark.parametrize("document", [None, 5, ["a"], True])
def test_a_document_that_is_neither_text_nor_mapping_raises_and_the_core_refuses(document: Any) -> None:
    with pytest.raises(AgentError, match="returns a text or a mapping"):
        Approval("pay", show=lambda values, ledger: document).judges(a_state(), CALL)


def test_a_document_that_no_journal_can_hold_raises_and_the_core_refuses() -> None:
    with pytest.raises(TypeError, match="object"):
        Approval("pay", show=lambda values, ledger: {"it": object()}).judges(a_state(), CALL)


def test_the_default_document_does_not_look_at_the_ledger() -> None:
    guard = Approval("pay")
    assert guard.looks == ()
    assert isinstance(guard.judges(Masked(a_state(), ()), CALL), Hold)


def test_it_says_what_it_is_about() -> None:
    guard = Approval("pay", show=_priced)
    assert (guard.name, guard.tools, guard.holds) == ("Approval(pay)", ("pay",), (("pay", By.PERSON),))
    assert guard.looks == (Lens("ledger"),)
    assert guard.settings == {"tool": "pay", "show": f"{__name__}._priced", "by": "person", "expires": 86_400.0}
    assert Approval("pay").settings["show"] == "handrail.guards.approval.arguments"
    assert arguments({"a": 1}, Ledger()) == {"a": 1}


@pytest.mark.parametrize(
    "wrong", [{"by": "reviewer"}, {"expires": timedelta(0)}, {"expires": 60}, {"expires": -timedelta(1)}, {"show": "x"}]
)
def test_a_declaration_that_cannot_be_meant_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(AgentError, match="Approval"):
        Approval("pay", **wrong)
