"""Made-up restaurants and menus, the same on every machine: `handrail seed delivery`.

They go into empty tables only, so that nobody's restaurants get company that they did not ask for.
"""

from sqlalchemy import func, insert, select
from sqlalchemy.ext.asyncio import AsyncEngine

from handrail.apps.delivery import data
from handrail.apps.delivery.shop import shop
from handrail.apps.delivery.tables import Base, DishRow, RestaurantRow


async def fill(database: AsyncEngine) -> bool:
    """Make the tables, and fill them where they are empty; whether anything was added."""
    restaurants = [{**row, "place": place} for place, row in enumerate(data.rows(data.restaurants()), 1)]
    async with database.begin() as connection:
        await connection.run_sync(Base.metadata.create_all)
        if (await connection.execute(select(func.count()).select_from(RestaurantRow))).scalar_one():
            return False
        await connection.execute(insert(RestaurantRow), restaurants)
        await connection.execute(insert(DishRow), data.rows(data.dishes()))
    return True


async def seed() -> str:
    """Fill the database that the settings name, and say what was done."""
    async with shop() as opened:
        added = await fill(opened.database)
        shown = opened.database.url.render_as_string(hide_password=True)
    if not added:
        return f"There are restaurants in {shown} already; nothing was added."
    return f"{len(data.restaurants())} made-up restaurants with {len(data.dishes())} dishes are now in {shown}."
