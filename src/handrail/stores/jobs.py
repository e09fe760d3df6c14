"""Jobs: runs that the service has taken on, each a row that a worker takes.

- The jobs of a session run one at a time, in the order of their `place`.
- The owner is checked in the query itself (case 71).
- What every run asks for again and again is built once, when this is imported: building a query costs as much as asking it.
- Whoever speaks into a job locks its row (`lock=True`), as its last transaction does, so that no message comes after its end unseen.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any

import msgspec
from sqlalchemy import ColumnElement, FromClause, Select, bindparam, exists, func, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from handrail.codec import cleaned
from handrail.stores.tables import jobs, run_messages
from handrail.vocab.usage import HISTORY_LIMIT

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
    notes: tuple[str, ...] | None
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
    notes: tuple[str, ...] = ()
    history_limit: int = HISTORY_LIMIT
    retry_of: str | None = None


def is_open(table: FromClause) -> ColumnElement[bool]:
    """The condition that a job has not ended."""
    return or_(*(table.c.status == status.value for status in JobStatus if status not in ENDED))


OPEN = is_open(jobs)
_CURRENT = select(jobs).where(jobs.c.session_id == bindparam("session"), OPEN).order_by(jobs.c.place).limit(1)
_CURRENT_LOCKED = _CURRENT.with_for_update(key_share=True)
_KEPT = update(jobs).where(jobs.c.job_id == bindparam("job"))


async def add(connection: AsyncConnection, new: NewJob, *, at: datetime) -> Job:
    """Put a job at the end of its session, whose row is locked."""
    last = await connection.scalar(select(func.max(jobs.c.place)).where(jobs.c.session_id == new.session_id))
    values = {
        **msgspec.to_builtins(cleaned(new)),
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


async def owned(connection: AsyncConnection, job_id: str, *, user_id: str, lock: bool = False) -> Job | None:
    """The job, if it is this user's."""
    return await _one(connection, select(jobs).where(jobs.c.job_id == job_id, jobs.c.user_id == user_id), lock=lock)


async def found(connection: AsyncConnection, job_id: str) -> Job | None:
    """The job, whoever's it is: for workers and operators."""
    return await _one(connection, select(jobs).where(jobs.c.job_id == job_id))


async def current(connection: AsyncConnection, session_id: str, *, lock: bool = False) -> Job | None:
    """The session's first job that has not ended: the one whose turn it is."""
    row = (await connection.execute(_CURRENT_LOCKED if lock else _CURRENT, {"session": session_id})).one_or_none()
    return None if row is None else job_of(row)


async def last(connection: AsyncConnection, session_id: str, *, user_id: str) -> Job | None:
    """The session's last job, if it is this user's."""
    query = select(jobs).where(jobs.c.session_id == session_id, jobs.c.user_id == user_id).order_by(jobs.c.place.desc()).limit(1)
    return await _one(connection, query)


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
    return [job_of(row) for row in await connection.execute(query)]


async def untouched(connection: AsyncConnection, *, since: datetime, most: int | None = None) -> Sequence[str]:
    """Sessions that have something to do, and whose jobs nobody has touched since then, longest first: what a sweep wakes.

    A job that is pending or running has something to do; one that waits for people has where somebody has spoken to it.
    """
    waiting = (JobStatus.PENDING.value, JobStatus.RUNNING.value)
    unread = exists().where(run_messages.c.job_id == jobs.c.job_id, run_messages.c.taken_at.is_(None), run_messages.c.created_at <= since)
    query = select(jobs.c.session_id).where(OPEN, jobs.c.updated_at <= since, or_(jobs.c.status.in_(waiting), unread))
    query = query.group_by(jobs.c.session_id).order_by(func.min(jobs.c.updated_at), jobs.c.session_id)
    return list((await connection.scalars(query.limit(most))).all())


async def open_by_status(connection: AsyncConnection) -> Mapping[JobStatus, int]:
    """How many jobs have not ended."""
    query = select(jobs.c.status, func.count()).where(OPEN).group_by(jobs.c.status)
    return {JobStatus(status): many for status, many in await connection.execute(query)}


async def by_status(connection: AsyncConnection, *, user_id: str) -> Mapping[JobStatus, int]:
    """How many jobs the user has."""
    query = select(jobs.c.status, func.count()).where(jobs.c.user_id == user_id).group_by(jobs.c.status)
    return {JobStatus(status): many for status, many in await connection.execute(query)}


async def keep(connection: AsyncConnection, job_id: str, /, *, at: datetime, **values: Any) -> None:
    """Write what the journal leads to: status, response, outcome, history_tokens."""
    await connection.execute(_KEPT, {"job": job_id, "updated_at": at, **values})


async def _one(connection: AsyncConnection, query: Select[Any], *, lock: bool = False) -> Job | None:
    row = (await connection.execute(query.with_for_update(key_share=True) if lock else query)).one_or_none()
    return None if row is None else job_of(row)


def job_of(row: Any) -> Job:
    """The job of a row that has all its columns."""
    return msgspec.convert(row, type=Job, from_attributes=True)
