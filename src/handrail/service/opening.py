"""The service's database, opened: with its tables, or with a line that says what to do.

- SQLite is brought to this version's tables by itself. PostgreSQL is somebody's: `handrail migrate` does it when they say so.
- Which engine wakes sessions follows from the database: SQLite has it in this process, PostgreSQL on any number of machines.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from handrail.engines.contract import Engine
from handrail.engines.embedded import EmbeddedEngine
from handrail.errors import InputError
from handrail.ports import Clock
from handrail.service.apps import named
from handrail.service.settings import Settings
from handrail.stores.database import MEMORY, make_engine
from handrail.stores.migrating import migrate, newest, revision

POSTGRES_ENGINE = "handrail.engines.postgres:PostgresEngine"
POSTGRES_PORT = 5432
WORKERS = "handrail.engines.postgres:workers_of"
CHECK_QUEUE = "handrail.engines.postgres_schema:check_queue"


@asynccontextmanager
async def opened(settings: Settings) -> AsyncIterator[AsyncEngine]:
    """The database that the settings name, with this version's tables.

    Raises:
        InputError: it cannot be reached, or has to be migrated first.
    """
    database = make_engine(settings.database_url.get_secret_value())
    try:
        await make_ready(database)
        yield database
    finally:
        await database.dispose()


async def make_ready(database: AsyncEngine) -> None:
    """See that the tables are there.

    Raises:
        InputError: the database cannot be reached, or has to be migrated first.
    """
    wrong = await what_is_missing(database, called=place_of(database))
    if wrong is not None and is_sqlite(database) and await _reached(database):
        await migrate(database)
    elif wrong is not None:
        raise InputError(wrong)
    if not is_sqlite(database):
        await named(CHECK_QUEUE)(database)


def place_of(database: AsyncEngine) -> str:
    """Where the database is, for whoever set it: without the user, the password and everything else that is in its URL."""
    url = database.url
    if is_sqlite(database):
        return f"the database {url.database}"
    return f"the database at {url.host}:{url.port or POSTGRES_PORT}" if url.host else "the database at its socket"


async def what_is_missing(database: AsyncEngine, *, called: str = "the database") -> str | None:
    """What keeps the database from being used, and what to do; `None` where nothing does.

    Args:
        database: as it is set.
        called: what to call it. Strangers, who ask `/readyz`, are not told where it is.
    """
    try:
        found = await revision(database)
    except SQLAlchemyError as error:
        reason = type(getattr(error, "orig", None) or error).__name__
        return f"{called} cannot be reached ({reason}): see to HANDRAIL_DATABASE_URL"
    if found == newest():
        return None
    return f"{called} has {'no tables of ours' if found is None else f'the tables of revision {found}'}: run `handrail migrate`"


def is_sqlite(database: AsyncEngine) -> bool:
    """Whether it is a file, or in memory."""
    return database.dialect.name == "sqlite"


def engine_for(database: AsyncEngine, clock: Clock) -> Engine:
    """What wakes the sessions of this database.

    Raises:
        InputError: PostgreSQL's extra is not installed.
    """
    if not is_sqlite(database):
        made: Engine = named(POSTGRES_ENGINE)(database, clock=clock)
        return made
    file = database.url.database or ""
    return EmbeddedEngine(database, clock=clock, lock=None if file in MEMORY else Path(f"{file}-lock"))


async def _reached(database: AsyncEngine) -> bool:
    try:
        await revision(database)
    except SQLAlchemyError:
        return False
    return True
