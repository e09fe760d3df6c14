"""The journal of the service's runs. The primary key (job, number) is the fence: a stale writer fails instead of overwriting.

- An append is one statement, which writes nothing where the journal has not exactly the length that the writer has read.
- On PostgreSQL it says on `CHANNEL`, once it is committed, which job has news.
"""

from collections.abc import Sequence
from typing import Any

import msgspec
from sqlalchemy import bindparam, func, select, text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from handrail.codec import decode, encode
from handrail.core.events import Event
from handrail.errors import StaleWriter
from handrail.stores.tables import run_events

CHANNEL = "handrail_run_events"
_LENGTH = select(func.coalesce(func.max(run_events.c.seq) + 1, 0)).where(run_events.c.job_id == bindparam("job"))
_LINES = (
    select(run_events.c.seq, run_events.c.line)
    .where(run_events.c.job_id == bindparam("job"), run_events.c.seq > bindparam("after"))
    .order_by(run_events.c.seq)
)
_APPENDED = text(
    "WITH asked AS (SELECT CAST(:job AS varchar) AS job, CAST(:seq AS integer) AS seq),"
    " new AS (INSERT INTO run_events (job_id, seq, line) SELECT asked.job, asked.seq + number - 1, line"
    " FROM asked, unnest(CAST(:lines AS text[])) WITH ORDINALITY AS given (line, number)"
    " WHERE asked.seq = (SELECT coalesce(max(held.seq) + 1, 0) FROM run_events AS held WHERE held.job_id = asked.job) RETURNING seq)"
    " SELECT count(*), CASE WHEN count(*) > 0 THEN pg_notify(:channel, CAST(:job AS text)) END FROM new"
)
_APPENDED_TO_SQLITE = text(
    "INSERT INTO run_events (job_id, seq, line) SELECT :job, :seq + key, value FROM json_each(:lines)"
    " WHERE :seq = (SELECT coalesce(max(held.seq) + 1, 0) FROM run_events AS held WHERE held.job_id = :job)"
)


async def append(connection: AsyncConnection, job_id: str, seq: int, events: Sequence[Event]) -> None:
    """Write events whose first has the number `seq`, counting from 0.

    Raises:
        StaleWriter: somebody else has written there meanwhile.
    """
    new = [encode(event).decode() for event in events]
    try:
        written = await _written(connection, job_id, seq, new)
    except IntegrityError as error:
        raise StaleWriter(f"somebody else has gone on with the run of {job_id!r}") from error
    if written < len(new) or not new:
        held = await length(connection, job_id)
        if held != seq:
            raise StaleWriter(f"the journal of {job_id!r} has {held} events, not {seq}: somebody else has gone on with this run")


async def _written(connection: AsyncConnection, job_id: str, seq: int, new: list[str]) -> int:
    given: dict[str, Any] = {"job": job_id, "seq": seq}
    if connection.dialect.name == "sqlite":
        return (await connection.execute(_APPENDED_TO_SQLITE, {**given, "lines": msgspec.json.encode(new).decode()})).rowcount
    return int(await connection.scalar(_APPENDED, {**given, "lines": new, "channel": CHANNEL}) or 0)


async def read(connection: AsyncConnection, job_id: str, *, after: int = -1) -> tuple[Event, ...]:
    """The events with a number above `after`, in order.

    Raises:
        JournalError: a line cannot be read.
    """
    return tuple(decode(line) for _, line in await lines(connection, job_id, after=after))


async def lines(connection: AsyncConnection, job_id: str, *, after: int = -1, most: int | None = None) -> list[tuple[int, str]]:
    """The same as stored: (number, line)."""
    rows = await connection.execute(_LINES if most is None else _LINES.limit(most), {"job": job_id, "after": after})
    return [(row.seq, row.line) for row in rows]


async def length(connection: AsyncConnection, job_id: str) -> int:
    """How many events there are."""
    return int(await connection.scalar(_LENGTH, {"job": job_id}) or 0)
