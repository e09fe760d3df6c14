"""What the tools work with: the database, the hooks, and the time."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import msgspec
from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from handrail.apps.foodfight.hooks import Analytics, Hooks, LoggingHooks
from handrail.apps.foodfight.tables import Restaurant
from handrail.service.database import make_engine
from handrail.service.settings import database_url


def now() -> datetime:
    """The time, aware UTC."""
    return datetime.now(UTC)


class Kitchen(msgspec.Struct, frozen=True, kw_only=True):
    """The tools' `deps`.

    Args:
        database: where restaurants, menus and fights are.
        hooks: are told of each tool that starts and ends.
        now: the time.
    """

    database: AsyncEngine
    hooks: tuple[Hooks, ...] = ()
    now: Callable[[], datetime] = now


@asynccontextmanager
async def kitchen() -> AsyncIterator[Kitchen]:
    """The database that `HANDRAIL_DATABASE_URL` names with logging and analytics, for as long as they are needed."""
    engine = make_engine(database_url())
    try:
        yield Kitchen(database=engine, hooks=(LoggingHooks(), Analytics()))
    finally:
        await engine.dispose()


async def what_is_missing(kitchen: Kitchen) -> str | None:
    """Whether fights can be looked up, and what to do where they cannot."""
    try:
        async with kitchen.database.connect() as connection:
            await connection.execute(select(Restaurant.restaurant_id).limit(1))
    except SQLAlchemyError:
        return "the database has no restaurants, or cannot be reached: see to HANDRAIL_DATABASE_URL, then run `handrail seed foodfight`"
    return None
