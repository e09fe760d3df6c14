"""The journal of the service's runs. The primary key (job, number) is the fence: a stale writer fails instead of overwriting."""

from collections.abc import Sequence

from sqlalchemy import func, insert, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from handrail.codec import decode, encode
from handrail.core.events import Event
from handrail.errors import StaleWriter
from handrail.stores.tables import run_events


async def append(connection: AsyncConnection, job_id: str, seq: int, events: Sequence[Event]) -> None:
    """Write events whose first has the number `seq`, counting from 0.

    Raises:
        StaleWriter: somebody else has written there meanwhile.
    """
    held = await length(connection, job_id)
    if held != seq:
        raise StaleWriter(f"the journal of {job_id!r} has {held} events, not {seq}: somebody else has gone on with this run")
    if not events:
        return
    rows = [{"job_id": job_id, "seq": seq + number, "line": encode(event).decode()} for number, event in enumerate(events)]
    try:
        await connection.execute(insert(run_events), rows)
    except IntegrityError as error:
        raise StaleWriter(f"somebody else has gone on with the run of {job_id!r}") from error


async def read(connection: AsyncConnection, job_id: str, *, after: int = -1) -> tuple[Event, ...]:
    """The events with a number above `after`, in order.

    Raises:
        JournalError: a line cannot be read.
    """
    return tuple(decode(line) for _, line in await lines(connection, job_id, after=after))


async def lines(connection: AsyncConnection, job_id: str, *, after: int = -1, most: int | None = None) -> list[tuple[int, str]]:
    """The same as stored: (number, line)."""
    query = select(run_events.c.seq, run_events.c.line).where(run_events.c.job_id == job_id, run_events.c.seq > after)
    rows = await connection.execute(query.order_by(run_events.c.seq).limit(most))
    return [(row.seq, row.line) for row in rows]


async def length(connection: AsyncConnection, job_id: str) -> int:
    """How many events there are."""
    found = await connection.scalar(select(func.max(run_events.c.seq)).where(run_events.c.job_id == job_id))
    return 0 if found is None else int(found) + 1
