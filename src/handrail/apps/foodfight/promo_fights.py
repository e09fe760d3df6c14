"""The service layer: fights as they are listed, made and accepted, with nothing of a model in it.

- What somebody has to pay with or where they live is taken in, and never given out.
- Whoever repeats a call with the same key gets the same fight; nothing happens twice.
- A fight is accepted in one statement that asks for an open one, so of two who take it at once one gets it.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import Row, insert, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from handrail.apps.foodfight.schemas import LiveBetBase, MenuItemOrder, PromoBase
from handrail.apps.foodfight.tables import MenuItem, PromoFight, Restaurant, Standing

MOST_OPEN = 50
"""Fights of one venue that are listed, oldest first."""

SHOWN = (
    PromoFight.bet_id,
    PromoFight.restaurant_id,
    PromoFight.status,
    PromoFight.maker_outcome,
    PromoFight.restaurant_items,
    PromoFight.takeout_type,
    PromoFight.created_at,
)
"""The columns that anybody may see."""


class NotPossible(Exception):
    """It cannot be done as it is asked, and nothing was changed; the text says why."""


class Dish(msgspec.Struct, frozen=True, kw_only=True):
    """A line of a menu."""

    menu_item_id: int
    name: str
    description: str
    price_cents: int


class Fight(msgspec.Struct, frozen=True, kw_only=True):
    """A fight as anybody may see it."""

    bet_id: int
    restaurant_id: int
    status: str
    maker_outcome: int
    open_outcome: int
    items: list[dict[str, Any]]
    total_cents: int
    takeout_type: int
    created_at: datetime


class Venue(msgspec.Struct, frozen=True, kw_only=True):
    """A restaurant, its contest, its open fights, and its menu where one venue is asked for."""

    restaurant_id: int
    name: str
    city: str
    contest: str
    outcomes: dict[str, str]
    fights: list[Fight]
    menu: list[Dish] | None = None


async def promo_fights(database: AsyncEngine, restaurant_id: int | None) -> list[Venue]:
    """The venue with its menu and its open fights, or all venues with theirs, without menus.

    Raises:
        NotPossible: there is no such venue.
    """
    async with database.connect() as connection:
        venues = await _venues(connection, restaurant_id)
        dishes = await _dishes(connection, restaurant_id)
        query = select(*SHOWN).where(PromoFight.status == Standing.OPEN.value)
        if restaurant_id is not None:
            query = query.where(PromoFight.restaurant_id == restaurant_id)
        rows = (await connection.execute(query.order_by(PromoFight.created_at, PromoFight.bet_id))).all()
    fights = [_fight(row, dishes) for row in rows]
    return [
        Venue(
            restaurant_id=venue.restaurant_id,
            name=venue.name,
            city=venue.city,
            contest=venue.contest,
            outcomes={"1": venue.first_outcome, "2": venue.second_outcome},
            fights=[fight for fight in fights if fight.restaurant_id == venue.restaurant_id][:MOST_OPEN],
            menu=list(dishes.values()) if restaurant_id is not None else None,
        )
        for venue in venues
    ]


async def create(database: AsyncEngine, bet: LiveBetBase, *, key: str, at: datetime) -> Fight:
    """Make a fight.

    Args:
        database: where it is kept.
        bet: what is bet.
        key: the same at every repetition of this call.
        at: the time.

    Raises:
        NotPossible: the venue or a dish is not there, or the payment intent pays for another fight.
    """
    async with database.connect() as connection:
        if (known := await _by_key(connection, PromoFight.created_key == key)) is not None:
            return known
        await _venues(connection, bet.restaurant_id)
        await _check_dishes(connection, bet.restaurant_id, [order.menu_item_id for order in bet.restaurant_items])
    row = {
        **bet.model_dump(exclude={"restaurant_items"}),
        "restaurant_items": _stored(bet.restaurant_items),
        "status": Standing.OPEN.value,
        "created_key": key,
        "created_at": at,
    }
    try:
        async with database.begin() as connection:
            await connection.execute(insert(PromoFight), row)
    except IntegrityError:
        pass  # a repetition that runs beside this one, or a payment intent that is used already
    async with database.connect() as connection:
        made = await _by_key(connection, PromoFight.created_key == key)
    if made is None:
        raise NotPossible("This payment intent pays for another fight already; a new fight needs a new one.")
    return made


async def accept(database: AsyncEngine, promo: PromoBase, *, key: str, at: datetime) -> Fight:
    """Take the other side of an open fight.

    Raises:
        NotPossible: there is no such fight at that venue, it is not open any more, its maker has that side, or a dish is not there.
    """
    async with database.connect() as connection:
        if (known := await _by_key(connection, PromoFight.accepted_key == key)) is not None:
            return known
        fight = await _by_key(connection, PromoFight.bet_id == promo.bet_id)
        if fight is None or fight.restaurant_id != promo.restaurant_id:
            raise NotPossible(f"There is no fight {promo.bet_id} at restaurant {promo.restaurant_id}.")
        if fight.maker_outcome == promo.user_preferred_outcome:
            raise NotPossible(
                f"The maker of fight {fight.bet_id} has outcome {fight.maker_outcome}; only {fight.open_outcome} can be taken."
            )
        await _check_dishes(connection, promo.restaurant_id, promo.menu_item_ids or ())
        orders = [MenuItemOrder(menu_item_id=dish) for dish in promo.menu_item_ids or ()]
    taking = (
        update(PromoFight)
        .where(PromoFight.bet_id == promo.bet_id, PromoFight.status == Standing.OPEN.value)
        .values(
            status=Standing.ACCEPTED.value, taker_items=_stored(orders) or PromoFight.restaurant_items, accepted_key=key, accepted_at=at
        )
    )
    async with database.begin() as connection:
        await connection.execute(taking)
    async with database.connect() as connection:
        taken = await _by_key(connection, PromoFight.accepted_key == key)
    if taken is None:
        raise NotPossible(f"Fight {promo.bet_id} is not open any more. Look at the open ones again.")
    return taken


async def _venues(connection: AsyncConnection, restaurant_id: int | None) -> Sequence[Row[Any]]:
    query = select(*Restaurant.__table__.columns).order_by(Restaurant.restaurant_id)
    if restaurant_id is not None:
        query = query.where(Restaurant.restaurant_id == restaurant_id)
    found = (await connection.execute(query)).all()
    if restaurant_id is not None and not found:
        raise NotPossible(f"There is no restaurant {restaurant_id}. Look at all of them first.")
    return found


async def _dishes(connection: AsyncConnection, restaurant_id: int | None) -> dict[int, Dish]:
    query = select(MenuItem.menu_item_id, MenuItem.name, MenuItem.description, MenuItem.price_cents).order_by(MenuItem.menu_item_id)
    if restaurant_id is not None:
        query = query.where(MenuItem.restaurant_id == restaurant_id)
    return {row.menu_item_id: Dish(**row._mapping) for row in await connection.execute(query)}


async def _check_dishes(connection: AsyncConnection, restaurant_id: int, wanted: Iterable[int]) -> None:
    known = await _dishes(connection, restaurant_id)
    missing = [dish for dish in dict.fromkeys(wanted) if dish not in known]
    if missing:
        raise NotPossible(f"Restaurant {restaurant_id} has no dish {', '.join(map(str, missing))}. Look at its menu again.")


async def _by_key(connection: AsyncConnection, where: Any) -> Fight | None:
    row = (await connection.execute(select(*SHOWN).where(where))).one_or_none()
    return None if row is None else _fight(row, await _dishes(connection, row.restaurant_id))


def _stored(orders: Iterable[MenuItemOrder]) -> list[dict[str, int]]:
    return [order.model_dump() for order in orders]


def _fight(row: Row[Any], dishes: Mapping[int, Dish]) -> Fight:
    orders = [MenuItemOrder.model_validate(order) for order in row.restaurant_items]
    known = [(order, dishes[order.menu_item_id]) for order in orders if order.menu_item_id in dishes]
    return Fight(
        bet_id=row.bet_id,
        restaurant_id=row.restaurant_id,
        status=row.status,
        maker_outcome=row.maker_outcome,
        open_outcome=3 - row.maker_outcome,
        items=[{"menu_item_id": dish.menu_item_id, "name": dish.name, "quantity": order.quantity} for order, dish in known],
        total_cents=sum(order.quantity * dish.price_cents for order, dish in known),
        takeout_type=row.takeout_type,
        created_at=row.created_at,
    )
