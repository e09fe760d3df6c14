"""The rows of runs that a client's model drives: a session and a job like any other, and which of them the user's calls of an app go to.

- The job's status is `COMPLETE` from the beginning: between two calls it has nothing to do, so no engine ever takes it. What has
  happened is in its journal.
- Which run the calls go to is one row for each user and app (`conversation_heads`). Only this code can write it, so a session that
  a client has named itself is never taken for one of these.
- Whoever begins a run says which one it replaces: of two at once, one wins.
"""

import secrets
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import exists, func, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from handrail.adapters.mcp import MOST_QUESTIONS, TooManyQuestions
from handrail.core.events import Event
from handrail.errors import Bug, StaleWriter
from handrail.stores import approvals, jobs, mailbox, run_events, sessions
from handrail.stores.approvals import Approval, ApprovalStatus
from handrail.stores.jobs import Job, JobStatus, NewJob
from handrail.stores.mailbox import MessageKind, RunMessage
from handrail.stores.tables import approvals as approvals_table
from handrail.stores.tables import conversation_heads
from handrail.vocab.canonical import digest

MESSAGE = "Calls of tools over MCP"
SESSION, JOB = "mcp_", "job_"


async def current(connection: AsyncConnection, user_id: str, app: str) -> Job | None:
    """The job that the user's calls of the app go to."""
    table = conversation_heads
    query = select(table.c.session_id).where(table.c.user_id == user_id, table.c.digest == _head(app))
    session_id = await connection.scalar(query)
    return None if session_id is None else await jobs.owned(connection, _job_of(session_id), user_id=user_id)


async def begin(
    connection: AsyncConnection, user_id: str, app: str, *, replaced: Job | None, start: Callable[[str], Sequence[Event]], at: datetime
) -> None:
    """A new run with its first events.

    Raises:
        StaleWriter: somebody else has begun one meanwhile.
    """
    name = secrets.token_hex(16)
    session_id, job_id = f"{SESSION}{name}", f"{JOB}{name}"
    if await sessions.joined(connection, session_id, user_id=user_id, app=app, at=at) is None:
        raise Bug(f"the session {session_id!r} was just made, and is somebody else's")
    await jobs.add(connection, NewJob(job_id=job_id, session_id=session_id, user_id=user_id, app=app, message=MESSAGE), at=at)
    await jobs.keep(connection, job_id, at=at, status=JobStatus.COMPLETE.value)
    await run_events.append(connection, job_id, 0, start(job_id))
    head = {"user_id": user_id, "digest": _head(app), "session_id": session_id, "created_at": at}
    if not await _moved(connection, head, replaced):
        raise StaleWriter(f"somebody else has begun a run of {app!r} for {user_id!r}")


async def is_waited_for(connection: AsyncConnection, job_id: str, *, at: datetime) -> bool:
    """Whether a person may still decide something for the run, or has decided what was not taken yet."""
    table = approvals_table
    open_ = (table.c.expires_at.is_(None)) | (table.c.expires_at > at)

    async def has(status: ApprovalStatus) -> bool:
        query = select(exists().where(table.c.job_id == job_id, table.c.status == status.value, open_))
        return bool(await connection.scalar(query))

    if await has(ApprovalStatus.PENDING):
        return True
    return await has(ApprovalStatus.APPROVED) and await mailbox.holds(connection, job_id, MessageKind.DECISION)


async def asked(connection: AsyncConnection, approval: Approval) -> Approval:
    """The approval that waits already for a yes to the same, or this one from now on.

    Raises:
        TooManyQuestions: as many wait as may.
    """
    table = approvals_table
    waiting = (table.c.job_id == approval.job_id, table.c.digest == approval.digest, table.c.status == ApprovalStatus.PENDING.value)
    for row in await connection.execute(select(table).where(*waiting)):
        found = msgspec.convert(row, type=Approval, from_attributes=True)
        if found.expires_at is None or found.expires_at > approval.created_at:
            return found
        await approvals.close(connection, found.job_id, found.hold, ApprovalStatus.EXPIRED, at=approval.created_at)
    waits = (table.c.job_id == approval.job_id, table.c.status == ApprovalStatus.PENDING.value)
    if (await connection.scalar(select(func.count()).where(*waits)) or 0) >= MOST_QUESTIONS:
        raise TooManyQuestions(f"{MOST_QUESTIONS} approvals of {approval.job_id!r} wait already")
    await approvals.add(connection, approval)
    return approval


async def decided(connection: AsyncConnection, job_id: str, digest: str, *, at: datetime) -> RunMessage | None:
    """The oldest decision on that, unless it was taken or has expired since."""
    table = approvals_table
    for message in await mailbox.waiting(connection, job_id):
        if message.kind is MessageKind.DECISION and message.body.get("digest") == digest:
            query = select(table.c.expires_at).where(table.c.job_id == job_id, table.c.hold == message.body.get("hold"))
            expires_at = await connection.scalar(query)
            if expires_at is None or expires_at > at:
                return message
    return None


async def withdraw(connection: AsyncConnection, job_id: str, *, at: datetime) -> None:
    """Close whatever a run that has ended still asked people."""
    table = approvals_table
    waiting = (table.c.job_id == job_id, table.c.status == ApprovalStatus.PENDING.value)
    await connection.execute(update(table).where(*waiting).values(status=ApprovalStatus.WITHDRAWN.value, decided_at=at))


async def _moved(connection: AsyncConnection, head: Mapping[str, Any], replaced: Job | None) -> bool:
    table = conversation_heads
    if replaced is not None:
        before = (table.c.user_id == head["user_id"], table.c.digest == head["digest"], table.c.session_id == replaced.session_id)
        return (await connection.execute(update(table).where(*before).values(head))).rowcount == 1
    insert = sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert
    new = insert(table).values(head).on_conflict_do_nothing(index_elements=list(table.primary_key)).returning(table.c.session_id)
    return await connection.scalar(new) is not None


def _head(app: str) -> str:
    return digest("mcp", app)


def session_of(job_id: str) -> str:
    """The session of such a run."""
    return f"{SESSION}{job_id.removeprefix(JOB)}"


def _job_of(session_id: str) -> str:
    return f"{JOB}{session_id.removeprefix(SESSION)}"
