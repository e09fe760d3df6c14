"""What was written in the form is a call or a text, as from any provider; what was cut is never half a call."""

import json
from typing import Any

import pytest

from handrail.models.local.aliases import Aliases
from handrail.models.local.reading import read, words
from handrail.vocab.requests import ModelAnswer

LOOKUP = {"properties": {"email": {}, "status": {}}, "required": ["email"]}


def reading(written: str | None, said: str = "", **fields: Any) -> ModelAnswer:
    return read(ModelAnswer(text=written, **fields), {"lookup": LOOKUP}, said=said, aliases=Aliases())


def test_a_call_is_a_call() -> None:
    answer = reading('{"tool": "lookup", "arguments": {"email": "a@b.example", "status": "shipped"}}', said="shipped ones")
    (call,) = answer.calls
    assert answer.text is None and answer.finish == "tool_calls" and answer.extra == {}
    assert (call.name, json.loads(call.arguments or "")) == ("lookup", {"email": "a@b.example", "status": "shipped"})


def test_what_is_left_out_is_kept_beside_the_reply() -> None:
    answer = reading('{"tool": "lookup", "arguments": {"email": "a@b.example", "status": "shipped"}}', said="all of them")
    assert json.loads(answer.calls[0].arguments or "") == {"email": "a@b.example"}
    assert answer.extra == {"left_out": {"status": "shipped"}}


def test_a_text_is_a_text() -> None:
    assert reading('{"say": "Two \\"new\\" ones: \\u00e9."}').text == 'Two "new" ones: é.'


def test_a_text_that_was_cut_is_taken_as_far_as_it_goes() -> None:
    answer = reading('{"say": "Two new on', finish="length")
    assert (answer.text, answer.finish) == ("Two new on", "length")


@pytest.mark.parametrize("written", [None, "", "{", '{"tool": "lookup", "arguments": {"ema', '{"tool": "loo', '{"say": "', '{"say": "  "}'])
def test_what_is_nothing_whole_is_an_empty_reply(written: str | None) -> None:
    answer = reading(written, finish="length")
    assert answer.text is None and answer.calls == ()


def test_a_call_that_is_whole_at_the_limit_is_still_one_that_was_cut() -> None:
    answer = reading('{"tool": "lookup", "arguments": {"email": "a@b.example"}}', finish="length")
    assert answer.calls and answer.finish == "length"


@pytest.mark.parametrize(
    ("written", "so_far"),
    [
        ('{"s', ""),
        ('{"say": "', ""),
        ('{"say": "a\\', "a"),
        ('{"say": "a\\u00', "a"),
        ('{"say": "a\\u00e9', "aé"),
        ('{"say": "a\\nb"', "a\nb"),
        ('{"say": "a\\ud83d\\ude00"', "a😀"),
        ('{"say": "a\\ud83d"', "a\ufffd"),
        ('{"tool": "say"', ""),
    ],
)
def test_the_words_so_far(written: str, so_far: str) -> None:
    assert words(written) == so_far
