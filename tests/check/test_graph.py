"""The order of an agent, drawn."""

from handrail.check import drawn
from handrail.guards import Approval, CallLimit, Grounded, Order, Prerequisite, Review, TimeLimit
from tests.check.kit import REVIEWER, ask, drive, look, planner, search, submit


def test_a_graph_shows_order_facts_holds_and_limits() -> None:
    agent = planner(
        Order({"drive": ["search"]}),
        Prerequisite("submit", of="drive", per="legs"),
        Grounded("submit", "places", "place"),
        CallLimit("search", 4, per="message"),
        Review("submit", reviewer=REVIEWER),
        Approval("submit"),
        TimeLimit(300),
    )
    assert drawn(agent).splitlines() == [
        "flowchart TD",
        '    t1["search<br/>at most 4 a message"]',
        '    t2["drive"]',
        '    t3[["submit"]]',
        "    t1 --> t2",
        '    t2 -->|"for each legs"| t3',
        '    reviewer(["a reviewer"])',
        '    person(["a person"])',
        '    reviewer -.->|"looks first"| t3',
        '    person -.->|"looks first"| t3',
        '    t1 -.->|"place"| t3',
        '    limits>"TimeLimit(300)<br/>TurnLimit(10)"]',
    ]


def test_an_edge_that_two_guards_draw_is_there_once() -> None:
    agent = planner(Grounded("drive", "origin", "place"), Grounded("drive", "destination", "place"))
    assert sum("place" in line for line in drawn(agent).splitlines()) == 1


def test_a_graph_says_where_a_tool_runs_and_needs_no_limits() -> None:
    lines = drawn(planner(guards=[], tools=[ask, look, submit])).splitlines()
    assert lines == ["flowchart TD", '    t1["ask<br/>asks a person"]', '    t2["look<br/>in the browser"]', '    t3[["submit"]]']


def test_an_agent_without_a_submit_tool_can_be_drawn() -> None:
    assert "[[" not in drawn(planner(submit=None, land=None, tools=[search, drive]))
