"""Leases: who advances a session now, where no worker is known to live. Each is taken for a while, and renewed.

- A lease is taken in one statement, by whoever comes when it is free or has run out; everybody else gets none.
- Its `fence` grows with each taking. Whoever renews it or gives it back says owner and fence, and where they are not those that stand,
  nothing happens and it is said: somebody else has taken over (case 40).
- A row stays, so that no fence comes twice.
"""

from collections.abc import Set as AbstractSet
from datetime import UTC, datetime

import msgspec
from sqlalchemy import ColumnElement, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from handrail.stores.tables import session_leases

FREE = datetime(1970, 1, 1, tzinfo=UTC)
"""Before any machine's now: what was given back is free for one whose clock is behind, too."""


class Lease(msgspec.Struct, frozen=True):
    """A session that is this owner's, for as long as nobody has taken it with a higher fence."""

    session_id: str
    owner: str
    fence: int


async def take(connection: AsyncConnection, session_id: str, *, owner: str, at: datetime, until: datetime) -> Lease | None:
    """The lease of a session until that time; `None` where somebody else has it."""
    insert = sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert
    new = insert(session_leases).values(session_id=session_id, owner=owner, fence=1, until=until)
    taken = new.on_conflict_do_update(
        index_elements=[session_leases.c.session_id],
        set_={"owner": new.excluded.owner, "fence": session_leases.c.fence + 1, "until": new.excluded.until},
        where=session_leases.c.until <= at,
    )
    fence = await connection.scalar(taken.returning(session_leases.c.fence))
    return None if fence is None else Lease(session_id, owner, fence)


async def renew(connection: AsyncConnection, lease: Lease, *, until: datetime) -> bool:
    """Keep a lease until that time; `False` where it is somebody else's by now."""
    renewed = update(session_leases).where(*_is(lease)).values(until=until).returning(session_leases.c.fence)
    return await connection.scalar(renewed) is not None


async def release(connection: AsyncConnection, lease: Lease) -> bool:
    """Give a lease back; `False` where it is somebody else's by now, who keeps it."""
    return await renew(connection, lease, until=FREE)


async def held(connection: AsyncConnection, *, at: datetime) -> AbstractSet[str]:
    """The sessions that somebody has a lease of."""
    return frozenset(await connection.scalars(select(session_leases.c.session_id).where(session_leases.c.until > at)))


def _is(lease: Lease) -> tuple[ColumnElement[bool], ...]:
    table = session_leases
    return (table.c.session_id == lease.session_id, table.c.owner == lease.owner, table.c.fence == lease.fence)
