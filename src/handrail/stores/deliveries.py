"""What is still to be sent to somebody outside about a job: its questions, and its answer.

- A row is written in the transaction that takes the job on, so what was taken on is answered after any crash.
- Whoever sends claims the row first, until a time: of two processes one sends, and what a lost one had claimed is taken up again.
- What has arrived is written down piece by piece, and no piece is sent again.
"""

import secrets
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from handrail.stores.jobs import ENDED, JobStatus
from handrail.stores.tables import deliveries, jobs, run_events

MOST_LISTED = 1_000


class NewDelivery(msgspec.Struct, frozen=True, kw_only=True):
    """Where a job's answer is wanted.

    Args:
        surface: which one sends it.
        target: what that surface needs for it; as JSON.
    """

    surface: str
    target: dict[str, Any]


class Delivery(msgspec.Struct, frozen=True, kw_only=True):
    """One row.

    Args:
        sent: the names of the pieces that have arrived.
        tries: how often in a row it has failed.
        next_at: when to look at it; `None` where nothing is left to be done.
    """

    delivery_id: str
    job_id: str
    surface: str
    target: dict[str, Any]
    sent: list[str]
    tries: int
    next_at: datetime | None
    created_at: datetime


class Due(msgspec.Struct, frozen=True):
    """What is to be looked at, with how far its job has come: the number of its events."""

    delivery: Delivery
    events: int


async def add(connection: AsyncConnection, job_id: str, new: NewDelivery, *, at: datetime) -> None:
    """Want a job's answer somewhere."""
    values = {
        **msgspec.structs.asdict(new),
        "delivery_id": f"dlv_{secrets.token_hex(16)}",
        "job_id": job_id,
        "sent": [],
        "tries": 0,
        "next_at": at,
        "created_at": at,
    }
    await connection.execute(insert(deliveries).values(values))


async def due(connection: AsyncConnection, surface: str, *, at: datetime) -> Sequence[Due]:
    """What is to be looked at: its time has come, and its job has ended or waits for somebody; longest due first."""
    statuses = [status.value for status in (*ENDED, JobStatus.INPUT_REQUIRED)]
    events = select(func.count()).where(run_events.c.job_id == deliveries.c.job_id).scalar_subquery()
    query = select(deliveries, events.label("events")).join(jobs, jobs.c.job_id == deliveries.c.job_id)
    query = query.where(deliveries.c.surface == surface, deliveries.c.next_at <= at, jobs.c.status.in_(statuses))
    rows = await connection.execute(query.order_by(deliveries.c.next_at, deliveries.c.delivery_id).limit(MOST_LISTED))
    return [Due(msgspec.convert(row, type=Delivery, from_attributes=True), row.events) for row in rows]


async def claim(connection: AsyncConnection, delivery: Delivery, *, until: datetime) -> bool:
    """Have it to oneself until that time; `False` where somebody else has looked at it meanwhile."""
    table = deliveries
    query = update(table).where(table.c.delivery_id == delivery.delivery_id, table.c.next_at == delivery.next_at)
    return (await connection.execute(query.values(next_at=until))).rowcount == 1


async def is_open(connection: AsyncConnection, job_id: str) -> bool:
    """Whether anything of a job is still to be sent."""
    query = select(deliveries.c.delivery_id).where(deliveries.c.job_id == job_id, deliveries.c.next_at.is_not(None))
    return await connection.scalar(query.limit(1)) is not None


async def keep(connection: AsyncConnection, delivery_id: str, *, sent: Sequence[str], tries: int, next_at: datetime | None) -> None:
    """Write down how far it has come, and when to look at it again."""
    query = update(deliveries).where(deliveries.c.delivery_id == delivery_id)
    await connection.execute(query.values(sent=list(sent), tries=tries, next_at=next_at))
