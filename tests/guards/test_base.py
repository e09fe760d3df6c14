"""The defaults that every guard begins with."""

from collections.abc import Iterable
from datetime import timedelta
from enum import StrEnum
from typing import Any

import pytest

from handrail.core.ring import Guard
from handrail.guards import BaseGuard, CallLimit, TurnLimit
from handrail.guards.base import plain
from handrail.guards.declared import dotted, duration, function, one_of, positive, text, tool_name, tool_names, whole
from handrail.guards.words import LONGEST, joined, listed, shown
from handrail.vocab.canonical import canonical
from handrail.vocab.verdicts import ALLOW
from tests.guards.given import Masked, a_call, a_state, an_agent


class Weekday(BaseGuard):
    """Only on some days."""

    def __init__(self, tool: str, days: Iterable[str]) -> None:
        super().__init__(tool)
        self.tool = tool
        self.days = frozenset(days)
        self._cache = "private"


def test_a_guard_without_overrides_has_nothing_against_anything() -> None:
    guard: Guard = BaseGuard()
    nothing = Masked(a_state(), ())
    assert guard.offers(nothing, "search")
    assert guard.judges(nothing, a_call("search")) == ALLOW
    assert guard.accepts(nothing, "text") == ALLOW
    assert guard.limits(nothing) is None
    assert (guard.looks, guard.tools, guard.holds, guard.refuses_text, guard.may_withdraw_submit) == ((), (), (), False, True)


def test_a_guard_is_asked_only_what_it_has_a_say_in() -> None:
    limit, silent = CallLimit("search", 2), BaseGuard()
    agent = an_agent(limit, silent, TurnLimit(9))
    assert (agent.offering, agent.judging) == ((limit,), (limit,))
    assert [guard.name for guard in agent.limiting] == ["TurnLimit(9)"]


def test_a_name_is_made_of_the_class_and_what_it_is_about() -> None:
    assert BaseGuard().name == "BaseGuard"
    assert Weekday("deliver", ["mon"]).name == "Weekday(deliver)"
    assert repr(Weekday("deliver", ["mon"])) == "Weekday(deliver)"


def test_a_guard_under_another_name_is_the_same_guard() -> None:
    guard = Weekday("deliver", ["mon"])
    other = guard.named("weekdays only")
    assert (other.name, other.settings) == ("weekdays only", guard.settings)
    assert guard.name == "Weekday(deliver)"


def test_settings_are_the_public_attributes_in_plain_json() -> None:
    guard = Weekday("deliver", ["tue", "mon"])
    guard.tools = ("deliver",)
    assert guard.settings == {"tool": "deliver", "days": ["mon", "tue"]}


def test_another_setting_gives_the_agent_another_fingerprint() -> None:
    one, same, other = (an_agent(Weekday("search", days)) for days in (["mon", "tue"], ["tue", "mon"], ["mon"]))
    assert one.fingerprint == same.fingerprint != other.fingerprint


class Colour(StrEnum):
    RED = "red"


def _rule() -> None:
    """A function with a name."""


class _Called:
    def __call__(self) -> None:
        """An object that can be called and has no name of its own."""


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Colour.RED, "red"),
        (timedelta(minutes=2), 120.0),
        ({"b": (1, 2.5), 1: None}, {"b": [1, 2.5], "1": None}),
        (frozenset({"b", "a"}), ["a", "b"]),
        (_rule, f"{__name__}._rule"),
        (_Called(), f"{__name__}._Called"),
        (True, True),
    ],
)
def test_settings_become_plain(value: object, expected: object) -> None:
    assert plain(value) == expected
    assert canonical(plain(value))


def test_an_agent_among_settings_is_its_fingerprint() -> None:
    agent = an_agent()
    assert plain(agent) == agent.fingerprint


@pytest.mark.parametrize(
    ("check", "good", "bad"),
    [
        (lambda value: tool_name("G", value), ["search"], ["", None, 3, ["search"]]),
        (lambda value: tool_names("G", value), ["a", ["a", "b"], (), {"a": 1}], [3, [""], ["a", None]]),
        (lambda value: dotted("G", value), ["legs", "legs.origin"], ["", "legs.", ".a", "a..b", None]),
        (lambda value: whole("G", "most", value), [1, 7], [0, -1, 1.0, True, "3", None]),
        (lambda value: whole("G", "most", value, least=0), [0, 7], [-1, False]),
        (lambda value: positive("G", "seconds", value), [1, 0.5], [0, -1, True, float("nan"), float("inf"), "3", None]),
        (lambda value: text("G", "kind", value), ["place"], ["", None, 3]),
        (lambda value: function("G", "show", value), [_rule], [None, "f", _Called()]),
        (lambda value: duration("G", "expires", value), [timedelta(seconds=1)], [timedelta(0), timedelta(-1), 60, None]),
        (lambda value: one_of("G", "per", value, ("run", "message")), ["run"], ["turn", "", None]),
    ],
)
def test_what_a_guard_is_declared_with_is_checked_at_once(check: Any, good: list[Any], bad: list[Any]) -> None:
    for value in good:
        check(value)
    for value in bad:
        with pytest.raises(Exception, match=r"^G ") as caught:
            check(value)
        assert type(caught.value).__name__ == "AgentError", value


def test_several_names_are_kept_once_and_in_order() -> None:
    assert tool_names("G", ["b", "a", "b"]) == ("b", "a")
    assert tool_names("G", "search") == ("search",)


def test_values_are_shown_as_repr_has_them_and_cut() -> None:
    assert shown("成都") == "'成都'"
    assert shown(5) == "5"
    cut = shown("x" * 1_000)
    assert len(cut) == LONGEST and cut.endswith("…")


def test_lists_of_values_say_how_many_more_there_are() -> None:
    assert listed(["a", "b"], 2) == "'a', 'b'"
    assert listed(["a", "b", "c"], 2) == "'a', 'b' and 1 more"
    assert joined(["a"]) == "a"
    assert joined(["a", "b", "c"]) == "a, b and c"
