"""Checks of what a guard is declared with: what is wrong is said at once, by name, not in the middle of a run."""

from collections.abc import Iterable
from datetime import timedelta
from math import isfinite
from typing import Any

from handrail.errors import AgentError


def tool_name(guard: str, value: Any) -> str:
    """The name of a tool.

    Raises:
        AgentError: it is no text, such as the tool itself, or an empty one.
    """
    if not isinstance(value, str) or not value:
        raise AgentError(f"{guard} names a tool by its name, a text such as 'search_notes', not {value!r}")
    return value


def tool_names(guard: str, value: str | Iterable[str]) -> tuple[str, ...]:
    """One name or several, each once, in order.

    Raises:
        AgentError: one of them is no name.
    """
    names = [value] if isinstance(value, str) or not isinstance(value, Iterable) else value
    return tuple(dict.fromkeys(tool_name(guard, name) for name in names))


def dotted(guard: str, value: Any) -> str:
    """A path into a call's arguments.

    Raises:
        AgentError: it is no text, or has an empty part.
    """
    if not isinstance(value, str) or not all(value.split(".")):
        raise AgentError(f"{guard} takes a path into the arguments, such as 'legs' or 'legs.origin', not {value!r}")
    return value


def whole(guard: str, name: str, value: Any, *, least: int = 1) -> int:
    """A whole number.

    Raises:
        AgentError: it is none, or is below the least.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise AgentError(f"{guard} takes a whole number from {least} on for {name!r}, not {value!r}")
    return value


def positive(guard: str, name: str, value: Any) -> float:
    """A finite number above 0.

    Raises:
        AgentError: it is none.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value) or value <= 0:
        raise AgentError(f"{guard} takes a number above 0 for {name!r}, not {value!r}")
    return value


def one_of(guard: str, name: str, value: Any, choices: tuple[str, ...]) -> None:
    """One of a few words.

    Raises:
        AgentError: it is another.
    """
    if value not in choices:
        raise AgentError(f"{guard} takes {' or '.join(map(repr, choices))} for {name!r}, not {value!r}")


def text(guard: str, name: str, value: Any) -> str:
    """A text that is not empty.

    Raises:
        AgentError: it is none.
    """
    if not isinstance(value, str) or not value:
        raise AgentError(f"{guard} takes a text for {name!r}, not {value!r}")
    return value


def function(guard: str, name: str, value: Any) -> Any:
    """Something to call that has a name.

    Raises:
        AgentError: it is none.
    """
    if not callable(value) or not hasattr(value, "__name__"):
        raise AgentError(f"{guard} takes a function for {name!r}, not {value!r}")
    return value


def duration(guard: str, name: str, value: Any) -> timedelta:
    """A duration above 0.

    Raises:
        AgentError: it is none.
    """
    if not isinstance(value, timedelta) or value <= timedelta(0):
        raise AgentError(f"{guard} takes a timedelta above 0 for {name!r}, not {value!r}")
    return value
