"""Jobs: runs that the service has taken on, each a row that a worker takes.

- The jobs of a session run one at a time, in the order of their `place`.
- The owner is checked in the query itself (case 71).
"""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any

import msgspec
from sqlalchemy import func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from handrail.stores.tables import HISTORY_LIMIT, jobs

MOST_LISTED = 100


class JobStatus(StrEnum):
    """What clients see of a job."""

    PENDING = "PENDING"
    RUNNING = "RUNNING"
    INPUT_REQUIRED = "INPUT_REQUIRED"
    COMPLETE = "COMPLETE"
    ERROR = "ERROR"
    CANCELLED = "CANCELLED"


ENDED = frozenset({JobStatus.COMPLETE, JobStatus.ERROR, JobStatus.CANCELLED})


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """One job."""

    job_id: str
    session_id: str
    user_id: str
    app: str
    place: int
    status: JobStatus
    message: str
    response: str | None
    outcome: dict[str, Any] | None
    history_tokens: int
    history_limit: int
    retry_of: str | None
    created_at: datetime
    updated_at: datetime

    @property
    def ended(self) -> bool:
        """Nothing more will happen."""
        return self.status in ENDED


class NewJob(msgspec.Struct, frozen=True, kw_only=True):
    """What a job is made of."""

    job_id: str
    session_id: str
    user_id: str
    app: str
    message: str
    history_limit: int = HISTORY_LIMIT
    retry_of: str | None = None


async def add(connection: AsyncConnection, new: NewJob, *, at: datetime) -> Job:
    """Put a job at the end of its session."""
    last = await connection.scalar(select(func.max(jobs.c.place)).where(jobs.c.session_id == new.session_id))
    values = {
        **msgspec.to_builtins(new),
        "place": (last or 0) + 1,
        "status": JobStatus.PENDING.value,
        "response": None,
        "outcome": None,
        "history_tokens": 0,
        "created_at": at,
        "updated_at": at,
    }
    await connection.execute(insert(jobs).values(values))
    return msgspec.convert(values, type=Job)


async def owned(connection: AsyncConnection, job_id: str, *, user_id: str) -> Job | None:
    """The job, if it is this user's."""
    row = (await connection.execute(select(jobs).where(jobs.c.job_id == job_id, jobs.c.user_id == user_id))).one_or_none()
    return None if row is None else _row(row)


async def found(connection: AsyncConnection, job_id: str) -> Job | None:
    """The job, whoever's it is: for workers and operators."""
    row = (await connection.execute(select(jobs).where(jobs.c.job_id == job_id))).one_or_none()
    return None if row is None else _row(row)


async def current(connection: AsyncConnection, session_id: str) -> Job | None:
    """The session's first job that has not ended: the one whose turn it is."""
    query = select(jobs).where(jobs.c.session_id == session_id, jobs.c.status.not_in([status.value for status in ENDED]))
    row = (await connection.execute(query.order_by(jobs.c.place).limit(1))).one_or_none()
    return None if row is None else _row(row)


async def listed(
    connection: AsyncConnection,
    *,
    user_id: str | None = None,
    session_id: str | None = None,
    status: JobStatus | None = None,
    most: int = MOST_LISTED,
) -> Sequence[Job]:
    """Jobs, newest first."""
    query = select(jobs).order_by(jobs.c.created_at.desc(), jobs.c.job_id).limit(most)
    for column, wanted in ((jobs.c.user_id, user_id), (jobs.c.session_id, session_id), (jobs.c.status, status)):
        if wanted is not None:
            query = query.where(column == wanted)
    return [_row(row) for row in await connection.execute(query)]


async def runnable_without_wake(connection: AsyncConnection, *, since: datetime, most: int = MOST_LISTED) -> Sequence[str]:
    """Sessions whose jobs have been pending or running untouched since then: what a sweep wakes."""
    waiting = (JobStatus.PENDING.value, JobStatus.RUNNING.value)
    query = select(jobs.c.session_id).where(jobs.c.status.in_(waiting), jobs.c.updated_at <= since).distinct().limit(most)
    return list((await connection.scalars(query)).all())


async def keep(connection: AsyncConnection, job_id: str, *, at: datetime, **values: Any) -> None:
    """Write what the journal leads to: status, response, outcome, history_tokens."""
    await connection.execute(update(jobs).where(jobs.c.job_id == job_id).values(**values, updated_at=at))


def _row(row: Any) -> Job:
    return msgspec.convert(dict(row._mapping), type=Job)
