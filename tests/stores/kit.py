"""What the tests of the stores share: jobs and approvals with everything filled in."""

from datetime import UTC, datetime, timedelta

from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from handrail.stores import jobs, sessions
from handrail.stores.approvals import Approval, ApprovalStatus
from handrail.stores.jobs import Job, NewJob
from handrail.stores.transactions import write

AT = datetime(2026, 1, 1, 12, 0, 0, 250, tzinfo=UTC)


def after(seconds: float) -> datetime:
    return AT + timedelta(seconds=seconds)


def new_job(job_id: str, *, session_id: str = "s", user_id: str = "ada", message: str = "hi") -> NewJob:
    return NewJob(job_id=job_id, session_id=session_id, user_id=user_id, app="mini", message=message)


async def added(database: AsyncEngine, *job_ids: str, session_id: str = "s", user_id: str = "ada", at: datetime = AT) -> list[Job]:
    """Jobs of one session, in order."""

    async def act(connection: AsyncConnection) -> list[Job]:
        assert await sessions.joined(connection, session_id, user_id=user_id, app="mini", at=at) is not None
        return [await jobs.add(connection, new_job(job_id, session_id=session_id, user_id=user_id), at=at) for job_id in job_ids]

    return await write(database, act)


def approval(approval_id: str = "apr_1", *, job_id: str = "job_1", hold: str = "t1c1h1", expires_at: datetime | None = None) -> Approval:
    return Approval(
        approval_id=approval_id,
        job_id=job_id,
        session_id="s",
        user_id="ada",
        hold=hold,
        digest="d",
        tool="pay",
        arguments='{"n":5}',
        show={"n": 5},
        status=ApprovalStatus.PENDING,
        decided_by=None,
        comment=None,
        created_at=AT,
        decided_at=None,
        expires_at=expires_at,
    )
