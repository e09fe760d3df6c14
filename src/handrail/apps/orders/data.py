"""Made-up orders, the same on every machine: `handrail seed orders`.

They go into an empty table only, so that nobody's orders get company that they did not ask for.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

from sqlalchemy import func, insert, select
from sqlalchemy.ext.asyncio import AsyncEngine

from handrail.apps.orders.tables import Base, Order, Status, order_database

CUSTOMERS = tuple(
    f"{name}@example.com"
    for name in (
        "amber", "basil", "birch", "cedar", "clover", "cobalt", "coral", "dill", "fern", "flint", "garnet", "hazel", "heather", "holly",
        "indigo", "iris", "ivory", "ivy", "jade", "jasmine", "juniper", "laurel", "lilac", "maple", "marigold", "mint", "myrtle", "olive",
        "onyx", "opal", "pearl", "poppy", "quartz", "rowan", "ruby", "saffron", "sage", "sienna", "thyme", "willow",
    )
)  # fmt: skip
MOST_ORDERS = 320
FIRST_ID = 1001
NEWEST = datetime(2026, 11, 30, 16, 45, tzinfo=UTC)
APART = timedelta(hours=7, minutes=23)


def made_up() -> Iterator[dict[str, Any]]:
    """The orders, oldest first."""
    for index in range(MOST_ORDERS):
        drawn = sha256(f"order {index}".encode()).digest()
        age = MOST_ORDERS - 1 - index
        yield {
            "order_id": FIRST_ID + index,
            "customer_email": CUSTOMERS[drawn[0] % len(CUSTOMERS)],
            "status": _status(age, drawn[1]),
            "total_cents": 500 + int.from_bytes(drawn[2:4]) % 24_500,
            "created_at": NEWEST - age * APART - timedelta(minutes=drawn[4] % 60),
        }


def _status(age: int, drawn: int) -> Status:
    """What an order of that age is likely to be; one in eleven was cancelled."""
    if drawn % 11 == 0:
        return Status.CANCELLED
    if age < 12:
        return Status.PLACED
    return Status.SHIPPED if age < 60 or drawn % 7 == 0 else Status.DELIVERED


async def fill(database: AsyncEngine) -> int:
    """Make the table, and fill it where it is empty; how many orders were added."""
    async with database.begin() as connection:
        await connection.run_sync(Base.metadata.create_all)
        if (await connection.execute(select(func.count()).select_from(Order))).scalar_one():
            return 0
        orders = list(made_up())
        await connection.execute(insert(Order), orders)
        return len(orders)


async def seed() -> str:
    """Fill the database that the settings name, and say what was done."""
    async with order_database() as database:
        added = await fill(database)
        shown = database.url.render_as_string(hide_password=True)
    if not added:
        return f"There are orders in {shown} already; nothing was added."
    return f"{added} made-up orders of {len(CUSTOMERS)} customers are now in {shown}."
