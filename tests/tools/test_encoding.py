"""Results as text: what each kind becomes, and what is an error instead of a quiet loss."""

import dataclasses
import datetime as dt
import decimal
import enum
import json
import math
import uuid
from typing import Any

import msgspec
import pytest
from pydantic import BaseModel

from handrail.core.attempt import Raised, attempt
from handrail.tools import Failed, Lost, Result, Returned, Tool, tool
from handrail.tools.encoding import MOST_SHOWN, Undeclared, encode, shown
from handrail.vocab.facts import Fact
from tests.tools.kit import CONTEXT


class Colour(enum.StrEnum):
    RED = "red"


class Model(BaseModel):
    at: dt.date


@dataclasses.dataclass
class Data:
    n: int


class Struct(msgspec.Struct, rename="camel"):
    first_name: str
    model: Model


def _content(value: Any) -> str:
    returned = encode(value, "t", frozenset())
    assert isinstance(returned, Returned)
    assert not returned.text
    return returned.content


def test_text_stays_text_and_nothing_is_an_empty_one() -> None:
    assert encode('{"a":1}', "t", frozenset()) == Returned(content='{"a":1}', text=True)
    assert encode(None, "t", frozenset()) == Returned(content="", text=True)
    assert encode(Result("x"), "t", frozenset()) == Returned(content="x", text=True)


@pytest.mark.parametrize(
    ("value", "content"),
    [
        ({"b": 1, "a": [True, None, 1.5]}, '{"b":1,"a":[true,null,1.5]}'),
        (12345678901234567890123, "12345678901234567890123"),
        (Model(at=dt.date(2025, 2, 28)), '{"at":"2025-02-28"}'),
        ([Data(1)], '[{"n":1}]'),
        (Struct("Ada", Model(at=dt.date(2025, 2, 28))), '{"firstName":"Ada","model":{"at":"2025-02-28"}}'),
        ({"at": dt.datetime(2025, 2, 28, tzinfo=dt.UTC)}, '{"at":"2025-02-28T00:00:00Z"}'),
        (decimal.Decimal("1.10"), '"1.10"'),
        (uuid.UUID(int=1), '"00000000-0000-0000-0000-000000000001"'),
        ({1: (Colour.RED,)}, '{"1":["red"]}'),
        ("é", "é"),
        (["é"], '["é"]'),
    ],
)
def test_every_other_value_becomes_json(value: Any, content: str) -> None:
    made = encode(value, "t", frozenset())
    assert isinstance(made, Returned) and made.content == content


def test_nul_and_halves_of_surrogate_pairs_become_replacement_characters() -> None:
    assert encode("a\0b\ud800c", "t", frozenset()) == Returned(content="a\ufffdb\ufffdc", text=True)
    assert json.loads(_content({"k\0": ["\ud800", "\0\0", "x"]})) == {"k\ufffd": ["\ufffd", "\ufffd\ufffd", "x"]}


def test_literal_backslash_text_is_untouched() -> None:
    for text in ("\\u0000", "\\\\u0000", "\\", "a\\u0000\0"):
        assert json.loads(_content([text])) == [text.replace("\0", "\ufffd")]


@pytest.mark.parametrize("value", [math.nan, math.inf, {"mean": math.nan}, [[-math.inf]], Data(math.nan)])  # type: ignore[arg-type]  # a float in an int's place
def test_a_number_that_is_not_finite_has_no_json_form(value: Any) -> None:
    made = attempt(encode, value, "t", frozenset())
    assert isinstance(made, Raised) and "where JSON has numbers only" in made.what


def _circular() -> Any:
    inner: list[Any] = []
    inner.append(inner)
    return inner


NO_FACT: Any = "no fact"
UNENCODABLE = [
    object(), lambda: None, b"\xff", _circular(), {"x": {1, object()}}, Result(1, facts=[NO_FACT]), Result(1, facts=[Fact("k", object())]),
]  # fmt: skip


@pytest.mark.parametrize("value", UNENCODABLE, ids=[str(index) for index in range(len(UNENCODABLE))])
def test_what_has_no_json_form_is_an_error(value: Any) -> None:
    assert isinstance(attempt(encode, value, "t", frozenset({"k"})), Raised)


def test_a_long_result_reaches_the_model_cut_with_a_note_and_is_kept_whole() -> None:
    returned = encode("x" * (MOST_SHOWN + 1), "t", frozenset())
    assert isinstance(returned, Returned)
    assert len(returned.content) == MOST_SHOWN + 1
    assert returned.shown == "x" * MOST_SHOWN + "\n[cut: the first 16000 of 16001 characters; ask for less at a time]"
    assert shown("x" * MOST_SHOWN) is None


def test_facts_carry_the_name_of_the_tool_and_values_of_json() -> None:
    fact = Fact("leg", Data(1), key="first", about={"at": dt.date(2025, 2, 28)}, tool="forged")
    made = encode(Result({}, facts=[fact]), "drive", frozenset({"leg"}))
    assert isinstance(made, Returned)
    assert made.facts == (Fact("leg", {"n": 1}, key="first", about={"at": "2025-02-28"}, tool="drive"),)


def test_a_kind_of_fact_that_is_not_declared_is_named_and_left_out() -> None:
    made = encode(Result("done", facts=[Fact("a", 1), Fact("b", 2)]), "t", frozenset({"a"}))
    assert isinstance(made, Undeclared)
    assert made.returned.facts == (Fact("a", 1, tool="t"),)
    assert "['b']" in made.problem and "produces=['a']" in made.problem


def _handing_back(value: Any, effect: Any) -> Tool:
    @tool(effect=effect)
    async def hand_back() -> Any:
        """Hand it back."""
        return value

    return hand_back


async def test_case_08_nan_in_a_result_is_an_explicit_error_and_never_null() -> None:
    read = await _handing_back({"mean": math.nan}, "read").run("{}", CONTEXT)
    assert isinstance(read, Failed) and "the result has nan at mean" in read.error
    write = await _handing_back({"mean": math.nan}, "write").run("{}", CONTEXT)
    assert isinstance(write, Lost) and "outcome unknown" in write.error and "nan at mean" in write.error


async def test_an_undeclared_fact_fails_a_read_but_a_write_is_not_called_unknown(caplog: pytest.LogCaptureFixture) -> None:
    result = Result("done", facts=[Fact("b", 2)])
    read = await _handing_back(result, "read").run("{}", CONTEXT)
    assert isinstance(read, Failed) and "hand_back has a bug" in read.error and "'b'" in read.error
    assert await _handing_back(result, "write").run("{}", CONTEXT) == Returned(content="done", text=True)
    assert "they are left out" in caplog.text
