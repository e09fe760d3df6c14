"""Made-up restaurants, menus and fights, the same on every machine: `handrail seed foodfight`.

They go into empty tables only, so that nobody's restaurants get company that they did not ask for.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

from sqlalchemy import func, insert, select
from sqlalchemy.ext.asyncio import AsyncEngine

from handrail.apps.foodfight.kitchen import kitchen
from handrail.apps.foodfight.tables import Base, MenuItem, PromoFight, Restaurant, Standing

VENUES = (
    ("Copper Ladle", "Porto", "Which soup sells out first tonight?", "caldo verde", "fish soup"),
    ("Harbour Oven", "Oslo", "Which pizza wins the week?", "potato", "prawn"),
    ("Pepper Palace", "Chengdu", "Which chili oil runs out first?", "red oil", "green oil"),
    ("Blue Tagine", "Fez", "Which tagine gets more orders today?", "lemon", "plum"),
    ("Noodle Yard", "Osaka", "Which broth do more people finish?", "miso", "salt"),
    ("Green Skillet", "Austin", "Which taco wins the night?", "mushroom", "cactus"),
    ("The Old Mill", "Leeds", "Which pie is gone by eight?", "leek", "steak"),
    ("Saffron Door", "Mumbai", "Which thali sells more at noon?", "northern", "southern"),
    ("Three Olives", "Athens", "Which plate comes back empty more often?", "octopus", "aubergine"),
    ("Maple Counter", "Montreal", "Which pancake stack wins the morning?", "blueberry", "butter"),
)
DISHES = (
    ("Small plate", "For one, to begin with.", 650),
    ("House bowl", "What the kitchen is known for.", 1250),
    ("Family pan", "For three or four.", 3400),
    ("Seasonal greens", "From the market of the day.", 900),
    ("Sweet ending", "Changes every evening.", 700),
)
FIGHTS = 24
NEWEST = datetime(2026, 11, 30, 18, 30, tzinfo=UTC)
APART = timedelta(hours=5, minutes=40)


def restaurants() -> Iterator[dict[str, Any]]:
    """The venues, numbered from 1."""
    for number, (name, city, contest, first, second) in enumerate(VENUES, 1):
        yield {
            "restaurant_id": number,
            "name": name,
            "city": city,
            "contest": contest,
            "first_outcome": first,
            "second_outcome": second,
        }


def menu_items() -> Iterator[dict[str, Any]]:
    """Five dishes a venue: those of restaurant 3 are 301 to 305."""
    for restaurant in restaurants():
        number = restaurant["restaurant_id"]
        for line, (name, description, cents) in enumerate(DISHES, 1):
            dearer = sha256(f"dish {number} {line}".encode()).digest()[0] % 8 * 25
            yield {
                "menu_item_id": number * 100 + line,
                "restaurant_id": number,
                "name": name,
                "description": description,
                "price_cents": cents + dearer,
            }


def promo_fights() -> Iterator[dict[str, Any]]:
    """Fights, oldest first; every fifth has been accepted."""
    for index in range(FIGHTS):
        drawn = sha256(f"fight {index}".encode()).digest()
        number = drawn[0] % len(VENUES) + 1
        at = NEWEST - (FIGHTS - 1 - index) * APART
        accepted = index % 5 == 4
        items = [{"menu_item_id": number * 100 + drawn[1] % len(DISHES) + 1, "quantity": drawn[2] % 3 + 1}]
        yield {
            "bet_type": "promotion",
            "restaurant_id": number,
            "status": (Standing.ACCEPTED if accepted else Standing.OPEN).value,
            "maker_outcome": drawn[3] % 2 + 1,
            "restaurant_items": items,
            "takeout_type": drawn[4] % 3,
            "maker_address": f"{index + 1} Example Street",
            "maker_payment_intent": f"pi_made_up_{index + 1}",
            "taker_items": items if accepted else None,
            "created_key": f"seed/{index + 1}",
            "accepted_key": f"seed/{index + 1}" if accepted else None,
            "created_at": at,
            "accepted_at": at + timedelta(hours=1) if accepted else None,
        }


async def fill(database: AsyncEngine) -> bool:
    """Make the tables, and fill them where they are empty; whether anything was added."""
    async with database.begin() as connection:
        await connection.run_sync(Base.metadata.create_all)
        if (await connection.execute(select(func.count()).select_from(Restaurant))).scalar_one():
            return False
        await connection.execute(insert(Restaurant), list(restaurants()))
        await connection.execute(insert(MenuItem), list(menu_items()))
        await connection.execute(insert(PromoFight), list(promo_fights()))
    return True


async def seed() -> str:
    """Fill the database that the settings name, and say what was done."""
    async with kitchen() as opened:
        added = await fill(opened.database)
        shown = opened.database.url.render_as_string(hide_password=True)
    if not added:
        return f"There are restaurants in {shown} already; nothing was added."
    return f"{len(VENUES)} made-up restaurants with {len(VENUES) * len(DISHES)} dishes and {FIGHTS} promo fights are now in {shown}."
