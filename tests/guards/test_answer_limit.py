"""AnswerLimit: a long answer is sent back once, then cut at a sentence."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.core.state import Offer
from handrail.errors import AgentError
from handrail.guards import AnswerLimit
from handrail.guards.answer_limit import cut
from handrail.vocab.verdicts import ALLOW, Amend, Lens, Refuse
from tests.guards.given import a_state

GUARD = AnswerLimit(5)
LONG = "One two three. Four five six seven."


def test_a_short_answer_is_allowed_as_it_is() -> None:
    assert GUARD.accepts(a_state(), "") == ALLOW
    assert GUARD.accepts(a_state(), "One  two\nthree four five.") == ALLOW


def test_a_long_answer_is_sent_back_to_be_shortened() -> None:
    assert GUARD.accepts(a_state(), LONG) == Refuse(
        "too_long", "This answer has 7 words; at most 5 are delivered. Say the same in fewer words."
    )


def test_the_second_long_answer_is_cut_at_a_sentence() -> None:
    assert GUARD.accepts(a_state(text_refusals=(GUARD.name,)), LONG) == Amend("One two three.")


def test_a_text_that_another_guard_refused_is_not_counted() -> None:
    assert isinstance(GUARD.accepts(a_state(text_refusals=("MustSubmit(submit)",)), LONG), Refuse)


@pytest.mark.parametrize(("left", "verdict"), [(0, Amend), (1, Refuse), (None, Refuse)])
def test_on_the_last_turn_it_is_cut_at_once(left: int | None, verdict: type) -> None:
    assert isinstance(GUARD.accepts(a_state(offer=Offer(turns_left=left)), LONG), verdict)


@pytest.mark.parametrize(
    ("text", "words", "expected"),
    [
        ("One two. Three four. Five six.", 4, "One two. Three four."),
        ("One two. Three four. Five six.", 5, "One two. Three four."),
        ("One two three four", 2, "One two…"),
        ("  One\n\n two  three", 2, "One\n\n two…"),
        ('He said "stop!" and went away', 4, 'He said "stop!"'),
        ("It is **done.** And more words", 4, "It is **done.**"),
        ("See e.g. the second part here", 4, "See e.g. the second…"),
        ("Places:\n1. Kangding\n2. Litang", 4, "Places:\n1. Kangding\n2.…"),
        ("Built in 1999. Rebuilt much later", 4, "Built in 1999."),
        ("真的？ 好。 再说 一句", 3, "真的？ 好。"),
    ],
)
def test_it_is_cut_at_the_last_sentence_or_else_at_a_word(text: str, words: int, expected: str) -> None:
    assert cut(text, words) == expected


PIECES = st.sampled_from(["one", "two.", "3.", "e.g.", 'four!"', "…", ".", "\n", "\n1. ", " ", "\t", "五。", "-", "**x.**", "\u00a0"])


@given(text=st.lists(PIECES, min_size=1, max_size=40).map(" ".join), words=st.integers(1, 12))
def test_an_amended_answer_is_never_longer_than_allowed_and_begins_like_the_answer(text: str, words: int) -> None:
    verdict = AnswerLimit(words).accepts(a_state(offer=Offer(turns_left=0)), text)
    if isinstance(verdict, Amend):
        assert 1 <= len(verdict.text.split()) <= words
        assert text.lstrip().startswith(verdict.text.removesuffix("…"))
        assert AnswerLimit(words).accepts(a_state(), verdict.text) == ALLOW
    else:
        assert verdict == ALLOW and len(text.split()) <= words


def test_it_says_what_it_is_about() -> None:
    assert (GUARD.name, GUARD.refuses_text, GUARD.settings) == ("AnswerLimit(5)", True, {"words": 5})
    assert GUARD.looks == (Lens("refused_texts", "AnswerLimit(5)", 1), Lens("turns_left", "", 1))


def test_under_another_name_it_counts_the_texts_refused_under_that_name() -> None:
    other = GUARD.named("brief")
    assert other.looks == (Lens("refused_texts", "brief", 1), Lens("turns_left", "", 1))
    assert isinstance(other.accepts(a_state(text_refusals=("brief",)), LONG), Amend)
    assert isinstance(other.accepts(a_state(text_refusals=(GUARD.name,)), LONG), Refuse)


@pytest.mark.parametrize("words", [0, -1, 2.5, True, "5", None])
def test_a_declaration_that_cannot_be_meant_is_refused(words: Any) -> None:
    with pytest.raises(AgentError, match="AnswerLimit"):
        AnswerLimit(words)
