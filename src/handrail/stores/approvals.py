"""Approvals as people see them: a projection of the journal's holds, and the one decision on each.

A decision is one `UPDATE … WHERE status = 'pending'`: of two at once one wins, and the other gets the recorded one (case 51).
"""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any

import msgspec
from sqlalchemy import insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from handrail.stores.tables import approvals

MOST_LISTED = 100


class ApprovalStatus(StrEnum):
    """Only `pending` leads on."""

    PENDING = "pending"
    APPROVED = "approved"
    REFUSED = "refused"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"


class Approval(msgspec.Struct, frozen=True, kw_only=True):
    """One approval."""

    approval_id: str
    job_id: str
    session_id: str
    user_id: str
    hold: str
    digest: str
    tool: str
    arguments: str
    show: Any
    status: ApprovalStatus
    decided_by: str | None
    comment: str | None
    created_at: datetime
    decided_at: datetime | None
    expires_at: datetime | None


async def add(connection: AsyncConnection, approval: Approval) -> None:
    """Write a new one."""
    values = {**msgspec.structs.asdict(approval), "status": approval.status.value}
    await connection.execute(insert(approvals).values(values))


async def owned(connection: AsyncConnection, approval_id: str, *, user_id: str) -> Approval | None:
    """The approval, if it belongs to a job of this user's."""
    query = select(approvals).where(approvals.c.approval_id == approval_id, approvals.c.user_id == user_id)
    row = (await connection.execute(query)).one_or_none()
    return None if row is None else _row(row)


async def found(connection: AsyncConnection, approval_id: str) -> Approval | None:
    """The approval, whoever's it is: for those who may decide other people's."""
    row = (await connection.execute(select(approvals).where(approvals.c.approval_id == approval_id))).one_or_none()
    return None if row is None else _row(row)


async def of_everybody(connection: AsyncConnection, *, status: ApprovalStatus | None = None, most: int = MOST_LISTED) -> Sequence[Approval]:
    """Everybody's approvals, newest first: for those who may decide other people's."""
    query = select(approvals) if status is None else select(approvals).where(approvals.c.status == status.value)
    rows = await connection.execute(query.order_by(approvals.c.created_at.desc(), approvals.c.approval_id).limit(most))
    return [_row(row) for row in rows]


async def of_user(
    connection: AsyncConnection, user_id: str, *, status: ApprovalStatus | None = None, most: int = MOST_LISTED
) -> Sequence[Approval]:
    """The user's approvals, newest first."""
    query = select(approvals).where(approvals.c.user_id == user_id)
    if status is not None:
        query = query.where(approvals.c.status == status.value)
    rows = await connection.execute(query.order_by(approvals.c.created_at.desc(), approvals.c.approval_id).limit(most))
    return [_row(row) for row in rows]


async def decide(connection: AsyncConnection, approval_id: str, status: ApprovalStatus, *, by: str, comment: str, at: datetime) -> bool:
    """Decide a pending approval that has not expired; `False` where it is not pending any more."""
    query = update(approvals).where(
        approvals.c.approval_id == approval_id,
        approvals.c.status == ApprovalStatus.PENDING.value,
        (approvals.c.expires_at.is_(None)) | (approvals.c.expires_at > at),
    )
    result = await connection.execute(query.values(status=status.value, decided_by=by, comment=comment, decided_at=at))
    return result.rowcount == 1


async def close(connection: AsyncConnection, job_id: str, hold: str, status: ApprovalStatus, *, at: datetime) -> None:
    """Write that the run has gone on without an answer: expired, or withdrawn."""
    query = update(approvals).where(
        approvals.c.job_id == job_id, approvals.c.hold == hold, approvals.c.status == ApprovalStatus.PENDING.value
    )
    await connection.execute(query.values(status=status.value, decided_at=at))


def _row(row: Any) -> Approval:
    return msgspec.convert(row, type=Approval, from_attributes=True)
