"""TokenLimit: so many tokens."""

from typing import Any

import pytest

from handrail.errors import AgentError
from handrail.guards import TokenLimit
from handrail.vocab.verdicts import Limit, Measure
from tests.guards.given import Masked, a_state


def test_landing_begins_at_four_fifths() -> None:
    limit = TokenLimit(50_000).limits(Masked(a_state(), ()))
    assert limit == Limit(name="TokenLimit(50000)", measure=Measure.TOKENS, soft=40_000, hard=50_000)


def test_its_settings_are_its_tokens() -> None:
    assert TokenLimit(50_000).settings == {"tokens": 50_000}


@pytest.mark.parametrize("tokens", [0, -1, 2.5, True, "5", None])
def test_a_declaration_that_cannot_be_meant_is_refused(tokens: Any) -> None:
    with pytest.raises(AgentError, match="TokenLimit takes a whole number from 1 on"):
        TokenLimit(tokens)
