"""Whatever a model sends: `parse` does not raise, and what it lets through fits the declaration."""

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from jsonschema_rs import Draft202012Validator

from handrail.core.ring import Parsed, Unfit
from handrail.tools import Tool
from tests.tools.kit import lookup_orders, parameters, ping
from tests.tools.test_cases import find, pay, record, save, walk
from tests.tools.test_schema import evaluate

TOOLS = (ping, lookup_orders, save, find, pay, walk, record, evaluate)
_KEYS = (
    "customer_email",
    "status",
    "limit",
    "tags",
    "body",
    "either",
    "shape",
    "payment",
    "by",
    "number",
    "root",
    "v",
    "kids",
    "id",
    "ratio",
    "x",
    "",
)
_any_text = st.text(st.characters(exclude_categories=()), max_size=20)
_words = st.sampled_from(
    ["", "null", "None", "[]", '["a"]', '{"a":1}', "{}", "placed", "card", "5", "2025-02-28", "\0", "\ud800", "\\u0000"]
)
_leaves = st.one_of(
    st.none(), st.booleans(), st.integers(), st.sampled_from([5.0, 1e22, 10**30, 2**53, -0.0]), st.floats(), _words, _any_text
)
_values = st.recursive(
    _leaves, lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.sampled_from(_KEYS), inner, max_size=4)), max_leaves=20
)
_objects = st.dictionaries(st.sampled_from(_KEYS), _values, max_size=5)
_json = st.builds(json.dumps, st.one_of(_objects, _values), ensure_ascii=st.booleans())
_twice = st.builds(json.dumps, _json)
_torn = st.builds(
    lambda text, at, more: text[:at] + more + text[at:],
    _json,
    st.integers(0, 80),
    st.sampled_from(['"', "{", "]", "\\", ",", "NaN", "\ud800"]),
)
_texts = st.one_of(st.none(), _any_text, _json, _twice, _torn)


def _holds(tool: Tool, arguments: str | None) -> None:
    made = tool.parse(arguments)
    match made:
        case Unfit(reason=said):
            assert 0 < len(said) <= 800
            assert "\n" not in said
            said.encode()
        case Parsed(canonical=text, values=values):
            assert Draft202012Validator(parameters(tool), validate_formats=True).is_valid(values)
            assert json.loads(text) == values
            assert tool.parse(text) == made, "what was parsed once is parsed to the same"
            text.encode()


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
@given(arguments=_texts)
@example(arguments="[" * 100_000)
@example(arguments='{"a":' * 5_000)
@example(arguments="1" * 5_000)
@example(arguments='{"id":9007199254740991.0}')
@example(arguments='{"id":-0.0}')
def test_parse_never_raises_and_lets_through_only_what_fits(tool: Tool, arguments: str | None) -> None:
    _holds(tool, arguments)


@given(
    email=st.text(min_size=1).filter(lambda text: "\0" not in text), limit=st.integers(1, 50), status=st.sampled_from(["placed", "shipped"])
)
def test_good_arguments_pass_unchanged_in_any_notation(email: str, limit: int, status: str) -> None:
    good: dict[str, Any] = {"customer_email": email, "limit": limit, "status": status}
    for given_ in (good, dict(reversed(good.items())), good | {"limit": float(limit)}):
        for ascii_only in (True, False):
            made = lookup_orders.parse(json.dumps(given_, ensure_ascii=ascii_only, indent=1))
            assert isinstance(made, Parsed)
            assert made.values == good and type(made.values["limit"]) is int
