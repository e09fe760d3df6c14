"""What a run knows of restaurants, dishes, the cart and the open page, read from the facts of its ledger.

Rules: nothing here was said by a model; it came from look-ups or from the interface, whose ids the server has checked. A detail that nobody
knows is `None`, and no reason to refuse.
"""

from collections.abc import Iterable
from typing import Any, TypeVar

import msgspec

from handrail import Fact
from handrail.apps.delivery.carts import Line

RESTAURANT, DISH, CART, PAGE = "restaurant", "dish", "cart", "page"
"""The kinds of facts. The value of a restaurant and of a page is a uuid, of a dish its number, of a cart its version."""

T = TypeVar("T")


class KnownRestaurant(msgspec.Struct, frozen=True, kw_only=True):
    """A restaurant, as it was when it was last looked up."""

    restaurant_uuid: str
    name: str = "?"
    open: bool | None = None
    opens: str | None = None


class KnownDish(msgspec.Struct, frozen=True, kw_only=True):
    """A dish of a menu."""

    food_id: int
    name: str = "?"
    price_cents: int | None = None
    restaurant_uuid: str | None = None


class KnownCart(msgspec.Struct, frozen=True, kw_only=True):
    """The cart; one that is empty is no fact at all."""

    version: str
    restaurant_uuid: str | None = None
    restaurant: str = "?"
    open: bool | None = None
    opens: str | None = None
    lines: tuple[Line, ...] = ()
    total_cents: int | None = None


def restaurants(facts: Iterable[Fact]) -> dict[str, KnownRestaurant]:
    """Restaurants by uuid."""
    return {fact.value: _read(fact, KnownRestaurant, restaurant_uuid=fact.value) for fact in facts}


def dishes(facts: Iterable[Fact]) -> dict[int, KnownDish]:
    """Dishes by number."""
    return {fact.value: _read(fact, KnownDish, food_id=fact.value) for fact in facts}


def cart_in(facts: Iterable[Fact]) -> KnownCart | None:
    """The cart, if there is anything in it."""
    found = [_read(fact, KnownCart, version=fact.value) for fact in facts]
    return found[-1] if found else None


def restaurant_fact(restaurant_uuid: str, name: str, *, is_open: bool, opens: str | None) -> Fact:
    """A restaurant that may be named from now on."""
    about: dict[str, Any] = {"name": name, "open": is_open, "opens": opens}
    return Fact(RESTAURANT, restaurant_uuid, restaurant_uuid, about)


def dish_fact(food_id: int, name: str, *, price_cents: int, restaurant_uuid: str) -> Fact:
    """A dish that may be named from now on."""
    about: dict[str, Any] = {"name": name, "price_cents": price_cents, "restaurant_uuid": restaurant_uuid}
    return Fact(DISH, food_id, str(food_id), about)


def _read(fact: Fact, kind: type[T], **fields: Any) -> T:
    return msgspec.convert({**fact.about, **fields}, kind)
