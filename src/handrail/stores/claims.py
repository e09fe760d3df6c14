"""What may happen once: a request with an `Idempotency-Key`, and a message that a platform delivers again (case 39).

Both are claimed in the transaction that makes the job: whoever comes at the same moment waits for it, and finds the claim.
"""

from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import Table, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from handrail.stores.tables import idempotency_keys, platform_messages


class Claim(msgspec.Struct, frozen=True):
    """What was claimed before: the digest of what it was asked with, and the job that it made."""

    digest: str
    job_id: str


async def earlier(connection: AsyncConnection, user_id: str, key: str) -> Claim | None:
    """The claim on a key of this user's."""
    columns = (idempotency_keys.c.digest, idempotency_keys.c.job_id)
    query = select(*columns).where(idempotency_keys.c.user_id == user_id, idempotency_keys.c.key == key)
    row = (await connection.execute(query)).one_or_none()
    return None if row is None else Claim(row.digest, row.job_id)


async def claim(connection: AsyncConnection, user_id: str, key: str, claimed: Claim, *, at: datetime) -> bool:
    """Claim a key; `False` where it has come before."""
    values = {"user_id": user_id, "key": key, "digest": claimed.digest, "job_id": claimed.job_id, "created_at": at}
    return await _is_first(connection, idempotency_keys, values)


async def delivered(connection: AsyncConnection, platform: str, message_id: str) -> str | None:
    """The job that a platform's message has made already."""
    query = select(platform_messages.c.job_id).where(platform_messages.c.platform == platform, platform_messages.c.message_id == message_id)
    return await connection.scalar(query)


async def deliver(connection: AsyncConnection, platform: str, message_id: str, job_id: str, *, at: datetime) -> bool:
    """Claim a platform's message; `False` where it has come before."""
    values = {"platform": platform, "message_id": message_id, "job_id": job_id, "created_at": at}
    return await _is_first(connection, platform_messages, values)


async def _is_first(connection: AsyncConnection, table: Table, values: dict[str, Any]) -> bool:
    insert = sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert
    claim = insert(table).values(values).on_conflict_do_nothing(index_elements=list(table.primary_key)).returning(table.c.job_id)
    return (await connection.execute(claim)).one_or_none() is not None
