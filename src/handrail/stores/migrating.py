"""Bring a database to this version's tables: `handrail migrate`, and `handrail serve` on a file of its own.

Several that start at once migrate one after the other; whoever comes later finds nothing to do.
"""

from pathlib import Path

import alembic.command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util.exc import CommandError
from sqlalchemy import Connection, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from handrail.errors import Bug, InputError
from handrail.stores.transactions import write

MIGRATIONS = Path(__file__).parent / "migrations"
LOCK = 0x68616E64
"""A PostgreSQL advisory lock, held for the transaction: two machines that start at once migrate one after the other."""


def newest() -> str:
    """The revision that this version's tables are at."""
    head = ScriptDirectory.from_config(_config()).get_current_head()
    if head is None:
        raise Bug("no migration is packed with this version")
    return head


async def revision(engine: AsyncEngine) -> str | None:
    """The revision that a database is at; `None` where nothing is there."""
    async with engine.connect() as connection:
        return await connection.run_sync(lambda sync: MigrationContext.configure(sync).get_current_revision())


async def migrate(engine: AsyncEngine) -> tuple[str | None, str]:
    """Bring the database to the newest revision, in one transaction: (before, after).

    Raises:
        InputError: a newer version of handrail has migrated it.
    """
    return await write(engine, _migrated), newest()


async def _migrated(connection: AsyncConnection) -> str | None:
    if connection.dialect.name != "sqlite":  # there every write has the file to itself
        await connection.execute(text(f"SELECT pg_advisory_xact_lock({LOCK})"))
    return await connection.run_sync(_upgraded)


def _upgraded(connection: Connection) -> str | None:
    before = MigrationContext.configure(connection).get_current_revision()
    config = _config()
    config.attributes["connection"] = connection
    try:
        alembic.command.upgrade(config, "head")
    except CommandError as error:
        cure = "take that version, or a back-up from before"
        raise InputError(f"the database has the tables of a newer handrail (revision {before!r}): {cure}") from error
    return before


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    return config
