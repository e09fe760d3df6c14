"""Which result of a client's counts: the first one of a call (case 64).

It is claimed in the transaction that posts the result to its run: whoever comes at the same moment waits for it, and finds the claim.
"""

from datetime import datetime

from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from handrail.stores.tables import client_results


async def claimed(connection: AsyncConnection, job_id: str, call_id: str) -> str | None:
    """The digest of the result that counts."""
    query = select(client_results.c.digest)
    return await connection.scalar(query.where(client_results.c.job_id == job_id, client_results.c.call_id == call_id))


async def answered(connection: AsyncConnection, job_id: str) -> frozenset[str]:
    """The calls that have one."""
    rows = await connection.scalars(select(client_results.c.call_id).where(client_results.c.job_id == job_id))
    return frozenset(rows.all())


async def claim(connection: AsyncConnection, job_id: str, call_id: str, digest: str, *, at: datetime) -> None:
    """Keep a result as the one that counts; the job's row is locked, so nobody else is about to."""
    await connection.execute(insert(client_results).values(job_id=job_id, call_id=call_id, digest=digest, created_at=at))
