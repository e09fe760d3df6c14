"""Order: a whole graph of prerequisites, declared once."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.core.table import Stage
from handrail.errors import AgentError
from handrail.guards import Order, Prerequisite
from handrail.vocab.verdicts import ALLOW, After, Refuse
from tests.guards.given import a_call, a_state

GRAPH = {"search": [], "drive": ["search"], "submit": ["drive", "search"]}
TOOLS = ("a", "b", "c", "d", "e")


def test_a_tool_waits_for_those_before_it() -> None:
    order = Order(GRAPH)
    assert order.judges(a_state(), a_call("search")) == ALLOW
    assert isinstance(order.judges(a_state(), a_call("drive")), Refuse)
    assert order.judges(a_state(succeeded=[("search", {})]), a_call("drive")) == ALLOW
    assert isinstance(order.judges(a_state(succeeded=[("search", {})]), a_call("submit")), Refuse)
    assert order.judges(a_state(), a_call("unheard of")) == ALLOW


def test_its_edges_can_be_drawn() -> None:
    assert Order(GRAPH).edges == (("search", "drive"), ("drive", "submit"), ("search", "submit"))


def test_it_names_its_tools_once_each() -> None:
    order = Order({"submit": "drive", "drive": "search"})
    assert order.tools == ("drive", "submit", "search")
    assert order.name == "Order(submit, drive)"
    assert order.settings == {"graph": {"submit": ["drive"], "drive": ["search"]}}


@pytest.mark.parametrize(
    ("graph", "cycle"),
    [
        ({"a": ["a"]}, "a → a"),
        ({"a": ["b"], "b": ["a"]}, "a → b → a|b → a → b"),
        ({"x": ["a"], "a": ["b"], "b": ["c"], "c": ["a"]}, "a → .* → .* → a|b → .* → .* → b|c → .* → .* → c"),
    ],
)
def test_a_circle_is_refused_and_named(graph: Mapping[str, list[str]], cycle: str) -> None:
    with pytest.raises(AgentError, match=f"circle: ({cycle});"):
        Order(graph)


@pytest.mark.parametrize("graph", [{}, {"a": []}, {"a": [""]}, {"a": [3]}, {"": ["a"]}])
def test_a_graph_that_orders_nothing_or_names_no_tools_is_refused(graph: Any) -> None:
    with pytest.raises(AgentError, match="Order"):
        Order(graph)


@st.composite
def _graphs(draw: st.DrawFn) -> dict[str, list[str]]:
    """Graphs without a circle: whatever comes before a tool has an earlier letter."""
    graph = {tool: draw(st.lists(st.sampled_from(TOOLS[:index]), unique=True)) for index, tool in enumerate(TOOLS) if index}
    graph["e"] = graph["e"] or ["a"]
    return graph


@given(
    graph=_graphs(),
    succeeded=st.lists(st.sampled_from(TOOLS)),
    open_calls=st.lists(st.tuples(st.sampled_from(TOOLS), st.sampled_from(Stage)), min_size=1, max_size=6),
)
def test_an_order_says_what_the_prerequisites_of_its_edges_say(
    graph: dict[str, list[str]], succeeded: list[str], open_calls: list[tuple[str, Stage]]
) -> None:
    order = Order(graph)
    state = a_state(succeeded=[(tool, {}) for tool in succeeded], open_calls=open_calls)
    for call in state.calls:
        judged = a_call(call.name, id=call.id)
        verdict = order.judges(state, judged)
        each = [Prerequisite(tool, of=before).judges(state, judged) for before, tool in order.edges]
        refused = [said for said in each if isinstance(said, Refuse)]
        waits = [said for said in each if isinstance(said, After)]
        match verdict:
            case Refuse():
                assert refused
            case After():
                assert not refused and verdict in waits
            case _:
                assert not refused and not waits
