"""Schemas: two forms of one language, and none that is costly to check."""

import enum
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema_rs import Draft202012Validator
from pydantic import BaseModel, Field, TypeAdapter
from typing_extensions import TypeAliasType

from handrail.errors import AgentError
from handrail.tools import tool
from handrail.tools.recursion import refuse_costly
from handrail.tools.schema import declared, explaining
from handrail.tools.validating import Checker
from tests.tools.kit import fitting, parameters, reason


class Add(BaseModel):
    a: "Expression | None" = None
    kind: Literal["add"] = "add"
    all: list["Expression"] = []
    v: int = 0


class Mul(BaseModel):
    a: "Expression | None" = None
    kind: Literal["mul", "times"]
    all: list["Expression"] = []
    v: int = 0


Expression = Annotated[Add | Mul, Field(discriminator="kind")]


class Left(BaseModel):
    inner: "Left | Right | None" = None


class Right(BaseModel):
    inner: "Left | Right | None" = None
    w: int = 0


class Twig(BaseModel):
    inner: "Twig | list[Twig] | None" = None


Json = TypeAliasType("Json", "dict[str, Json] | list[Json] | str | int | None")

RAW: dict[str, Any] = TypeAdapter(Expression).json_schema()

_scalars = st.sampled_from([0, 1, 1.0, 1.5, "x", None, True, "add", "mul", "times", "cash"])
_objects = st.recursive(
    _scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.fixed_dictionaries(
            {},
            optional={
                "kind": st.sampled_from(["add", "mul", "times", "x", 1]),
                "a": inner,
                "all": st.lists(inner, max_size=2),
                "v": _scalars,
            },
        ),
    ),
    max_leaves=12,
)


@given(_objects)
def test_what_explains_errors_accepts_exactly_what_is_declared(value: Any) -> None:
    assert Checker(explaining(RAW), "t").fits(value) == Draft202012Validator(declared(RAW)).is_valid(value)


@given(_objects)
def test_what_does_not_fit_is_explained_within_the_bound(value: Any) -> None:
    checker = Checker(explaining(RAW), "t")
    if not checker.fits(value):
        assert 0 < len(checker.explain(value, 100)) <= 800
        assert 0 < len(checker.explain(value, 100_000)) <= 800


@tool(effect="read")
def evaluate(expression: Expression) -> None:
    """Evaluate an expression."""


@pytest.mark.parametrize("leaf", ["1", '"x"'])
def test_a_deep_recursive_union_is_judged_and_explained_in_reasonable_time(leaf: str) -> None:
    """Gone through naively, sixty levels of two branches each would take longer than anybody lives."""
    text = '{"expression":' + '{"kind":"add","a":' * 60 + f'{{"kind":"mul","v":{leaf}}}' + "}" * 61
    if leaf == "1":
        assert fitting(evaluate.parse(text)).values
    else:
        assert reason(evaluate.parse(text)).endswith(".a.v must be an integer, not 'x'")


def test_a_recursive_union_whose_branches_cannot_be_told_apart_is_refused() -> None:
    def take(x: Left | Right) -> None:
        """Take it."""

    with pytest.raises(AgentError, match=r"tool 'take' .* give the union a discriminator"):
        tool(effect="read")(take)


def test_a_recursive_union_of_different_kinds_is_fine() -> None:
    @tool(effect="read")
    def take(x: Json, twig: Twig) -> None:
        """Take it."""

    assert fitting(take.parse('{"x":[1,{"a":[null,"s"]}],"twig":{"inner":[{"inner":null}]}}')).values
    assert reason(take.parse('{"x":[true],"twig":{}}')).startswith("x.0 must be")


def test_a_union_of_two_that_is_not_recursive_needs_no_discriminator() -> None:
    refuse_costly({"$defs": {"A": {"type": "object", "properties": {"x": {"anyOf": [{"type": "object"}, {"type": "object"}]}}}}})


def test_the_branches_that_may_have_been_meant_are_each_explained() -> None:
    class One(BaseModel):
        a: int

    class Two(BaseModel):
        b: int

    def take(x: One | Two | None) -> None:
        """Take it."""

    take.__annotations__["x"] = One | Two | None
    said = reason(tool(effect="read")(take).parse('{"x":{"a":"1"}}'))
    assert said.startswith("x fits none of its forms: ") and "x.a must be an integer" in said and "x.b is required" in said


def test_many_long_errors_are_counted_and_cut_within_the_bound() -> None:
    def take(x: Any) -> None:
        """Take it."""

    options = {f"c{index}": f"{index}{'z' * 300}" for index in range(40)}
    made: Any = enum.StrEnum
    codes: Any = made("Code", options)
    take.__annotations__["x"] = list[codes]
    said = reason(tool(effect="read")(take).parse('{"x":[' + ",".join(f'"{index}{"y" * 300}"' for index in range(12)) + "]}"))
    assert len(said) <= 800
    assert said.startswith("x.0 must be one of '0zzz") and said.endswith("...; and 6 more")


def test_objects_are_closed_unless_their_author_opened_them() -> None:
    class Open(BaseModel, extra="allow"):
        a: int = 1

    class Empty(BaseModel):
        pass

    def take(x: Open, y: Empty, z: dict[str, int], free: dict[str, Any]) -> None:
        """Take it."""

    take.__annotations__.update({"x": Open, "y": Empty})
    schema = parameters(tool(effect="read")(take))
    assert schema["$defs"]["Open"]["additionalProperties"] is True
    assert schema["$defs"]["Empty"]["additionalProperties"] is False
    assert schema["properties"]["z"]["additionalProperties"] == {"type": "integer"}
    assert schema["properties"]["free"]["additionalProperties"] is True
