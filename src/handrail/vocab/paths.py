"""Dotted paths into nested arguments: `legs.origin` is the origin of every leg.

A list on the way is gone through item by item; a missing key or a null yields nothing.
"""

from collections.abc import Mapping, Sequence
from typing import Any


def values_at(value: Any, path: str) -> tuple[Any, ...]:
    """Every value that the path leads to, in order; an empty path is the value itself."""
    found: list[Any] = []
    _walk(value, [part for part in path.split(".") if part], found)
    return tuple(found)


def _walk(value: Any, parts: Sequence[str], found: list[Any]) -> None:
    if isinstance(value, (list, tuple)):
        for item in value:
            _walk(item, parts, found)
    elif not parts:
        if value is not None:
            found.append(value)
    elif isinstance(value, (dict, Mapping)) and parts[0] in value:
        _walk(value[parts[0]], parts[1:], found)
