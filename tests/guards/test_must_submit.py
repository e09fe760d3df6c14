"""MustSubmit: talk is no result."""

import pytest

from handrail.errors import AgentError
from handrail.guards import MustSubmit
from handrail.vocab.calls import By
from handrail.vocab.verdicts import ALLOW, Hold, Lens, Refuse
from tests.guards.given import a_state

GUARD = MustSubmit("submit", longest_text=20)


def test_long_text_is_refused_and_told_to_call_the_tool() -> None:
    assert GUARD.accepts(a_state(), "Here is your plan: ...") == Refuse(
        "must_submit",
        "This text is not delivered: results go through 'submit'. Call it now, or ask the user a question of at most 20 characters.",
    )


@pytest.mark.parametrize("text", ["Which month?", "x" * 20, f"  {'x' * 20}\n"])
def test_short_text_is_a_question_to_the_user(text: str) -> None:
    assert GUARD.accepts(a_state(), text) == Hold(by=By.PERSON, show=text)


def test_text_of_one_character_more_is_refused() -> None:
    assert isinstance(GUARD.accepts(a_state(), "x" * 21), Refuse)


def test_characters_are_counted_not_bytes() -> None:
    assert isinstance(GUARD.accepts(a_state(), "哪" * 20), Hold)


def test_a_submit_that_was_only_cleared_opens_nothing() -> None:
    assert isinstance(GUARD.accepts(a_state(cleared={"submit": 1}), "x" * 21), Refuse)


def test_after_the_submit_has_succeeded_any_text_is_an_answer() -> None:
    done = a_state(succeeded=[("submit", {})])
    assert GUARD.accepts(done, "x" * 500) == ALLOW
    assert GUARD.accepts(done, "Done.") == ALLOW


def test_with_0_no_text_gets_through_and_no_question_is_suggested() -> None:
    verdict = MustSubmit("submit", longest_text=0).accepts(a_state(), "Hm?")
    assert isinstance(verdict, Refuse)
    assert verdict.reason == "This text is not delivered: results go through 'submit'. Call it now."


def test_it_says_what_it_is_about() -> None:
    guard = MustSubmit("submit")
    assert (guard.name, guard.tools, guard.refuses_text) == ("MustSubmit(submit)", ("submit",), True)
    assert guard.looks == (Lens("ok", "submit", 1),)
    assert guard.settings == {"tool": "submit", "longest_text": 200}


@pytest.mark.parametrize("longest", [-1, 1.5, True])
def test_a_declaration_that_cannot_be_meant_is_refused(longest: int) -> None:
    with pytest.raises(AgentError, match="MustSubmit"):
        MustSubmit("submit", longest_text=longest)
