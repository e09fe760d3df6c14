"""Procrastinate's tables in our database: made and kept up to date by `handrail migrate`, in one transaction under our lock.

- A comment on the jobs table says how far they are. Tables without our comment are somebody's own, who keeps them up to date.
"""

from collections.abc import Mapping
from pathlib import Path

from procrastinate.schema import SchemaManager
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from handrail.errors import Bug, InputError
from handrail.stores.migrating import LOCK
from handrail.stores.transactions import read, write

MARK = "kept by handrail at "
_THERE = text("SELECT to_regclass('procrastinate_jobs') IS NOT NULL AS there, obj_description(to_regclass('procrastinate_jobs')) AS mark")


async def migrate_queue(database: AsyncEngine, steps: Path | None = None) -> bool:
    """Bring Procrastinate's tables to the version that is installed; whether there was anything to do.

    Args:
        database: on PostgreSQL.
        steps: Procrastinate's own migrations, one step a file; those that are installed where it is not said.
    """
    return await write(database, _migrated, _scripts(steps or Path(SchemaManager.get_migrations_path())))


async def check_queue(database: AsyncEngine) -> None:
    """See that the tables are there.

    Raises:
        InputError: they are not, or the database cannot be reached.
    """
    try:
        there, _ = await read(database, _found)
    except SQLAlchemyError as error:
        raise InputError(f"the database cannot be reached ({type(error).__name__}): see to HANDRAIL_DATABASE_URL") from error
    if not there:
        raise InputError("the database has no tables for wake-ups: run `handrail migrate`")


def _scripts(folder: Path) -> Mapping[str, str]:
    """The steps in their order, by what comes before `.sql` in their names."""
    return {file.stem: file.read_text(encoding="utf-8") for file in sorted(folder.glob("*.sql"))}


async def _migrated(connection: AsyncConnection, steps: Mapping[str, str]) -> bool:
    await connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
    there, mark = await _found(connection)
    if not there:
        todo = [SchemaManager.get_schema()]
    elif mark is not None and mark.startswith(MARK):
        todo = [script for name, script in steps.items() if name > mark.removeprefix(MARK)]
    else:
        todo = []
    if not todo:
        return False
    driver = (await connection.get_raw_connection()).driver_connection
    if driver is None:
        raise Bug("a connection that is open has no driver's connection")
    for script in todo:
        await driver.execute(script)  # several statements each, which SQLAlchemy does not take
    await connection.execute(text(f"COMMENT ON TABLE procrastinate_jobs IS '{MARK}{max(steps)}'"))
    return True


async def _found(connection: AsyncConnection) -> tuple[bool, str | None]:
    row = (await connection.execute(_THERE)).one()
    return row.there, row.mark
