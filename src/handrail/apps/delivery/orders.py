"""Orders: made from the cart as it stands, once, and how far they are.

- An order is placed from a cart that is not empty, at a restaurant that is open, and only if the cart is still the one that was seen.
- The same request again is the same order. A second one finds an empty cart, so nothing happens.
- How far an order is follows from the time alone; nobody has to move it.
"""

import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

import msgspec
from sqlalchemy import insert, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from handrail.apps.delivery import carts, trail
from handrail.apps.delivery.carts import Cart, Line
from handrail.apps.delivery.possible import NotPossible
from handrail.apps.delivery.shop import Shop
from handrail.apps.delivery.tables import OrderRow
from handrail.apps.delivery.trail import NewAct, Owner, What, Who

MOST_LISTED = 50
REUSED = "This idempotency key came before with another session's order; take a new one."


class Progress(StrEnum):
    """How far an order is."""

    PLACED = "placed"
    COOKING = "cooking"
    ON_THE_WAY = "on_the_way"
    DELIVERED = "delivered"


UNTIL = (
    (timedelta(minutes=3), Progress.PLACED),
    (timedelta(minutes=18), Progress.COOKING),
    (timedelta(minutes=35), Progress.ON_THE_WAY),
)


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """An order as its owner sees it, with prices as they were."""

    order_id: str
    session_id: str
    restaurant_uuid: str
    restaurant: str
    lines: tuple[Line, ...]
    total_cents: int
    placed_at: datetime
    status: Progress


class Placing(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be placed.

    Args:
        idempotency: the same for every repetition of this order.
        cart: the version of the cart that was seen; `None` where it does not matter.
    """

    act_id: str
    by: Who
    idempotency: str
    cart: str | None = None


async def place(shop: Shop, owner: Owner, placing: Placing) -> Order:
    """Order what is in the cart.

    Raises:
        NotPossible: the cart is empty or another one than was seen, the restaurant is closed, or a key came before with something else.
    """
    catalogue = await shop.catalogue()
    act = NewAct(act_id=placing.act_id, who=placing.by, what=What.ORDER_PLACED)
    async with shop.database.begin() as connection:
        await trail.lock(connection, owner)
        known = await _earlier(connection, owner, placing, act, shop.now())
        if known is not None:
            return known
        cart = carts.cart_of(catalogue, await carts.lines(connection, owner))
        if cart.restaurant_uuid is None:
            raise NotPossible("cart_empty", "The cart is empty, so there is nothing to order.")
        if placing.cart not in {None, cart.version}:
            raise NotPossible("cart_changed", "The cart is not the one that was shown any more. Look at it again, then order.")
        carts.check_open(catalogue.restaurants[cart.restaurant_uuid], shop.local())
        row = _new(owner, placing, cart, shop.now())
        await _insert(connection, row)
        await carts.empty(connection, owner)
        ids = {"order_id": row["order_id"], "restaurant_uuid": cart.restaurant_uuid}
        await trail.add(connection, owner, msgspec.structs.replace(act, ids=ids), at=shop.now())
        return await _found(connection, OrderRow.order_id == row["order_id"], shop.now())


async def order(shop: Shop, user_id: str, order_id: str) -> Order | None:
    """An order of the user's."""
    async with shop.database.connect() as connection:
        return await _first(connection, (OrderRow.order_id == order_id, OrderRow.user_id == user_id), shop.now())


async def orders(shop: Shop, user_id: str) -> Sequence[Order]:
    """The user's orders, newest first."""
    query = select(*_COLUMNS).where(OrderRow.user_id == user_id).order_by(OrderRow.placed_at.desc(), OrderRow.order_id.desc())
    async with shop.database.connect() as connection:
        rows = (await connection.execute(query.limit(MOST_LISTED))).all()
    return [_order(row, shop.now()) for row in rows]


def progress(placed_at: datetime, at: datetime) -> Progress:
    """How far an order is at that time."""
    return next((status for until, status in UNTIL if at - placed_at < until), Progress.DELIVERED)


async def _earlier(connection: AsyncConnection, owner: Owner, placing: Placing, act: NewAct, at: datetime) -> Order | None:
    """The order of the same request before."""
    told = await trail.earlier(connection, owner, act)
    if told is not None:
        return await _found(connection, OrderRow.order_id == told.ids["order_id"], at)
    mine = (OrderRow.user_id == owner.user_id, OrderRow.idempotency == placing.idempotency)
    found = await _first(connection, mine, at)
    if found is not None and found.session_id != owner.session_id:
        raise NotPossible("key_reused", REUSED)
    return found


async def _insert(connection: AsyncConnection, row: Mapping[str, Any]) -> None:
    try:
        await connection.execute(insert(OrderRow), row)
    except IntegrityError:  # another session's order, at this very moment
        raise NotPossible("key_reused", REUSED) from None


async def _found(connection: AsyncConnection, where: Any, at: datetime) -> Order:
    return _order((await connection.execute(select(*_COLUMNS).where(where))).one(), at)


async def _first(connection: AsyncConnection, where: tuple[Any, ...], at: datetime) -> Order | None:
    row = (await connection.execute(select(*_COLUMNS).where(*where))).one_or_none()
    return None if row is None else _order(row, at)


_COLUMNS = (
    OrderRow.order_id,
    OrderRow.session_id,
    OrderRow.restaurant_uuid,
    OrderRow.restaurant,
    OrderRow.lines,
    OrderRow.total_cents,
    OrderRow.placed_at,
)


def _new(owner: Owner, placing: Placing, cart: Cart, at: datetime) -> dict[str, Any]:
    return {
        "order_id": f"ord_{secrets.token_hex(16)}",
        "user_id": owner.user_id,
        "session_id": owner.session_id,
        "idempotency": placing.idempotency,
        "cart": cart.version,
        "restaurant_uuid": cart.restaurant_uuid,
        "restaurant": cart.restaurant,
        "lines": msgspec.to_builtins(cart.lines),
        "total_cents": cart.total_cents,
        "placed_at": at,
    }


def _order(row: Any, at: datetime) -> Order:
    return Order(
        order_id=row.order_id,
        session_id=row.session_id,
        restaurant_uuid=row.restaurant_uuid,
        restaurant=row.restaurant,
        lines=msgspec.convert(row.lines, tuple[Line, ...]),
        total_cents=row.total_cents,
        placed_at=row.placed_at,
        status=progress(row.placed_at, at),
    )
