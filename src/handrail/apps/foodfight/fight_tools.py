"""The three tools. Deleting is none of them: a fight that should not be is a person's business.

- The look-up gives venues, dishes and fights as facts; nothing else can be named in a call that writes.
- What writes carries the call's own idempotency key down to the database.
- A fight that is accepted without its number is the one that the look-ups of this run lead to, which is also the one that the person was
  shown; never simply the one that happens to be the oldest by then.
"""

from collections.abc import Awaitable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any

import msgspec
from sqlalchemy.exc import SQLAlchemyError

from handrail import Fact, Ledger, Result, ToolContext, ToolError, tool
from handrail.apps.foodfight import promo_fights as service
from handrail.apps.foodfight.hooks import ToolStart, around
from handrail.apps.foodfight.kitchen import Kitchen
from handrail.apps.foodfight.known import DISH, FIGHT, GONE, OPEN, RESTAURANT, meant
from handrail.apps.foodfight.promo_fights import Fight, NotPossible, Venue
from handrail.apps.foodfight.schemas import (
    Address,
    Dishes,
    DishIds,
    Id,
    LiveBetBase,
    Outcome,
    PaymentIntent,
    PromoBase,
    TakeoutType,
)

Context = ToolContext[Kitchen]
UNREACHABLE = "The fights cannot be looked up at the moment."
EXAMPLE_FIGHT: Mapping[str, Any] = {
    "restaurant_id": 3,
    "maker_outcome": 1,
    "restaurant_items": [{"menu_item_id": 301, "quantity": 2}],
    "takeout_type": 2,
    "maker_address": "7 Sage Street",
    "maker_payment_intent": "pi_example_1",
}


class DatabaseFailed(Exception):
    """The database did not answer, so nobody knows what came of it."""


@tool(effect="read", timeout=20, produces={RESTAURANT, DISH, FIGHT}, examples=({"restaurant_id": 3},))
async def get_promo_fights(context: Context, restaurant_id: Id | None = None) -> Result:
    """Look up the open promo fights of one restaurant, with its contest and its menu; or of all restaurants, without menus.

    Args:
        context: holds the database.
        restaurant_id: The restaurant's id; null for all of them.
    """
    async with _told(context, "get_promo_fights"):
        try:
            venues = await service.promo_fights(context.deps.database, restaurant_id)
        except NotPossible as error:
            raise ToolError(str(error)) from None
        except SQLAlchemyError:
            # What a driver says may hold the database's address, and a password with it.
            raise ToolError(UNREACHABLE) from None
    return Result([_shown(venue) for venue in venues], facts=_facts(venues, context.ledger))


@tool(effect="idempotent", timeout=20, produces={FIGHT}, examples=(EXAMPLE_FIGHT,))
async def create_promo_fight(
    context: Context,
    *,
    restaurant_id: Id,
    maker_outcome: Outcome,
    restaurant_items: Dishes,
    takeout_type: TakeoutType,
    maker_address: Address,
    maker_payment_intent: PaymentIntent,
) -> Result:
    """Start a promo fight: the user bets dinner on an outcome of the restaurant's contest. A person is asked before it happens.

    Look the restaurant up first. Address and payment intent are the user's own words; ask for them, never make them up.

    Args:
        context: holds the database.
        restaurant_id: The restaurant's id.
        maker_outcome: The outcome that the user bets on, 1 or 2.
        restaurant_items: What the user orders, from that restaurant's menu.
        takeout_type: 0 to eat there, 1 to pick it up, 2 to have it delivered.
        maker_address: The user's address.
        maker_payment_intent: The id of the payment intent that the user has given.
    """
    bet = LiveBetBase(
        restaurant_id=restaurant_id,
        maker_outcome=maker_outcome,
        restaurant_items=restaurant_items,
        takeout_type=takeout_type,
        maker_address=maker_address,
        maker_payment_intent=maker_payment_intent,
    )
    async with _told(context, "create_promo_fight"):
        return _written(await _done(service.create(context.deps.database, bet, key=context.idempotency_key, at=context.deps.now())), OPEN)


@tool(effect="idempotent", timeout=20, produces={FIGHT}, examples=({"restaurant_id": 3, "user_preferred_outcome": 2, "bet_id": 31},))
async def accept_promo_fight(
    context: Context,
    restaurant_id: Id,
    user_preferred_outcome: Outcome,
    bet_id: Id | None = None,
    menu_item_ids: DishIds | None = None,
) -> Result:
    """Accept an open promo fight: the user takes the side that its maker has not. A person is asked before it happens.

    Look the restaurant's fights up first.

    Args:
        context: holds the database.
        restaurant_id: The restaurant's id.
        user_preferred_outcome: The outcome that the user bets on, 1 or 2; the maker has the other one.
        bet_id: The fight; null for the oldest open one at that restaurant in which this outcome is free.
        menu_item_ids: The dishes that the user orders, from that restaurant's menu; null for what the maker has ordered.
    """
    fight = meant(context.ledger.of(FIGHT), restaurant_id, user_preferred_outcome, bet_id)
    async with _told(context, "accept_promo_fight"):
        if fight is None:
            raise ToolError(f"No open fight at restaurant {restaurant_id} has outcome {user_preferred_outcome} free.")
        promo = PromoBase(
            restaurant_id=restaurant_id,
            user_preferred_outcome=user_preferred_outcome,
            bet_id=fight.bet_id,
            menu_item_ids=menu_item_ids,
        )
        return _written(await _done(service.accept(context.deps.database, promo, key=context.idempotency_key, at=context.deps.now())), GONE)


READING = (get_promo_fights,)
WRITING = (create_promo_fight, accept_promo_fight)


def _told(context: Context, tool: str) -> AbstractAsyncContextManager[None]:
    return around(context.deps.hooks, ToolStart(tool=tool, run_id=context.run_id, call_id=context.call_id))


async def _done(write: Awaitable[Fight]) -> Fight:
    """What was written; a database that fails meanwhile leaves it open whether anything was."""
    try:
        return await write
    except NotPossible as error:
        raise ToolError(str(error)) from None
    except SQLAlchemyError:
        raise DatabaseFailed("the database did not answer") from None


def _written(fight: Fight, status: str) -> Result:
    plain = msgspec.to_builtins(fight)
    return Result(plain, facts=[_fight(plain, status)])


def _shown(venue: Venue) -> dict[str, Any]:
    shown: dict[str, Any] = msgspec.to_builtins(venue)
    if venue.menu is None:
        del shown["menu"]
    return shown


def _facts(venues: list[Venue], ledger: Ledger) -> Iterator[Fact]:
    """Venues, dishes and open fights; and that fights which were open before, at these venues, are not any more."""
    looked_at = {venue.restaurant_id for venue in venues if len(venue.fights) < service.MOST_OPEN}
    open_ = {fight.bet_id for venue in venues for fight in venue.fights}
    for venue in venues:
        about: dict[str, Any] = {"name": venue.name, "city": venue.city, "contest": venue.contest, "outcomes": venue.outcomes}
        yield Fact(RESTAURANT, venue.restaurant_id, about=about)
        for dish in venue.menu or ():
            about = {"name": dish.name, "price_cents": dish.price_cents, "restaurant_id": venue.restaurant_id}
            yield Fact(DISH, dish.menu_item_id, about=about)
        for fight in venue.fights:
            yield _fight(msgspec.to_builtins(fight), OPEN)
    for before in ledger.of(FIGHT):
        if before.value not in open_ and before.about.get("restaurant_id") in looked_at:
            yield Fact(FIGHT, before.value, about={**before.about, "status": GONE})


def _fight(fight: Mapping[str, Any], status: str) -> Fact:
    kept = ("restaurant_id", "maker_outcome", "items", "total_cents", "created_at")
    return Fact(FIGHT, fight["bet_id"], about={name: fight[name] for name in kept} | {"status": status})
