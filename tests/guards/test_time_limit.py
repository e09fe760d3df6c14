"""TimeLimit: so many active seconds."""

from typing import Any

import pytest

from handrail.errors import AgentError
from handrail.guards import TimeLimit
from handrail.vocab.verdicts import Limit, Measure
from tests.guards.given import Masked, a_state


@pytest.mark.parametrize(("seconds", "name"), [(300, "TimeLimit(300)"), (0.5, "TimeLimit(0.5)"), (300.0, "TimeLimit(300)")])
def test_landing_begins_at_four_fifths(seconds: float, name: str) -> None:
    limit = TimeLimit(seconds).limits(Masked(a_state(), ()))
    assert limit == Limit(name=name, measure=Measure.TIME, soft=seconds * 0.8, hard=seconds)


def test_its_settings_are_its_seconds() -> None:
    assert TimeLimit(300).settings == {"seconds": 300}


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf"), True, "5", None])
def test_a_declaration_that_cannot_be_meant_is_refused(seconds: Any) -> None:
    with pytest.raises(AgentError, match="TimeLimit takes a number above 0"):
        TimeLimit(seconds)
