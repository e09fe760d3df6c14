"""What is said to a run from outside: messages, decisions, cancellations, in the order in which they came.

A message is taken in the same transaction as the events that it became, so it takes effect once.
"""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any

import msgspec
from sqlalchemy import bindparam, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from handrail.stores.tables import run_messages

MOST_TAKEN = 100


class MessageKind(StrEnum):
    """What can be said to a run."""

    SAY = "say"
    LAND = "land"
    CANCEL = "cancel"
    DECISION = "decision"
    FACTS = "facts"
    STARTED = "started"
    RESULT = "result"


class RunMessage(msgspec.Struct, frozen=True, kw_only=True):
    """One message to a run."""

    message_id: int
    kind: MessageKind
    body: dict[str, Any]
    created_at: datetime


_UNTAKEN = (run_messages.c.job_id == bindparam("job"), run_messages.c.taken_at.is_(None))
_WAITING = (
    select(run_messages.c.message_id, run_messages.c.kind, run_messages.c.body, run_messages.c.created_at)
    .where(*_UNTAKEN)
    .order_by(run_messages.c.message_id)
    .limit(MOST_TAKEN)
)
_KINDS = select(run_messages.c.kind).where(*_UNTAKEN).distinct()
_TAKEN = update(run_messages).where(run_messages.c.message_id == bindparam("message"), run_messages.c.taken_at.is_(None))


async def post(connection: AsyncConnection, job_id: str, kind: MessageKind, body: dict[str, Any], *, at: datetime) -> None:
    """Put a message at the end."""
    await connection.execute(insert(run_messages).values(job_id=job_id, kind=kind.value, body=body, created_at=at))


async def waiting(connection: AsyncConnection, job_id: str) -> Sequence[RunMessage]:
    """What has not been taken yet, oldest first."""
    rows = await connection.execute(_WAITING, {"job": job_id})
    return [msgspec.convert(row, type=RunMessage, from_attributes=True) for row in rows]


async def spoken_to(connection: AsyncConnection, job_ids: Sequence[str]) -> Sequence[str]:
    """Those of the jobs that have not taken all that was said to them."""
    query = select(run_messages.c.job_id).where(run_messages.c.job_id.in_(job_ids), run_messages.c.taken_at.is_(None))
    return (await connection.scalars(query.distinct())).all()


async def bodies(connection: AsyncConnection, job_id: str, kind: MessageKind) -> Sequence[dict[str, Any]]:
    """What has been said of that kind, taken or not."""
    query = select(run_messages.c.body).where(run_messages.c.job_id == job_id, run_messages.c.kind == kind.value)
    return (await connection.scalars(query.order_by(run_messages.c.message_id))).all()


async def holds(connection: AsyncConnection, job_id: str, *kinds: MessageKind) -> bool:
    """Whether a message of such a kind has not been taken yet."""
    return not set(kinds).isdisjoint([row.kind for row in await connection.execute(_KINDS, {"job": job_id})])


async def take(connection: AsyncConnection, message_id: int, *, at: datetime) -> bool:
    """Take a message; `False` where somebody else has."""
    return (await connection.execute(_TAKEN, {"message": message_id, "taken_at": at})).rowcount == 1
