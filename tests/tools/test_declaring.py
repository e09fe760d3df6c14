"""What a declaration says, and which functions are refused and with which words."""

import dataclasses
import datetime as dt
import decimal
import functools
import re
import uuid
from collections.abc import Callable
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field, NaiveDatetime, field_validator
from typing_extensions import TypedDict

from handrail.errors import AgentError
from handrail.tools import ABSENT, Absent, ToolContext, tool
from tests.tools.kit import CONTEXT, Line, Status, fitting, lookup_orders, parameters, ping, reason


class Opaque:
    pass


@dataclasses.dataclass
class Size:
    width: int
    height: int = 1


class Options(TypedDict, total=False):
    depth: int


class Price(BaseModel):
    """A price."""

    cents: int
    note: str | Absent = ABSENT

    @field_validator("cents")
    @classmethod
    def _even(cls, cents: int) -> int:
        if cents % 2:
            raise ValueError("must be even")
        return 1 // cents and cents


def _plain() -> Callable[..., Any]:
    return tool(effect="read")


def test_a_declaration_is_literally_what_chat_completions_take() -> None:
    assert lookup_orders.declaration == {
        "type": "function",
        "function": {
            "name": "lookup_orders",
            "description": "Look up a customer's orders, newest first.",
            "parameters": {
                "type": "object",
                "properties": {
                    "customer_email": {
                        "type": "string",
                        "minLength": 1,
                        "description": "The address that the orders were placed with.",
                    },
                    "status": {
                        "type": "string",
                        "enum": ["placed", "shipped", "delivered", "cancelled"],
                        "description": "Only orders that stand there.",
                    },
                    "limit": {"type": "integer", "minimum": 1, "maximum": 50, "default": 10, "description": "How many orders at most."},
                },
                "required": ["customer_email"],
                "additionalProperties": False,
            },
        },
    }
    assert list(parameters(lookup_orders)) == ["type", "properties", "required", "additionalProperties"]


def test_a_tool_without_parameters_is_an_empty_closed_object() -> None:
    assert parameters(ping) == {"type": "object", "properties": {}, "additionalProperties": False}


def test_the_same_declaration_has_the_same_digest_and_another_has_another() -> None:
    def one(a: int) -> None:
        """One."""

    assert _plain()(one).digest == _plain()(one).digest
    assert _plain()(one).digest != tool(effect="read", name="two")(one).digest


def test_the_docstring_describes_the_tool_and_its_parameters_and_a_field_has_the_last_word() -> None:
    @tool(effect="read")
    def find(a: int, b: Annotated[int, Field(description="from the field")], ctx: ToolContext[None]) -> int:
        """Find it.

        Second paragraph.

        Note:
            Slow.

        Args:
            a: first line
                and its second.
            b: from the docstring.
            ctx: nothing that a model needs to know.

        Returns:
            what was found.
        """
        return a

    assert find.declaration["function"]["description"] == "Find it.\n\nSecond paragraph.\n\nNote: Slow."
    assert parameters(find)["properties"]["a"]["description"] == "first line and its second."
    assert parameters(find)["properties"]["b"]["description"] == "from the field"
    assert "ctx" not in parameters(find)["properties"]


def test_enums_and_literals_are_in_place_and_models_are_definitions() -> None:
    @tool(effect="read")
    def order(lines: list[Line], first: Line, status: Status = Status.PLACED, size: Literal["s", "m"] = "s") -> None:
        """Order."""

    schema = parameters(order)
    assert schema["properties"]["status"] == {
        "type": "string",
        "enum": ["placed", "shipped", "delivered", "cancelled"],
        "default": "placed",
    }
    assert schema["properties"]["size"] == {"type": "string", "enum": ["s", "m"], "default": "s"}
    assert schema["properties"]["lines"] == {"type": "array", "items": {"$ref": "#/$defs/Line"}}
    assert schema["$defs"] == {
        "Line": {
            "type": "object",
            "properties": {"sku": {"type": "string"}, "count": {"type": "integer", "default": 1}},
            "required": ["sku"],
            "additionalProperties": False,
        }
    }


def test_a_property_that_is_called_title_or_default_stays() -> None:
    @tool(effect="read")
    def note(title: str, default: dict[str, str], enum: str = "") -> None:
        """Note."""

    assert list(parameters(note)["properties"]) == ["title", "default", "enum"]


def test_none_is_in_a_declaration_only_where_the_hint_says_so() -> None:
    @tool(effect="read")
    def find(a: str | None = None, b: str | Absent = ABSENT) -> None:
        """Find."""

    assert parameters(find)["properties"]["a"] == {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None}
    assert parameters(find)["properties"]["b"] == {"type": "string"}
    assert "required" not in parameters(find)


async def test_values_reach_the_function_as_what_its_hints_say() -> None:
    seen: list[Any] = []

    @tool(effect="read")
    def take(
        *,
        day: dt.date,
        at: dt.datetime,
        local: NaiveDatetime,
        clock: dt.time,
        span: dt.timedelta,
        key: uuid.UUID,
        price: decimal.Decimal,
        pair: tuple[int, str],
        kinds: set[str],
        size: Size,
        options: Options,
        line: Line,
        status: Status | Absent = ABSENT,
        tags: Annotated[list[str], Field(default_factory=list)],
    ) -> None:
        """Take all of it."""
        seen.append((day, at, local, clock, span, key, price, pair, kinds, size, options, line, status, tags))

    given = (
        '{"day":"2025-02-28","at":"2025-02-28T10:00:00+01:00","local":"2025-02-28T10:00","clock":"09:30","span":"PT90M",'
        '"key":"123e4567-e89b-12d3-a456-426614174000","price":"1.10","pair":[1.0,"a"],"kinds":["x"],"size":{"width":2},'
        '"options":{},"line":{"sku":"s"}}'
    )
    await take.run(fitting(take.parse(given)).canonical, CONTEXT)
    zone = dt.timezone(dt.timedelta(hours=1))
    assert seen == [
        (
            dt.date(2025, 2, 28),
            dt.datetime(2025, 2, 28, 10, tzinfo=zone),
            dt.datetime.fromisoformat("2025-02-28T10:00"),
            dt.time(9, 30),
            dt.timedelta(minutes=90),
            uuid.UUID("123e4567-e89b-12d3-a456-426614174000"),
            decimal.Decimal("1.10"),
            (1, "a"),
            {"x"},
            Size(2),
            {},
            Line(sku="s"),
            ABSENT,
            [],
        )
    ]


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        (dt.date, '"2025-02-30"'),
        (dt.date, '"1700000000"'),
        (dt.date, '"2025-02-28T00:00:00"'),
        (dt.date, "1700000000"),
        (dt.datetime, '"2025-02-28T10:00:00"'),
        (dt.datetime, '"1700000000"'),
        (NaiveDatetime, '"2025-02-28T10:00:00Z"'),
        (NaiveDatetime, '"2025-02-30T10:00:00"'),
        (dt.time, '"25:00"'),
        (dt.time, "930"),
        (dt.timedelta, '"01:30:00"'),
        (dt.timedelta, "90"),
        (uuid.UUID, '"{123e4567-e89b-12d3-a456-426614174000}"'),
        (decimal.Decimal, '"1_0"'),
        (decimal.Decimal, '"NaN"'),
        (decimal.Decimal, "true"),
        (bool, "1"),
        (bool, '"true"'),
        (Literal[1], "true"),
        (Literal["a"], '"A"'),
        (str, "7"),
        (bytes, "7"),
        (tuple[int, str], "[1]"),
        (tuple[int, str], '[1,"a",2]'),
        (set[int], "[1,1.0]"),
        (dict[str, int], '{"a":"1"}'),
        (Size, '{"width":"2"}'),
        (Size, '{"width":2,"depth":3}'),
        (Options, '{"depth":1,"width":2}'),
    ],
)
def test_pydantic_loosens_nothing_that_the_declaration_refuses(hint: Any, value: str) -> None:
    def take(x: Any) -> None:
        """Take it."""

    take.__annotations__["x"] = hint
    assert reason(_plain()(take).parse(f'{{"x":{value}}}')).partition(" ")[0].rstrip(":").split(".")[0] in {"x", "'depth'", "'width'"}


def test_a_validator_of_the_authors_can_narrow_and_its_words_name_the_field() -> None:
    @tool(effect="read")
    def pay(price: Price) -> None:
        """Pay."""

    assert fitting(pay.parse('{"price":{"cents":2}}')).values
    assert reason(pay.parse('{"price":{"cents":3}}')) == "price.cents: must be even, not 3"
    assert reason(pay.parse('{"price":{"cents":2,"note":null}}')) == "price.note must be a string, not null"


def test_a_validator_that_breaks_is_a_refusal_and_no_crash() -> None:
    @tool(effect="read")
    def pay(price: Price) -> None:
        """Pay."""

    assert reason(pay.parse('{"price":{"cents":0}}')).startswith("the arguments were refused: ZeroDivisionError")


def test_an_alias_is_what_the_model_sees() -> None:
    @tool(effect="read")
    def route(start: Annotated[str, Field(alias="from")]) -> str:
        """Find a route.

        Args:
            start: where it begins.
        """
        return start

    assert parameters(route)["properties"] == {"from": {"type": "string", "description": "where it begins."}}
    assert fitting(route.parse('{"from":"here"}')).values


async def test_parameters_may_be_called_like_anything() -> None:
    @tool(effect="read")
    def odd(json: str, copy: int = 1, model_config: bool = False, _x: int = 0, self: int = 2) -> Any:
        """Odd names."""
        return [json, copy, model_config, _x, self]

    parsed = fitting(odd.parse('{"json":"a","_x":3}'))
    returned = await odd.run(parsed.canonical, CONTEXT)
    assert getattr(returned, "content", None) == '["a",1,false,3,2]'


def _star(*a: int) -> None:
    """S."""


def _stars(**a: int) -> None:
    """S."""


def _positional(a: int, /) -> None:
    """S."""


def _bare(a: int) -> None:
    """S."""


def _unknown(a: int) -> None:
    """S."""


del _bare.__annotations__["a"]
_unknown.__annotations__["a"] = "Nowhere"


def _opaque(a: Opaque) -> None:
    """S."""


def _function(a: Callable[[int], int]) -> None:
    """S."""


def _some_function(a: int | Callable[[int], int] = 1) -> None:
    """S."""


def _none_for_int(a: int = 0) -> None:
    """S."""


_none_for_int.__defaults__ = (None,)


def _out_of_range(a: Annotated[int, Field(ge=1)] = 0) -> None:
    """S."""


def _absent(a: int | Absent) -> None:
    """S."""


def _half_absent(a: Annotated[int | Absent, Field(ge=1)] = 3) -> None:
    """S."""


def _pattern(a: Annotated[str, Field(pattern="(")]) -> None:
    """S."""


def _mute(a: int) -> None:
    pass


def _misdescribed(a: int) -> None:
    """S."""


_misdescribed.__doc__ = "S.\n\nArgs:\n    b: what is not there.\n"


def _twice(a: ToolContext[None], b: ToolContext[None]) -> None:
    """S."""


def _maybe_context(a: ToolContext[None] | None = None) -> None:
    """S."""


def _elsewhere(a: Annotated[str, Field(json_schema_extra={"$ref": "https://example.com/schema"})]) -> None:
    """S."""


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (_star, "'*a: int'"),
        (_stars, "'**a: int'"),
        (_positional, "cannot be declared"),
        (_bare, "'a' of tool '_bare' has no type"),
        (_unknown, "'Nowhere' is not defined"),
        (_opaque, "Opaque"),
        (_function, "CallableSchema"),
        (_some_function, "CallableSchema"),
        (_none_for_int, "None of 'a' does not fit"),
        (_out_of_range, "0 of 'a' does not fit"),
        (_absent, "default has to be ABSENT"),
        (_half_absent, "default has to be ABSENT"),
        (_pattern, "regex"),
        (_mute, "no docstring"),
        (_misdescribed, "describes 'b'"),
        (_twice, "twice"),
        (_maybe_context, "ToolContext"),
        (_elsewhere, "own $defs only"),
        (lambda: None, "<lambda>"),
    ],
)
def test_what_cannot_be_declared_is_refused_by_name(function: Callable[..., Any], words: str) -> None:
    with pytest.raises(AgentError, match=re.escape(words)) as raised:
        _plain()(function)
    assert repr(function.__name__) in str(raised.value)
    assert "arbitrary_types_allowed" not in str(raised.value)


def test_generators_are_no_tools() -> None:
    def rows() -> Any:
        """Rows."""
        yield 1

    async def later() -> Any:
        """Rows."""
        yield 1

    for function in (rows, later):
        with pytest.raises(AgentError, match="generator"):
            _plain()(function)


def test_a_wrapped_function_is_declared_by_its_own_signature() -> None:
    def logged(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def inner(*arguments: Any, **named: Any) -> Any:
            return function(*arguments, **named)

        return inner

    @tool(effect="read")
    @logged
    def find(a: int) -> int:
        """Find."""
        return a

    assert list(parameters(find)["properties"]) == ["a"]
