"""What can be sampled at all: only what is on offer, in a form that LLGuidance takes."""

import json
from typing import Annotated, Any, Literal

import pytest
from jsonschema_rs import Draft202012Validator
from pydantic import BaseModel, Field

from handrail import ABSENT, Absent, tool
from handrail.apps.delivery.delivery_agent import agent as delivery
from handrail.apps.foodfight.foodfight_agent import agent as foodfight
from handrail.apps.orders.orders_agent import agent as orders
from handrail.apps.trips.agent import agent as trips
from handrail.core.agent import Agent
from handrail.models.local.forms import form, grammar


@tool(effect="read")
async def find(
    city: Annotated[str, Field(min_length=2, pattern="^[A-Z]")], most: Annotated[int, Field(ge=1, le=9)] | Absent = ABSENT
) -> str:
    """Find."""
    return city


@tool(effect="write")
async def book(room: Literal["single", "double"]) -> str:
    """Book."""
    return room


class Node(BaseModel):
    value: int
    below: list["Node"] = []


class Cat(BaseModel):
    kind: Literal["cat"]


class Dog(BaseModel):
    kind: Literal["dog"]
    name: str


@tool(effect="read")
async def walk(tree: Node, animal: Annotated[Cat | Dog, Field(discriminator="kind")]) -> str:
    """Walk."""
    return ""


TOOLS = (find.declaration, book.declaration)


def fits(wanted: Any, reply: Any) -> bool:
    return Draft202012Validator(wanted).is_valid(reply)


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"tool": name, "arguments": arguments}


@pytest.mark.parametrize(
    "reply", [call("find", city="Oslo"), call("find", city="Oslo", most=3), call("book", room="double"), {"say": "Hi."}]
)
def test_a_call_of_a_tool_on_offer_and_a_text_fit(reply: Any) -> None:
    assert fits(form(TOOLS), reply)


@pytest.mark.parametrize(
    "reply",
    [
        call("pay", amount=1),
        call("book", room="suite"),
        call("find", most=3),
        call("find", city="Oslo", most=10),
        call("find", city="Oslo", more=1),
        {"tool": "find"},
        {"say": "Hi.", "tool": "find", "arguments": {"city": "Oslo"}},
        {"say": ""},
        {"say": '{"tool": "find", "arguments": {"city": "Oslo"}}'},
        "Hi.",
    ],
)
def test_nothing_else_fits(reply: Any) -> None:
    assert not fits(form(TOOLS), reply)


def test_a_tool_that_is_withdrawn_cannot_be_sampled() -> None:
    assert not fits(form([find.declaration]), call("book", room="double"))


def test_where_no_text_could_be_taken_none_can_be_sampled() -> None:
    assert not fits(form(TOOLS, text=False), {"say": "Hi."})
    assert fits(form(TOOLS, text=False), call("book", room="single"))


def test_a_tool_that_has_to_be_called_is_all_that_there_is() -> None:
    wanted = form(TOOLS, choice="book")
    assert fits(wanted, call("book", room="single"))
    assert not fits(wanted, call("find", city="Oslo")) and not fits(wanted, {"say": "Hi."})


def test_where_no_tool_may_be_called_a_text_is_all_that_there_is() -> None:
    wanted = form(TOOLS, choice="none")
    assert fits(wanted, {"say": "Hi."}) and not fits(wanted, call("find", city="Oslo"))


def test_without_tools_there_is_no_form() -> None:
    assert form(()) is None


def test_definitions_of_two_tools_do_not_meet() -> None:
    wanted = form((walk.declaration, {"type": "function", "function": {**walk.declaration["function"], "name": "stroll"}}))
    assert wanted is not None and {name.partition(".")[0] for name in wanted["$defs"]} == {"walk", "stroll"}
    assert fits(wanted, call("walk", tree={"value": 1, "below": [{"value": 2}]}, animal={"kind": "dog", "name": "Rex"}))
    assert not fits(wanted, call("walk", tree={"value": 1, "below": [{}]}, animal={"kind": "cat"}))


@pytest.mark.parametrize("agent", [orders(), delivery(), trips(), foodfight()], ids=lambda agent: agent.name)
def test_the_examples_of_every_tool_of_our_apps_fit_the_form(agent: Agent) -> None:
    wanted = form(agent.declared)
    tried = [call(name, **example) for name, each in agent.tools.items() for example in getattr(each, "examples", ())]
    assert tried and [reply for reply in tried if not fits(wanted, json.loads(json.dumps(reply)))] == []


def test_a_grammar_is_one_line_of_json_with_the_white_space_that_json_dumps_writes() -> None:
    head, _, schema = grammar({"anyOf": []}).partition("start: %json ")
    assert head == "%llguidance {}\n"
    assert json.loads(schema)["x-guidance"] == {"item_separator": ", ", "key_separator": ": ", "whitespace_flexible": False}
