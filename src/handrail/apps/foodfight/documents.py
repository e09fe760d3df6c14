"""What a person is shown before they say yes: the call in their own terms, and where each line of it is from.

Rules: names come from restaurants, who write what they like, so each is one short line in quotes. A person sees what they are asked to
sign, never what the model says about it.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from handrail import Ledger
from handrail.apps.foodfight.known import (
    DISH,
    FIGHT,
    RESTAURANT,
    KnownDish,
    KnownFight,
    KnownRestaurant,
    dishes,
    meant,
    restaurants,
)
from handrail.apps.foodfight.schemas import TAKEOUT

LONGEST_NAME = 60
SOURCES = "Names and prices: as they were last looked up.\nAll else: what the model wrote. It should be what you said."


def new_fight(arguments: Mapping[str, Any], ledger: Ledger) -> str:
    """The document of `create_promo_fight`."""
    menu, orders = dishes(ledger.of(DISH)), arguments["restaurant_items"]
    lines = [
        "Start a promo fight?",
        *_venue(arguments["restaurant_id"], arguments["maker_outcome"], ledger),
        *_ordered(((order["menu_item_id"], order.get("quantity", 1)) for order in orders), menu),
        f"Takeout: {TAKEOUT[arguments['takeout_type']]}",
        f"Your address: {_quoted(arguments['maker_address'], 200)}",
        f"Payment intent: {_quoted(arguments['maker_payment_intent'], 100)}",
        SOURCES,
    ]
    return "\n".join(lines)


def accepted_fight(arguments: Mapping[str, Any], ledger: Ledger) -> str:
    """The document of `accept_promo_fight`; it names the fight also where the call does not."""
    outcome, named = arguments["user_preferred_outcome"], arguments.get("menu_item_ids")
    fight = meant(ledger.of(FIGHT), arguments["restaurant_id"], outcome, arguments.get("bet_id"))
    lines = [
        f"Accept promo fight {fight.bet_id}?" if fight is not None else "Accept a promo fight?",
        *_venue(arguments["restaurant_id"], outcome, ledger),
        *(_stake(fight) if fight is not None else ()),
        *(["You order the same."] if named is None else _ordered(((dish, 1) for dish in named), dishes(ledger.of(DISH)))),
        SOURCES,
    ]
    return "\n".join(lines)


def _venue(restaurant_id: int, outcome: int, ledger: Ledger) -> list[str]:
    venue = restaurants(ledger.of(RESTAURANT)).get(restaurant_id, KnownRestaurant(restaurant_id=restaurant_id))
    side = venue.outcomes.get(str(outcome), "?")
    return [
        f"Restaurant {restaurant_id}: {_quoted(venue.name)}, {_quoted(venue.city)}",
        f"Contest: {_quoted(venue.contest, 200)}",
        f"Your side: {outcome}, {_quoted(side)}",
    ]


def _stake(fight: KnownFight) -> list[str]:
    items = (
        ", ".join(f"{item.get('quantity', 1)} × {_quoted(str(item.get('name', '?')))}" for item in fight.items) or "nothing that is known"
    )
    return [f"The maker has ordered: {items}; {_money(fight.total_cents)} together"]


def _ordered(orders: Iterable[tuple[int, int]], menu: Mapping[int, KnownDish]) -> list[str]:
    lines, total, whole = [], 0, True
    for number, quantity in orders:
        dish = menu.get(number, KnownDish(menu_item_id=number))
        lines.append(f"Order: {quantity} × {_quoted(dish.name)} (dish {number}), {_money(dish.price_cents)} each")
        whole = whole and dish.price_cents is not None
        total += quantity * (dish.price_cents or 0)
    return [*lines, f"Total: {_money(total if whole else None)}"]


def _money(cents: int | None) -> str:
    return "price not known" if cents is None else f"{cents // 100}.{cents % 100:02}"


def _quoted(text: str, longest: int = LONGEST_NAME) -> str:
    line = " ".join(text.split())
    return f"“{line if len(line) <= longest else line[: longest - 1] + '…'}”"
