"""What `@tool` takes and refuses, `ABSENT`, and the protocol that the core asks for."""

import copy
import math
import pickle
from typing import Any

import pytest

from handrail.core.ring import Callable
from handrail.errors import AgentError
from handrail.tools import ABSENT, Absent, tool
from handrail.vocab.calls import ToolEffect, Where
from tests.tools.kit import fitting, lookup_orders


def act(a: int = 1) -> int:
    """Act."""
    return a


def test_a_tool_is_what_the_core_asks_for() -> None:
    made: Callable = tool(effect="write", where="person", timeout=5, produces={"leg"})(act)
    assert (made.name, made.effect, made.where, made.timeout, made.produces) == (
        "act",
        ToolEffect.WRITE,
        Where.PERSON,
        5,
        frozenset({"leg"}),
    )
    assert repr(made) == "<Tool act (write, person)>"


def test_the_function_can_still_be_called_by_itself() -> None:
    assert tool(effect="read")(act).function(3) == 3


def test_an_effect_that_is_not_said_is_asked_for_with_the_three_choices() -> None:
    asked: tuple[tuple[tuple[Any, ...], dict[str, Any]], ...] = (((act,), {}), ((), {}), ((), {"timeout": 1}))
    for given, named in asked:
        with pytest.raises(AgentError, match=r"@tool\(effect=\.\.\.\) with 'read' .* 'idempotent' .* 'write'"):
            tool(*given, **named)


def test_a_tool_that_deletes_cannot_be_registered_and_is_told_why() -> None:
    effect: Any = "destroy"
    with pytest.raises(AgentError, match="nobody can undo"):
        tool(effect=effect)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"effect": "reads"}, "effect='reads' is unknown"),
        ({"where": "here"}, "where='here' is unknown"),
        ({"timeout": 0}, "timeout=0"),
        ({"timeout": math.inf}, "timeout=inf"),
        ({"timeout": math.nan}, "timeout=nan"),
        ({"produces": "leg"}, "give a set of kinds, such as {'leg'}"),
        ({"name": "with space"}, "'with space'"),
        ({"name": "x" * 65}, "at most 64"),
        ({"name": ""}, "give it one"),
        ({"examples": [{"b": 1}]}, "an example of tool 'act' does not fit its declaration: 'b' is no key"),
    ],
)
def test_wrong_settings_are_refused_at_once(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(AgentError) as raised:
        tool(**({"effect": "read"} | settings))(act)
    assert words in str(raised.value)


def test_examples_are_kept_as_the_model_would_have_sent_them() -> None:
    assert tool(effect="read", examples=[{"a": 2.0}, {}])(act).examples == ({"a": 2}, {})


def test_defaults_are_not_filled_in_into_the_canonical_arguments() -> None:
    assert fitting(lookup_orders.parse('{"customer_email":"a"}')).canonical == '{"customer_email":"a"}'


def test_canonical_arguments_do_not_depend_on_notation() -> None:
    texts = ('{"limit":5,"customer_email":"é"}', ' {"customer_email": "\\u00e9", "limit": 5.0}', '{"customer_email":"é","limit":50e-1}')
    assert {fitting(lookup_orders.parse(text)).canonical for text in texts} == {'{"customer_email":"é","limit":5}'}


def test_absent_is_one_false_value_everywhere() -> None:
    assert not ABSENT
    assert repr(ABSENT) == "ABSENT"
    copies: list[Absent] = [copy.deepcopy(ABSENT), pickle.loads(pickle.dumps(ABSENT))]
    assert all(each is ABSENT for each in copies)


def test_the_word_absent_from_a_model_is_not_absence() -> None:
    assert not hasattr(lookup_orders.parse('{"customer_email":"a","status":"absent"}'), "canonical")
