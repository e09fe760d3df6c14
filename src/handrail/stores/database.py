"""The database's engine: SQLite through aiosqlite, PostgreSQL through psycopg, whatever the URL's driver is called.

- URLs as platforms hand them out are taken (`postgres://`), and those for asyncpg.
- SQLite waits for another writer instead of failing, and lets readers read beside one (WAL); so does the first opening of a file (case 45).
- A SQLite database in memory has one connection, which everybody waits for: there is nothing else that could share it.
- A connection that nobody has used for a while is asked whether it is still there; one that was in use just now is not.
- Where only reading was asked for (`ONLY_READS`), nothing is written.
- No error shows a password, nor what was to be stored.
"""

import asyncio
import math
import sqlite3
import time
from datetime import UTC, datetime
from functools import partial
from typing import Any

from sqlalchemy import AsyncAdaptedQueuePool, Connection, DateTime, Dialect, event, make_url
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError, InvalidatePoolError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import ConnectionPoolEntry
from sqlalchemy.types import TypeDecorator
from sqlalchemy.util import await_only

from handrail.errors import Bug, InputError
from handrail.stores.sqlite_connecting import connect_cleanly

BUSY_MILLISECONDS = 5_000
MOST_OPENINGS = 100
BETWEEN_OPENINGS = 0.1
"""Seconds. SQLite does not wait by itself while another process makes a new file ready."""
MEMORY = ("", ":memory:")
ONLY_READS = "handrail_only_reads"
"""An execution option."""
USED = "handrail_used"
QUIET_SECONDS = 1.0
DRIVERS = {
    "postgres": "postgresql+psycopg",
    "postgresql": "postgresql+psycopg",
    "postgresql+asyncpg": "postgresql+psycopg",
    "postgresql+psycopg": "postgresql+psycopg",
    "postgresql+psycopg2": "postgresql+psycopg",
    "postgresql+psycopg_async": "postgresql+psycopg",
    "sqlite": "sqlite+aiosqlite",
    "sqlite+aiosqlite": "sqlite+aiosqlite",
    "sqlite+pysqlite": "sqlite+aiosqlite",
}


class UtcDateTime(TypeDecorator[datetime]):
    """A time that is aware UTC on the way in and on the way out, in a database that keeps no time zone too."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Store UTC; a time without a zone is a mistake, and is refused."""
        if value is not None and value.tzinfo is None:
            raise InputError(f"a stored time needs a time zone, and {value!r} has none")
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Give UTC."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def normalised(url: str) -> URL:
    """The URL with the driver that we use.

    Raises:
        InputError: it is no URL, or of another kind of database.
    """
    try:
        parsed = make_url(url)
    except ArgumentError:
        raise InputError("the database URL cannot be read; it looks like sqlite:///file.db or postgresql://user@host/name") from None
    driver = DRIVERS.get(parsed.drivername)
    if driver is None:
        raise InputError(
            f"a database of the kind {parsed.drivername!r} is not served; take sqlite:///file.db or postgresql://user@host/name"
        )
    query = dict(parsed.query)
    if parsed.drivername.endswith("asyncpg") and "ssl" in query:  # asyncpg's word for libpq's sslmode
        query["sslmode"] = query.pop("ssl")
    return parsed.set(drivername=driver, query=query)


def make_engine(url: str) -> AsyncEngine:
    """An engine; nothing is connected yet. Whoever makes it disposes of it.

    Raises:
        InputError: the URL cannot be served, or PostgreSQL's driver is not installed.
    """
    target = normalised(url)
    if target.get_backend_name() == "sqlite":
        alone = {"poolclass": AsyncAdaptedQueuePool, "pool_size": 1, "max_overflow": 0} if (target.database or "") in MEMORY else {}
        engine = create_async_engine(target, hide_parameters=True, **alone)
        event.listen(engine.sync_engine, "do_connect", connect_cleanly)
        event.listen(engine.sync_engine, "connect", _prepare_sqlite)
    else:
        try:
            engine = create_async_engine(target, hide_parameters=True, skip_autocommit_rollback=True)
        except ModuleNotFoundError as error:
            raise InputError("PostgreSQL needs the extra: install handrail[postgres]") from error
        event.listen(engine.sync_engine, "checkin", _put_back)
        event.listen(engine.sync_engine, "checkout", partial(_asked_again, engine.dialect))
    event.listen(engine.sync_engine, "before_cursor_execute", _check_reading)
    return engine


def _put_back(connection: Any, record: ConnectionPoolEntry) -> None:
    record.info[USED] = time.monotonic()


def _asked_again(dialect: Dialect, connection: Any, record: ConnectionPoolEntry, proxy: object) -> None:
    """Ask whether it is still there. One that went away a moment ago fails at its first statement, and is replaced as well."""
    if time.monotonic() - record.info.get(USED, math.inf) < QUIET_SECONDS:
        return
    try:
        dialect.do_ping(connection)
    except dialect.loaded_dbapi.Error as error:
        raise InvalidatePoolError from error


def _check_reading(connection: Connection, *call: Any) -> None:
    if connection.get_execution_options().get(ONLY_READS):
        _, statement, _, context, _ = call
        if context.isinsert or context.isupdate or context.isdelete:
            raise Bug(f"what only reads does not write: {statement!r}")


def _prepare_sqlite(connection: Any, record: object) -> None:
    cursor = connection.cursor()
    try:
        # The time to wait comes first: switching to WAL is itself a write that may have to wait.
        cursor.execute(f"PRAGMA busy_timeout = {BUSY_MILLISECONDS}")
        for last in [False] * (MOST_OPENINGS - 1) + [True]:
            try:
                cursor.execute("PRAGMA journal_mode = WAL")
                break
            except sqlite3.OperationalError:
                if last:
                    raise
                await_only(asyncio.sleep(BETWEEN_OPENINGS))
        cursor.execute("PRAGMA foreign_keys = ON")
    finally:
        cursor.close()
