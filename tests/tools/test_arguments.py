"""Untrusted text is read strictly, and nothing that it holds makes the reading raise."""

import json

import pytest

from handrail.core.ring import Unfit
from handrail.tools.arguments import MOST_BYTES, Decoded, decode


def _refused(text: str) -> str:
    made = decode(text)
    assert isinstance(made, Unfit), made
    assert len(made.reason) <= 800
    made.reason.encode()
    return made.reason


def test_good_json_is_decoded() -> None:
    assert decode(' {"a": [1, 2.5, "x", null, true]} ') == Decoded({"a": [1, 2.5, "x", None, True]})


@pytest.mark.parametrize("text", ['{"to":"a","to":"b"}', '{"x":[{"to":1,"to":1}]}', '{"to":1,"x":2,"\\u0074o":3}'])
def test_a_key_given_twice_is_refused_and_named(text: str) -> None:
    assert _refused(text) == "the key 'to' is given twice; give each key once"


@pytest.mark.parametrize(
    "text", ["{", "", "{'a':1}", '{"a":1,}', '{"a":1} x', '{"a":\x01}', '{"a":"\n"}', "\ufeff{}", '{"a":01}', "nul", '"\\x"', '"\ud800']
)
def test_broken_json_is_refused_with_its_place(text: str) -> None:
    assert "not valid JSON" in _refused(text) and "at character" in _refused(text)


def test_size_is_counted_in_bytes_before_anything_is_parsed() -> None:
    assert isinstance(decode(json.dumps("x" * (MOST_BYTES - 2))), Decoded)
    for text in ("[" * (MOST_BYTES + 1), json.dumps("x" * (MOST_BYTES - 1)), '"' + "é" * (MOST_BYTES // 2) + '"'):
        assert "at most 256 KiB" in _refused(text)


@pytest.mark.parametrize("text", ["[" * 65 + "]" * 65, "[" * 100_000, '{"a":' * 65 + "1" + "}" * 65, '["\\"[",' * 65, "[{" * 33])
def test_depth_is_bounded_before_anything_is_parsed(text: str) -> None:
    assert "at most 64 levels" in _refused(text)


@pytest.mark.parametrize(
    "text", ["[" * 64 + "]" * 64, "[" + "[]," * 500 + "[]]", json.dumps(["[" * 500]), json.dumps(['"' + "\\" * 7 + "[{" * 500])]
)
def test_wide_is_not_deep_and_brackets_in_a_text_are_text(text: str) -> None:
    assert isinstance(decode(text), Decoded)


def test_a_text_that_never_ends_is_read_once() -> None:
    """With one try for each quote this would take hours."""
    assert _refused("[" * 60 + '"' + '\\"[{' * 40_000)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a":{"b":["\\u0000"]}}', "a.b.0 must not contain the character NUL (\\u0000)"),
        ('{"a\\u0000":1}', "a key must not contain the character NUL (\\u0000)"),
        ('{"a":"\\ud83d"}', "a must not contain half of a surrogate pair; write the whole character"),
        ('{"a":"\\ude00\\ud83d"}', "a must not contain half of a surrogate pair; write the whole character"),
        ('{"a":"\ud83d"}', "a must not contain half of a surrogate pair; write the whole character"),
        ('{"\\udfff":1}', "a key must not contain half of a surrogate pair; write the whole character"),
    ],
)
def test_nul_and_halves_of_surrogate_pairs_are_refused_by_field(text: str, said: str) -> None:
    assert _refused(text) == said


@pytest.mark.parametrize(
    ("text", "value"), [('"\\\\u0000"', "\\u0000"), ('"\\ud83d\\ude00"', "😀"), ('"😀é\\u00e9"', "😀éé"), ('"\\\\ud800"', "\\ud800")]
)
def test_whole_characters_and_literal_backslashes_are_kept(text: str, value: str) -> None:
    assert decode(text) == Decoded(value)


def test_a_long_number_is_exact_up_to_a_hundred_digits() -> None:
    assert decode("9" * 100) == Decoded(int("9" * 100))
    assert _refused("[" + "9" * 101 + "]") == "the number 999999999999... has 101 digits; at most 100 are taken"
