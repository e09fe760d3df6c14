"""Transactions: short, whole, and never held across anything that waits.

- `write` is one transaction; it is tried again where the database was busy or two writers collided, so what it does
  may run more than once and must touch nothing but its connection.
- On SQLite a writing transaction takes its lock at the beginning (`BEGIN IMMEDIATE`), so it never fails half-way.
- A write that still fails is an error, never a quiet loss (case 45).
- Whoever only reads opens no transaction on PostgreSQL: that is two ways there and back less, and no ROLLBACK, which throws away what is
  prepared. Each statement is a whole by itself, as it is in READ COMMITTED anyway.
- A connection that was lost on the way is replaced and all of it tried again, unless the commit may have arrived.
"""

from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import Concatenate, ParamSpec, TypeVar

from sqlalchemy import text
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from handrail.errors import Bug
from handrail.stores.database import ONLY_READS

MOST_TRIES = 5
SERIALIZATION_FAILURES = frozenset({"40001", "40P01"})

_after: ContextVar[list[Callable[[], object]] | None] = ContextVar("after_commit", default=None)
P = ParamSpec("P")
T = TypeVar("T")


async def write(engine: AsyncEngine, act: Callable[Concatenate[AsyncConnection, P], Awaitable[T]], *args: P.args, **kwargs: P.kwargs) -> T:
    """What `act(connection, …)` returns, once it is committed.

    Raises:
        sqlalchemy.exc.DBAPIError: the database refused it, five times where it was only busy.
    """
    for last in [False] * (MOST_TRIES - 1) + [True]:
        commits = False
        after: list[Callable[[], object]] = []
        token = _after.set(after)
        try:
            async with engine.connect() as connection:
                if connection.dialect.name == "sqlite":
                    await connection.execute(text("BEGIN IMMEDIATE"))
                result = await act(connection, *args, **kwargs)
                commits = True
                await connection.commit()
        except DBAPIError as error:
            lost = error.connection_invalidated and not commits
            if last or not (lost or _is_passing(error)):
                raise
            continue
        finally:
            _after.reset(token)
        for call in after:
            call()
        return result
    raise AssertionError("the last try returns or raises")


def after_commit(call: Callable[[], object]) -> None:
    """Have something called once the `write` that this is part of is committed.

    Raises:
        Bug: this is no part of a `write`.
    """
    after = _after.get()
    if after is None:
        raise Bug("after_commit() belongs into what write() runs")
    after.append(call)


async def read(engine: AsyncEngine, act: Callable[Concatenate[AsyncConnection, P], Awaitable[T]], *args: P.args, **kwargs: P.kwargs) -> T:
    """What `act(connection, …)` returns.

    Raises:
        Bug: it writes.
        sqlalchemy.exc.DBAPIError: the database does not answer.
    """
    for last in [False] * (MOST_TRIES - 1) + [True]:
        try:
            async with engine.connect() as connection:
                alone = {} if connection.dialect.name == "sqlite" else {"isolation_level": "AUTOCOMMIT"}
                reading = await connection.execution_options(**{ONLY_READS: True}, **alone)
                return await act(reading, *args, **kwargs)
        except DBAPIError as error:
            if last or not error.connection_invalidated:
                raise
    raise AssertionError("the last try returns or raises")


def _is_passing(error: DBAPIError) -> bool:
    state = getattr(error.orig, "sqlstate", None)
    busy = isinstance(error, OperationalError) and "locked" in str(error.orig)
    return busy or state in SERIALIZATION_FAILURES
