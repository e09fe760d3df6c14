"""Carts, on the server: one for each session of a user's, with dishes of one restaurant.

- What is added adds up; what is removed is the line that is named, and no other of the same name.
- Prices and totals are computed here, from the menus. Nobody sends any.
- A cart has a version, which changes with everything that a person sees of it: a yes to one cart is none to another.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any

import msgspec
from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from handrail.apps.delivery import trail
from handrail.apps.delivery.catalogue import Catalogue, Dish, Restaurant
from handrail.apps.delivery.possible import NotPossible
from handrail.apps.delivery.shop import Shop
from handrail.apps.delivery.tables import CartLineRow
from handrail.apps.delivery.trail import NewAct, Owner, What, Who

MOST_OF_ONE = 50
MOST_LINES = 40


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """A dish, and how often."""

    food_id: int
    name: str
    quantity: int
    price_cents: int


class Cart(msgspec.Struct, frozen=True, kw_only=True):
    """A cart as people see it.

    Args:
        version: of all the rest; `empty` where there are no lines.
    """

    restaurant_uuid: str | None = None
    restaurant: str | None = None
    lines: tuple[Line, ...] = ()
    total_cents: int = 0
    version: str = "empty"


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """A dish that is to be added or removed, by whom, and the act's id. Without a quantity all of it is removed."""

    act_id: str
    by: Who
    restaurant_uuid: str
    food_id: int
    quantity: int | None = None

    def act(self, what: What) -> NewAct:
        """The act that is written down for it."""
        ids = {"restaurant_uuid": self.restaurant_uuid, "food_id": self.food_id, "quantity": self.quantity}
        return NewAct(act_id=self.act_id, who=self.by, what=what, ids=ids)


async def cart(shop: Shop, owner: Owner) -> Cart:
    """The cart of a session."""
    catalogue = await shop.catalogue()
    async with shop.database.connect() as connection:
        return cart_of(catalogue, await lines(connection, owner))


async def add(shop: Shop, owner: Owner, wanted: Wanted) -> Cart:
    """Add a dish.

    Raises:
        NotPossible: there is no such dish there, the restaurant is closed, the cart is another restaurant's, or it is too much.
    """
    catalogue, act = await shop.catalogue(), wanted.act(What.FOOD_ADDED)
    async with shop.database.begin() as connection:
        await trail.lock(connection, owner)
        if await trail.earlier(connection, owner, act) is None:
            restaurant, dish = there(catalogue, wanted.restaurant_uuid, wanted.food_id)
            check_open(restaurant, shop.local())
            await _put(connection, owner, catalogue, dish, wanted.quantity or 1)
            await trail.add(connection, owner, act, at=shop.now())
        return cart_of(catalogue, await lines(connection, owner))


async def remove(shop: Shop, owner: Owner, wanted: Wanted) -> Cart:
    """Remove some or all of a dish.

    Raises:
        NotPossible: it is not in the cart.
    """
    catalogue, act = await shop.catalogue(), wanted.act(What.FOOD_REMOVED)
    async with shop.database.begin() as connection:
        await trail.lock(connection, owner)
        if await trail.earlier(connection, owner, act) is None:
            _, dish = there(catalogue, wanted.restaurant_uuid, wanted.food_id)
            await _take(connection, owner, dish, wanted.quantity)
            await trail.add(connection, owner, act, at=shop.now())
        return cart_of(catalogue, await lines(connection, owner))


async def lines(connection: AsyncConnection, owner: Owner) -> Mapping[int, int]:
    """How often each dish is in the cart, in the order in which they were first added."""
    query = select(CartLineRow.food_id, CartLineRow.quantity).where(*_of(owner)).order_by(CartLineRow.place, CartLineRow.food_id)
    return {row.food_id: row.quantity for row in await connection.execute(query)}


async def empty(connection: AsyncConnection, owner: Owner) -> None:
    """Take everything out, in a session that is locked."""
    await connection.execute(delete(CartLineRow).where(*_of(owner)))


def cart_of(catalogue: Catalogue, quantities: Mapping[int, int]) -> Cart:
    """The cart with these dishes; what is on no menu any more is not in it."""
    dishes = [(catalogue.dishes[food_id], quantity) for food_id, quantity in quantities.items() if food_id in catalogue.dishes]
    if not dishes:
        return Cart()
    restaurant = catalogue.restaurants[dishes[0][0].restaurant_uuid]
    found = tuple(Line(food_id=dish.food_id, name=dish.name, quantity=quantity, price_cents=dish.price_cents) for dish, quantity in dishes)
    return Cart(
        restaurant_uuid=restaurant.restaurant_uuid,
        restaurant=restaurant.name,
        lines=found,
        total_cents=sum(line.quantity * line.price_cents for line in found),
        version=_version(restaurant, found),
    )


def there(catalogue: Catalogue, restaurant_uuid: str, food_id: int) -> tuple[Restaurant, Dish]:
    """The restaurant and the dish.

    Raises:
        NotPossible: there is no such dish there.
    """
    restaurant, dish = catalogue.restaurants.get(restaurant_uuid), catalogue.dish(restaurant_uuid, food_id)
    if restaurant is None or dish is None:
        raise NotPossible("no_such_food", "There is no such dish at that restaurant. Look at its menu again.")
    return restaurant, dish


def check_open(restaurant: Restaurant, at: datetime) -> None:
    """See that somebody cooks.

    Raises:
        NotPossible: the restaurant is closed.
    """
    if restaurant.hours.open_at(at):
        return
    opens = restaurant.hours.next_opening(at)
    when = "" if opens is None else f"; it opens {opens}"
    raise NotPossible("closed", f"{restaurant.name} is closed now{when}. Choose another restaurant.")


async def _put(connection: AsyncConnection, owner: Owner, catalogue: Catalogue, dish: Dish, quantity: int) -> None:
    there_already = await lines(connection, owner)
    now = cart_of(catalogue, there_already)
    if now.restaurant_uuid not in {None, dish.restaurant_uuid}:
        detail = f"The cart holds dishes of {now.restaurant}, and one cart is of one restaurant. Ask whether to empty it first."
        raise NotPossible("another_restaurant", detail)
    before = there_already.get(dish.food_id, 0)
    if before + quantity > MOST_OF_ONE or (not before and len(there_already) >= MOST_LINES):
        raise NotPossible("too_much", f"A cart has at most {MOST_OF_ONE} of one dish, and {MOST_LINES} dishes.")
    if before:
        changed = update(CartLineRow).where(*_of(owner), CartLineRow.food_id == dish.food_id)
        await connection.execute(changed.values(quantity=before + quantity))
        return
    last = (await connection.execute(select(func.max(CartLineRow.place)).where(*_of(owner)))).scalar_one()
    await connection.execute(insert(CartLineRow), _row(owner, dish, quantity, (last or 0) + 1))


async def _take(connection: AsyncConnection, owner: Owner, dish: Dish, quantity: int | None) -> None:
    before = (await lines(connection, owner)).get(dish.food_id, 0)
    if not before:
        raise NotPossible("not_in_cart", "That dish is not in the cart.")
    where = (*_of(owner), CartLineRow.food_id == dish.food_id)
    if quantity is None or quantity >= before:
        await connection.execute(delete(CartLineRow).where(*where))
    else:
        await connection.execute(update(CartLineRow).where(*where).values(quantity=before - quantity))


def _row(owner: Owner, dish: Dish, quantity: int, place: int) -> dict[str, Any]:
    return {"user_id": owner.user_id, "session_id": owner.session_id, "food_id": dish.food_id, "quantity": quantity, "place": place}


def _of(owner: Owner) -> tuple[Any, ...]:
    return (CartLineRow.user_id == owner.user_id, CartLineRow.session_id == owner.session_id)


def _version(restaurant: Restaurant, found: Sequence[Line]) -> str:
    shown = (restaurant.restaurant_uuid, restaurant.name, found)
    return sha256(msgspec.json.encode(shown)).hexdigest()[:32]
