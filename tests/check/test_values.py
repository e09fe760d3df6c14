"""Values from schemas fit the schemas, and the second ones differ from the first."""

from typing import Annotated, Any, Literal

import jsonschema_rs
import pytest
from pydantic import Field
from typing_extensions import TypedDict

from handrail.check.candidates import candidates
from handrail.check.values import Wish, made
from handrail.guards import Grounded, Prerequisite
from handrail.tools import tool
from tests.check.kit import drive, planner, submit

SCHEMAS: dict[str, dict[str, Any]] = {
    "text": {"type": "string"},
    "short text": {"type": "string", "maxLength": 2},
    "long text": {"type": "string", "minLength": 20},
    "enum": {"enum": ["a", "b"]},
    "date": {"type": "string", "format": "date"},
    "moment": {"type": "string", "format": "date-time"},
    "uuid": {"type": "string", "format": "uuid"},
    "integer": {"type": "integer"},
    "range": {"type": "integer", "minimum": 3, "maximum": 4},
    "negative": {"type": "number", "maximum": -2},
    "open range": {"type": "integer", "exclusiveMinimum": 5, "exclusiveMaximum": 8},
    "step": {"type": "integer", "multipleOf": 5, "minimum": 5},
    "truth": {"type": "boolean"},
    "null or text": {"anyOf": [{"type": "null"}, {"type": "string"}]},
    "types": {"type": ["null", "integer"]},
    "list": {"type": "array", "items": {"type": "string"}, "minItems": 1},
    "pair": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "minItems": 2, "items": False},
    "object": {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": False},
    "both": {"allOf": [{"type": "string"}, {"minLength": 8}]},
    "reference": {"$ref": "#/$defs/leg", "$defs": {"leg": {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}}},
    "tree": {
        "$ref": "#/$defs/node",
        "$defs": {
            "node": {
                "type": "object",
                "properties": {"left": {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]}},
                "required": ["left"],
            }
        },
    },
}


@pytest.mark.parametrize("name", SCHEMAS)
def test_both_values_of_a_schema_fit_it(name: str) -> None:
    schema = SCHEMAS[name]
    validator = jsonschema_rs.Draft202012Validator(schema, validate_formats=True)
    first, second = made(schema, Wish()), made(schema, Wish(other=((),)))
    assert validator.is_valid(first), first
    assert validator.is_valid(second), second
    assert first != second or name == "tree"


def test_a_constant_has_one_value() -> None:
    assert made({"const": 7}, Wish(other=((),))) == 7


def test_a_path_that_has_to_lead_somewhere_does() -> None:
    schema = {
        "type": "object",
        "properties": {"days": {"type": "array", "items": {"type": "object", "properties": {"hotel": {"type": "string"}}}}},
    }
    assert made(schema, Wish()) == {}
    assert made(schema, Wish(there=(("days", "hotel"),))) == {"days": [{"hotel": "one"}]}
    assert made(schema, Wish(there=(("days", "hotel"),), other=(("days", "hotel"),))) == {"days": [{"hotel": "another"}]}


def test_a_tool_is_tried_with_a_second_value_for_each_path_that_a_guard_names() -> None:
    found = candidates(planner(Prerequisite("submit", of="drive", per="legs"), Grounded("submit", "places", "place")))
    leg, other = '{"destination":"one","origin":"one"}', '{"destination":"another","origin":"another"}'
    assert set(found.arguments["submit"]) == {
        f'{{"legs":[{leg}],"places":["one"]}}',
        f'{{"legs":[{other}],"places":["one"]}}',
        f'{{"legs":[{leg}],"places":["another"]}}',
        '{"legs":[],"places":[]}',
    }
    assert found.arguments["drive"] == (leg,)
    assert found.known == {"place": ("one",)}
    assert found.made_up == {"search", "drive", "submit"}


def test_an_empty_list_is_not_tried_where_the_schema_wants_something_in_it() -> None:
    @tool(effect="write", name="submit")
    async def order(items: Annotated[list[str], Field(min_length=1)]) -> str:
        """Hand in."""
        return str(items)

    found = candidates(planner(Grounded("submit", "items", "place"), tools=[order]))
    assert found.arguments["submit"] == ('{"items":["one"]}', '{"items":["another"]}')


def test_the_examples_of_a_tool_are_tried_instead_and_name_the_facts_that_can_be_found() -> None:
    @tool(effect="write", name="submit", examples=[{"places": ["Kangding"]}, {"places": ["Litang", "Kangding"]}])
    async def plain(places: list[str]) -> str:
        """Hand in."""
        return str(places)

    found = candidates(planner(Grounded("submit", "places", "place"), tools=[drive, plain]))
    assert found.arguments["submit"] == ('{"places":["Kangding"]}', '{"places":["Litang","Kangding"]}')
    assert found.known == {"place": ("Kangding", "Litang")}
    assert found.made_up == {"drive"}


def test_one_example_is_enough_where_no_guard_looks_at_the_arguments() -> None:
    @tool(effect="read", examples=[{"text": "a"}, {"text": "b"}])
    async def idle(text: str) -> str:
        """Look something up."""
        return text

    assert candidates(planner(tools=[idle, submit])).arguments["idle"] == ('{"text":"a"}',)


def test_arguments_of_every_shape_can_be_made() -> None:
    class Stay(TypedDict):
        nights: Annotated[int, Field(ge=1, le=14)]
        kind: Literal["hotel", "hut"]

    @tool(effect="read")
    async def shapes(stay: Stay, tags: list[str], when: Annotated[str, Field(min_length=3)], both: int | str | None = None) -> str:
        """Take anything."""
        return f"{stay}{tags}{when}{both}"

    assert candidates(planner(tools=[shapes, submit])).arguments["shapes"] == (
        '{"stay":{"kind":"hotel","nights":1},"tags":[],"when":"one"}',
    )
