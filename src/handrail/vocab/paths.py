"""Dotted paths into nested arguments: `legs.origin` is the origin of every leg.

A list on the way is gone through item by item; a missing key or a null yields nothing.
"""

from collections.abc import Iterator, Mapping
from typing import Any


def values_at(value: Any, path: str) -> tuple[Any, ...]:
    """Every value that the path leads to, in order; an empty path is the value itself."""
    return tuple(_walk(value, tuple(part for part in path.split(".") if part)))


def _walk(value: Any, parts: tuple[str, ...]) -> Iterator[Any]:
    if isinstance(value, list | tuple):
        for item in value:
            yield from _walk(item, parts)
    elif not parts:
        if value is not None:
            yield value
    elif isinstance(value, Mapping) and parts[0] in value:
        yield from _walk(value[parts[0]], parts[1:])
