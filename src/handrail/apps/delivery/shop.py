"""What tools and routes work with: the database, the menus, the search, and the time.

- Menus are read once a process, when somebody first asks for them; whoever changes them starts the service again.
- A database without restaurants is looked at again each time, so that `handrail seed delivery` helps at once.
- Where the extra `search` is installed its model is read beside, which takes seconds; until then words are enough.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from handrail.apps.delivery.catalogue import Catalogue, Dish, Restaurant
from handrail.apps.delivery.hours import read_hours
from handrail.apps.delivery.search import Search
from handrail.apps.delivery.search.meaning import installed
from handrail.apps.delivery.settings import read_settings
from handrail.apps.delivery.tables import DishRow, RestaurantRow
from handrail.service.database import make_engine
from handrail.service.settings import database_url

PATIENCE = 3.0
"""Seconds that a search waits for the model."""

logger = logging.getLogger(__name__)


def now() -> datetime:
    """The time, aware UTC."""
    return datetime.now(UTC)


class Shop:
    """The tools' and the routes' `deps`.

    Args:
        database: where menus, carts, orders and trails are.
        zone: the restaurants' time zone.
        now: the time, aware UTC.
        images: a folder with photographs.
        meaning: search by meaning too; where it is not said, where the extra is installed.

    Attributes:
        database, now, images: as given.
    """

    def __init__(
        self,
        database: AsyncEngine,
        *,
        zone: str = "UTC",
        now: Callable[[], datetime] = now,
        images: Path | None = None,
        meaning: bool | None = None,
    ) -> None:
        """Keep them; nothing is read yet."""
        self.database = database
        self.now = now
        self.images = images
        self._zone = ZoneInfo(zone)
        self._reading = asyncio.Lock()
        self._catalogue = Catalogue((), ())
        self._by_meaning = installed() if meaning is None else meaning
        self._words: Search | None = None
        self._deeper: asyncio.Task[Search] | None = None

    def local(self) -> datetime:
        """The time on the restaurants' clocks."""
        return self.now().astimezone(self._zone)

    async def catalogue(self) -> Catalogue:
        """The restaurants and their menus."""
        async with self._reading:
            if not self._catalogue.restaurants:
                self._catalogue = await read_catalogue(self.database)
            return self._catalogue

    async def search(self) -> Search:
        """The search over the catalogue."""
        catalogue = await self.catalogue()
        async with self._reading:
            if self._words is None or self._words.catalogue is not catalogue:
                self._words = await Search.over(catalogue, meaning=False)
                if self._by_meaning and catalogue.restaurants:
                    self._deeper = asyncio.create_task(Search.over(catalogue, meaning=True))
        if self._deeper is None:
            return self._words
        await asyncio.wait({self._deeper}, timeout=PATIENCE)
        return self._deeper.result() if self._read() else self._words

    async def close(self) -> None:
        """Let what is still being read come to its end: a thread cannot be stopped."""
        if self._deeper is not None:
            await asyncio.wait({self._deeper})
            self._read()

    def _read(self) -> bool:
        """Whether the model has been read; where it cannot be, it is not tried again."""
        if self._deeper is None or not self._deeper.done():
            return False
        if (error := self._deeper.exception()) is None:
            return True
        logger.error("delivery searches by words alone: the model cannot be read", exc_info=error)
        self._deeper = None
        return False


async def read_catalogue(database: AsyncEngine) -> Catalogue:
    """The restaurants and menus in the database, in their order."""
    async with database.connect() as connection:
        restaurants = (await connection.execute(select(*RestaurantRow.__table__.columns).order_by(RestaurantRow.place))).all()
        dishes = (await connection.execute(select(*DishRow.__table__.columns).order_by(DishRow.food_id))).all()
    return Catalogue(
        (
            Restaurant(
                restaurant_uuid=row.restaurant_uuid,
                name=row.name,
                cuisine=row.cuisine,
                description=row.description,
                rating=row.rating,
                hours=read_hours(row.hours),
            )
            for row in restaurants
        ),
        (Dish(**{**row._mapping, "tags": tuple(row.tags)}) for row in dishes),
    )


@asynccontextmanager
async def shop() -> AsyncIterator[Shop]:
    """The shop that the settings name, for as long as it is needed."""
    settings = read_settings()
    engine = make_engine(database_url())
    opened = Shop(engine, zone=settings.time_zone, images=settings.images)
    try:
        yield opened
    finally:
        await opened.close()
        await engine.dispose()


async def what_is_missing(shop: Shop) -> str | None:
    """Whether anything can be ordered, and what to do where it cannot."""
    try:
        async with shop.database.connect() as connection:
            found = (await connection.execute(select(RestaurantRow.restaurant_uuid).limit(1))).one_or_none()
    except SQLAlchemyError:
        found = None
    if found is None:
        return "the database has no restaurants, or cannot be reached: see to HANDRAIL_DATABASE_URL, then run `handrail seed delivery`"
    return None
