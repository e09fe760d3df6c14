"""The job whose turn it is in a session, with all that its run goes on from: one question where it begins, two where it goes on."""

import msgspec
from sqlalchemy import bindparam, case, exists, select
from sqlalchemy.ext.asyncio import AsyncConnection

from handrail.core.events import Event
from handrail.stores import run_events
from handrail.stores.jobs import OPEN, Job, is_open, job_of
from handrail.stores.sessions import Remembered, remembered
from handrail.stores.tables import jobs, run_messages, sessions
from handrail.stores.tables import run_events as events


class NextJob(msgspec.Struct, frozen=True, kw_only=True):
    """What is there to begin with, or to go on with.

    Attributes:
        job: whose turn it is.
        events: its journal; empty where it has not begun.
        remembered: what it begins with; empty where it has begun.
        unread: something has been said to it that it has not taken yet.
        last: no other job of the session waits.
    """

    job: Job
    events: tuple[Event, ...]
    remembered: Remembered
    unread: bool
    last: bool


_later = jobs.alias("later")
_MORE = exists().where(_later.c.session_id == jobs.c.session_id, _later.c.place > jobs.c.place, is_open(_later))
_BEGUN = exists().where(events.c.job_id == jobs.c.job_id)
_UNREAD = exists().where(run_messages.c.job_id == jobs.c.job_id, run_messages.c.taken_at.is_(None))
_NEXT = (
    select(
        jobs,
        _BEGUN.label("begun"),
        _UNREAD.label("unread"),
        (~_MORE).label("last"),
        # A history may be long, and a run that has begun has its own copy of it.
        case((~_BEGUN, sessions.c.history), else_=None).label("history"),
        case((~_BEGUN, sessions.c.confirmed), else_=None).label("confirmed"),
    )
    .join(sessions, sessions.c.session_id == jobs.c.session_id)
    .where(jobs.c.session_id == bindparam("session"), OPEN)
    .order_by(jobs.c.place)
    .limit(1)
)


async def next_job(connection: AsyncConnection, session_id: str) -> NextJob | None:
    """The session's first job that has not ended.

    Raises:
        StoredDataError: the session's history cannot be read.
        JournalError: a line of the journal cannot be read.
    """
    row = (await connection.execute(_NEXT, {"session": session_id})).one_or_none()
    if row is None:
        return None
    return NextJob(
        job=job_of(row),
        events=await run_events.read(connection, row.job_id) if row.begun else (),
        remembered=Remembered() if row.begun else remembered(session_id, row.history, row.confirmed),
        unread=row.unread,
        last=row.last,
    )
