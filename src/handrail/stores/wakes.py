"""Which sessions have something to do, and when: what the embedded engine and every sweep read.

A wake-up that comes while its session is being advanced raises `wanted`, and so is not lost.
"""

from collections.abc import Sequence
from datetime import datetime

import msgspec
from sqlalchemy import case, delete, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from handrail.stores.tables import session_wakes

MOST_TAKEN = 1_000


class Wake(msgspec.Struct, frozen=True):
    """A session that has something to do at a time; `wanted` tells a later wake-up from this one."""

    session_id: str
    due_at: datetime
    wanted: int


async def want(connection: AsyncConnection, session_id: str, *, at: datetime) -> None:
    """Have the session advanced at that time, or earlier where that was wanted before."""
    insert = sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert
    new = insert(session_wakes).values(session_id=session_id, due_at=at, wanted=1)
    earliest = case((session_wakes.c.due_at > new.excluded.due_at, new.excluded.due_at), else_=session_wakes.c.due_at)
    await connection.execute(
        new.on_conflict_do_update(
            index_elements=[session_wakes.c.session_id],
            set_={"due_at": earliest, "wanted": session_wakes.c.wanted + 1},
        )
    )


async def due(connection: AsyncConnection, *, at: datetime, most: int = MOST_TAKEN) -> Sequence[Wake]:
    """What is due, longest waiting first."""
    query = select(session_wakes).where(session_wakes.c.due_at <= at).order_by(session_wakes.c.due_at).limit(most)
    return [Wake(row.session_id, row.due_at, row.wanted) for row in await connection.execute(query)]


async def next_due(connection: AsyncConnection, *, after: datetime) -> datetime | None:
    """The time of the next one after that time."""
    query = select(session_wakes.c.due_at).where(session_wakes.c.due_at > after).order_by(session_wakes.c.due_at).limit(1)
    return await connection.scalar(query)


async def served(connection: AsyncConnection, wake: Wake) -> None:
    """Take a wake-up away, unless it was wanted again meanwhile."""
    query = delete(session_wakes).where(session_wakes.c.session_id == wake.session_id, session_wakes.c.wanted == wake.wanted)
    await connection.execute(query)


async def later(connection: AsyncConnection, wake: Wake, *, at: datetime) -> None:
    """Put a wake-up off, after an advance that failed."""
    await connection.execute(update(session_wakes).where(session_wakes.c.session_id == wake.session_id).values(due_at=at))
