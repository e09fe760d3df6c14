"""The made-up restaurants and menus: what the files in this folder hold, read and checked.

Rules: one JSON object a line; ids never change and are never given to something else.
"""

from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import msgspec


class RestaurantLine(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A line of `restaurants.jsonl`."""

    restaurant_uuid: str
    name: str
    cuisine: str
    description: str
    rating: float
    hours: dict[str, list[str]]


class DishLine(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A line of `dishes.jsonl`."""

    food_id: int
    restaurant_uuid: str
    name: str
    description: str
    price_cents: int
    kind: str
    tags: list[str]


def restaurants() -> list[RestaurantLine]:
    """Every restaurant, in the file's order."""
    return [msgspec.json.decode(line, type=RestaurantLine) for line in _lines("restaurants.jsonl")]


def dishes() -> list[DishLine]:
    """Every dish, in the file's order."""
    return [msgspec.json.decode(line, type=DishLine) for line in _lines("dishes.jsonl")]


def rows(lines: list[Any]) -> list[dict[str, Any]]:
    """Lines as rows of a table."""
    return [msgspec.to_builtins(line) for line in lines]


def _lines(name: str) -> Iterator[str]:
    text = (files(__package__) / name).read_text(encoding="utf-8")
    return (line for line in text.splitlines() if line)
