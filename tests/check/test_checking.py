"""The walk as one line of a test."""

import pytest

from handrail.guards import CallLimit, Prerequisite
from handrail.testing.checking import check_agent
from tests.check.kit import eight_guards, planner


def test_a_sound_agent_passes_and_the_report_is_there_to_look_at() -> None:
    report = check_agent(planner(Prerequisite("submit", of="search")))
    assert report.ok and "search" in report.tools


def test_the_failure_of_the_test_is_the_story() -> None:
    with pytest.raises(AssertionError, match=r"planner: dead end: .*\n  1\. The user asks.*\n  2\. The model calls search") as failure:
        check_agent(planner(Prerequisite("submit", of="search"), CallLimit("search", 1)))
    assert "→ search is not offered: CallLimit(search)" in str(failure.value)


def test_a_walk_that_is_given_up_fails_too() -> None:
    with pytest.raises(AssertionError, match="nothing is proven"):
        check_agent(eight_guards(), most_states=20)
