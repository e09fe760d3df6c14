"""Restaurants and their menus as the whole app sees them: read once, and never changed.

A restaurant's words (names, descriptions) are its own; nobody else has read them.
"""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from handrail.apps.delivery.hours import Hours

DIETS = ("vegan", "vegetarian", "gluten-free")
"""Tags that somebody has to be able to rely on."""


class Dish(msgspec.Struct, frozen=True, kw_only=True):
    """A line of a menu. Two restaurants may have dishes of one name; the number is what tells them apart."""

    food_id: int
    restaurant_uuid: str
    name: str
    description: str
    price_cents: int
    kind: str
    tags: tuple[str, ...]


class Restaurant(msgspec.Struct, frozen=True, kw_only=True):
    """A restaurant without its menu."""

    restaurant_uuid: str
    name: str
    cuisine: str
    description: str
    rating: float
    hours: Hours


class Catalogue:
    """All restaurants and all dishes."""

    def __init__(self, restaurants: Iterable[Restaurant], dishes: Iterable[Dish]) -> None:
        """Keep them in the order in which they come."""
        self.restaurants: Mapping[str, Restaurant] = {each.restaurant_uuid: each for each in restaurants}
        self.dishes: Mapping[int, Dish] = {each.food_id: each for each in dishes}

    def menu(self, restaurant_uuid: str) -> Sequence[Dish]:
        """The dishes of a restaurant, in the order of their numbers."""
        return [dish for dish in self.dishes.values() if dish.restaurant_uuid == restaurant_uuid]

    def dish(self, restaurant_uuid: str, food_id: int) -> Dish | None:
        """A dish of that restaurant."""
        found = self.dishes.get(food_id)
        return found if found is not None and found.restaurant_uuid == restaurant_uuid else None
