"""Replies for the tasks' scripts, in the words of the apps' tools."""

from typing import Any

from handrail.apps.delivery import data
from handrail.testing import calls
from handrail.vocab.requests import ModelAnswer

UUIDS = {line.name: line.restaurant_uuid for line in data.restaurants()}
OF_DISH = {line.food_id: line.restaurant_uuid for line in data.dishes()}


def lookup(*addresses: str, **more: Any) -> ModelAnswer:
    """Look up the orders of these customers."""
    return calls(*(("lookup_orders", {"customer_email": address, **more}) for address in addresses))


def search(*foods: str, name: str | None = None, **more: Any) -> ModelAnswer:
    """Search for dishes, or for a restaurant by its name."""
    named = {} if name is None else {"name_of_restaurant": name}
    return calls(("get_restaurant_pages", {"food_requested": list(foods), **named, **more}))


def menu(restaurant: str) -> ModelAnswer:
    """Read a menu."""
    return calls(("get_menu_of_restaurant", {"restaurant_uuid": UUIDS[restaurant]}))


def opens(restaurant: str) -> ModelAnswer:
    """Open a restaurant's page."""
    return calls(("open_restaurant_page", {"restaurant_uuid": UUIDS[restaurant]}))


def adds(*dishes: int | tuple[int, int]) -> ModelAnswer:
    """Put dishes into the cart, each a number, or a number and how many."""
    pairs = [dish if isinstance(dish, tuple) else (dish, 1) for dish in dishes]
    return calls(*(("add_food_to_cart", {"restaurant_uuid": OF_DISH[food], "food_id": food, "quantity": many}) for food, many in pairs))


def removes(*dishes: int | tuple[int, int]) -> ModelAnswer:
    """Take dishes out of the cart; without a number all of them."""
    pairs = [(dish[0], {"quantity": dish[1]}) if isinstance(dish, tuple) else (dish, {}) for dish in dishes]
    return calls(*(("remove_food_from_cart", {"restaurant_uuid": OF_DISH[food], "food_id": food, **many}) for food, many in pairs))


def does(tool: str, **arguments: Any) -> ModelAnswer:
    """Any other click."""
    return calls((tool, arguments))


def places() -> ModelAnswer:
    """Place the order."""
    return calls(("place_order", {}))
