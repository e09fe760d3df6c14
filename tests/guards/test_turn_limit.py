"""TurnLimit: so many model calls."""

from typing import Any

import pytest

from handrail.errors import AgentError
from handrail.guards import TurnLimit
from handrail.vocab.verdicts import Limit, Measure
from tests.guards.given import Masked, a_state


@pytest.mark.parametrize(("turns", "soft"), [(20, 17), (4, 1), (3, 0)])
def test_landing_begins_three_turns_before_the_end(turns: int, soft: int) -> None:
    limit = TurnLimit(turns).limits(Masked(a_state(), ()))
    assert limit == Limit(name=f"TurnLimit({turns})", measure=Measure.TURNS, soft=soft, hard=turns)


def test_its_settings_are_its_turns() -> None:
    assert TurnLimit(20).settings == {"turns": 20}


@pytest.mark.parametrize("turns", [0, -1, 2.5, True, "5", None])
def test_a_declaration_that_cannot_be_meant_is_refused(turns: Any) -> None:
    with pytest.raises(AgentError, match="TurnLimit takes a whole number from 1 on"):
        TurnLimit(turns)
