"""Review: a reviewer sees the draft before any person does."""

from typing import Any

import pytest

from handrail.errors import AgentError
from handrail.guards import Review
from handrail.vocab.calls import By
from handrail.vocab.verdicts import ALLOW, Hold, Lens
from tests.guards.given import a_call, a_state, an_agent

CRITIC = an_agent(name="critic", tools=(), submit=None)
GUARD = Review("submit", reviewer=CRITIC, most=3)


def test_each_draft_is_held_for_the_reviewer() -> None:
    assert GUARD.judges(a_state(), a_call("submit", days=[1])) == Hold(by=By.REVIEWER, show={"days": [1]}, most=3)


def test_it_holds_every_time_since_the_core_counts_the_rounds() -> None:
    assert isinstance(GUARD.judges(a_state(reviews={"submit": 9}), a_call("submit")), Hold)


def test_other_tools_are_not_its_business() -> None:
    assert GUARD.judges(a_state(), a_call("search")) == ALLOW


def test_it_says_what_it_is_about() -> None:
    assert (GUARD.name, GUARD.tools, GUARD.holds) == ("Review(submit)", ("submit",), (("submit", By.REVIEWER),))
    assert GUARD.looks == (Lens("rounds", "submit", 3),)
    assert GUARD.reviewer is CRITIC
    assert GUARD.settings == {"tool": "submit", "reviewer": CRITIC.fingerprint, "most": 3}
    assert Review("submit", reviewer=CRITIC).most == 2


def test_another_reviewer_gives_the_agent_another_fingerprint() -> None:
    stricter = CRITIC.but(instructions="Be strict.")
    assert an_agent(GUARD).fingerprint != an_agent(Review("submit", reviewer=stricter, most=3)).fingerprint


@pytest.mark.parametrize("wrong", [{"reviewer": "critic"}, {"reviewer": None}, {"most": 0}, {"most": True}])
def test_a_declaration_that_cannot_be_meant_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(AgentError, match="Review"):
        Review("submit", **({"reviewer": CRITIC} | wrong))
