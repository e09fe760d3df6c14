"""How refusals show values and names: in the model's own terms, and bounded, since both can come from a model."""

from collections.abc import Iterable, Sequence
from typing import Any

LONGEST = 80
"""Characters of one value that are shown."""


def shown(value: Any) -> str:
    """The value as `repr` has it, cut."""
    text = repr(value)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def listed(values: Sequence[Any], most: int) -> str:
    """The first few values, and how many more there are: `'a', 'b' and 3 more`."""
    more = len(values) - most
    return ", ".join(map(shown, values[:most])) + (f" and {more} more" if more > 0 else "")


def joined(parts: Iterable[str]) -> str:
    """Parts in a row: `a, b and c`."""
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last
