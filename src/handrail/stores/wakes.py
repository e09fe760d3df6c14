"""Which sessions have something to do, and when: what the embedded engine and every sweep read.

- A session is wanted now (`since`), at a time (`timer`), or both. The latest timer stands: whoever sets one has just read the whole run.
- A wake-up that comes while its session is being advanced raises `wanted`, and so is not lost.
- A row stays, so that `wanted` never begins again and no late `served` can take away what it has not seen.
"""

from collections.abc import Sequence
from datetime import datetime

import msgspec
from sqlalchemy import case, func, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from handrail.stores.tables import session_wakes

MOST_TAKEN = 1_000


class Wake(msgspec.Struct, frozen=True):
    """A session that has something to do, as it was read at a time; `wanted` tells a later wake-up from this one."""

    session_id: str
    wanted: int
    read_at: datetime


async def want(connection: AsyncConnection, session_id: str, *, at: datetime) -> None:
    """Have the session advanced as soon as possible; `at` is the time of asking."""
    insert = sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert
    new = insert(session_wakes).values(session_id=session_id, since=at, wanted=1)
    since = func.coalesce(session_wakes.c.since, new.excluded.since)
    changed = {"since": since, "wanted": session_wakes.c.wanted + 1}
    await connection.execute(new.on_conflict_do_update(index_elements=[session_wakes.c.session_id], set_=changed))


async def want_later(connection: AsyncConnection, session_id: str, *, at: datetime) -> None:
    """Have the session advanced at that time, and not at the one that was set before."""
    insert = sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert
    new = insert(session_wakes).values(session_id=session_id, timer=at, wanted=0)
    await connection.execute(new.on_conflict_do_update(index_elements=[session_wakes.c.session_id], set_={"timer": new.excluded.timer}))


async def due(connection: AsyncConnection, *, at: datetime, session_id: str | None = None, most: int = MOST_TAKEN) -> Sequence[Wake]:
    """What is due, longest waiting first; of one session only, where it is said."""
    query = select(session_wakes).where(or_(session_wakes.c.since.is_not(None), session_wakes.c.timer <= at))
    if session_id is not None:
        query = query.where(session_wakes.c.session_id == session_id)
    rows = await connection.execute(query.order_by(func.coalesce(session_wakes.c.since, session_wakes.c.timer)).limit(most))
    return [Wake(row.session_id, row.wanted, at) for row in rows]


async def next_due(connection: AsyncConnection, *, after: datetime) -> datetime | None:
    """The next timer after that time."""
    query = select(session_wakes.c.timer).where(session_wakes.c.timer > after).order_by(session_wakes.c.timer).limit(1)
    return await connection.scalar(query)


async def served(connection: AsyncConnection, wake: Wake) -> None:
    """Take a wake-up away, but not what was wanted meanwhile, nor a timer that was not due yet."""
    table = session_wakes
    since = case((table.c.wanted == wake.wanted, None), else_=table.c.since)
    timer = case((table.c.timer <= wake.read_at, None), else_=table.c.timer)
    await connection.execute(update(table).where(table.c.session_id == wake.session_id).values(since=since, timer=timer))
