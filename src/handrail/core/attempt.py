"""Calling what users wrote (guards, documents, landings): whatever it raises becomes a value, since it must not end a run."""

from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from handrail.vocab.redaction import redacted

LONGEST_REASON = 300
T = TypeVar("T")


class Raised(msgspec.Struct, frozen=True):
    """What was raised: its type and the first line of its text, at most 300 characters, without what looks like a secret.

    It is false, so that a question of yes or no which raises is answered with no.
    """

    what: str

    def __bool__(self) -> bool:
        return False


def attempt(function: Callable[..., T], *arguments: Any) -> T | Raised:
    """The function's result, or what it raised."""
    try:
        return function(*arguments)
    except Exception as error:
        return raised(error)


def raised(error: Exception) -> Raised:
    """The exception as a value."""
    first = str(error).strip().splitlines()[:1]
    return Raised(f"{type(error).__name__}: {redacted(first[0]) if first else ''}"[:LONGEST_REASON])
