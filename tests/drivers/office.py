"""What the tests of the worker share: a database, a desk in front of it, and workers behind it, with a clock by hand."""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from handrail.core.agent import Agent
from handrail.core.events import Event
from handrail.drivers.worker import Served, Worker
from handrail.ports import Model
from handrail.service.desk import Asked, Desk
from handrail.stores import run_events
from handrail.stores.approvals import Approval
from handrail.stores.jobs import Job, JobStatus
from handrail.stores.tables import run_messages
from handrail.stores.transactions import read
from handrail.testing import ManualClock
from tests.drivers.kit import names

USER = "ada"


class Bell:
    """An engine that only writes down who was woken, and for when: the test advances."""

    def __init__(self) -> None:
        self.rung: list[tuple[str, datetime | None]] = []

    async def wake(self, connection: AsyncConnection, session_id: str, at: datetime | None = None) -> None:
        self.rung.append((session_id, at))

    async def start(self, advance: Any, *, nudge: Any = None) -> None:
        raise AssertionError("the test advances by itself")

    async def recover(self) -> int:
        return 0

    async def stop(self) -> None:
        return None


class Office:
    """One database, one desk, and any number of workers."""

    def __init__(self, database: AsyncEngine, clock: ManualClock) -> None:
        self.database = database
        self.clock = clock
        self.bell = Bell()
        self.desk = Desk(database, self.bell, apps=("mini",), clock=clock)

    def worker(self, agent: Agent, model: Model, deps: Any = None, **more: Any) -> Worker:
        served = {"mini": Served(agent=agent, model=model, deps=deps)}
        return Worker(engine=self.database, served=served, wake=self.bell.wake, clock=self.clock, **more)

    async def asked(self, message: str = "go", *, session: str = "s", **more: Any) -> Job:
        return await self.desk.invoke(Asked(user_id=USER, session_id=session, app="mini", message=message, **more))

    async def job(self, job: Job) -> Job:
        return await self.desk.job(USER, job.job_id)

    async def status(self, job: Job) -> JobStatus:
        return (await self.job(job)).status

    async def events(self, job: Job) -> Sequence[Event]:
        return await read(self.database, run_events.read, job.job_id)

    async def names(self, job: Job) -> list[str]:
        return names(await self.events(job))

    async def approval(self) -> Approval:
        (found,) = await self.desk.approvals(USER)
        return found

    async def decided(self, *, approve: bool = True, comment: str = "") -> Approval:
        approval = await self.approval()
        return await self.desk.decide(USER, approval.approval_id, approve=approve, by=USER, comment=comment)

    async def unread(self) -> int:
        async with self.database.connect() as connection:
            return len((await connection.execute(select(run_messages).where(run_messages.c.taken_at.is_(None)))).all())


async def at_work(worker: Worker, session: str = "s") -> "asyncio.Task[None]":
    """The worker on its way, in a task of its own."""
    return asyncio.create_task(worker.advance(session))
