"""Words for errors that a model reads: bounded, on one line, safe to encode as UTF-8."""

import re
from collections.abc import Iterable

from handrail.vocab.redaction import redacted

LONGEST = 800
LONGEST_VALUE = 80
LONGEST_RAISED = 300
UNFIT = re.compile("[\0\ud800-\udfff]")
"""NUL, and halves of surrogate pairs."""


def cut(value: object, longest: int = LONGEST_VALUE) -> str:
    """The value as Python writes it (but `null`, `true` and `false` as JSON does), at most that long."""
    word = "null" if value is None else str(value).lower() if isinstance(value, bool) else repr(value)
    return shortened(word, longest)


def shortened(text: str, longest: int = LONGEST) -> str:
    """At most so many characters; three dots say that there was more."""
    return text if len(text) <= longest else text[: longest - 3] + "..."


def at(path: Iterable[str | int]) -> str:
    """The dotted path of a field, or a word for the whole."""
    return ".".join(str(part) if isinstance(part, int) else _key(part) for part in path) or "the arguments"


def listed(options: Iterable[object], most: int = 20) -> str:
    """Options one after the other, as many as fit."""
    shown = [cut(option, 40) for option in options]
    return ", ".join(shown[:most]) + (f" and {len(shown) - most} more" if len(shown) > most else "")


def raised(error: BaseException) -> str:
    """An exception in one line of at most 300 characters; what looks like a credential is left out."""
    text = redacted(" ".join(str(error).split()))
    return shortened(safe(f"{type(error).__name__}: {text}" if text else type(error).__name__), LONGEST_RAISED)


def safe(text: str) -> str:
    """The text without NUL and without halves of surrogate pairs, which no store and no wire takes."""
    return UNFIT.sub("\ufffd", text)


def _key(part: str) -> str:
    return safe(shortened(part, 40))
