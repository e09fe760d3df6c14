"""What is measured, and how: a worker in a process of its own, first with nothing, then with all the runs that wait, each for some seconds.

- Memory is what is resident at the end; CPU time and questions are those of the seconds in between, when nothing happens.
- Questions are counted by PostgreSQL (transactions, Procrastinate's too) and, on SQLite, by the process.
- At the end somebody says yes to one of the runs, and the worker goes on with it: they are no dead rows.
"""

import asyncio
import itertools
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from benchmarks.parked.copying import copied
from benchmarks.parked.kit import APP, engine
from benchmarks.parked.worker import Cost
from handrail.drivers.clock import SystemClock
from handrail.service.desk import Asked, Desk
from handrail.service.opening import is_sqlite
from handrail.stores.jobs import JobStatus
from handrail.stores.transactions import read

ROOT = Path(__file__).parents[2]
LOOKS = 0.05
PATIENCE = 60.0
SETTLES = 6.0
"""Seconds until a worker that has just begun does only what it does for ever, and until PostgreSQL has counted what was before."""
TRANSACTIONS = text("SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()")


class Idle(msgspec.Struct, frozen=True, kw_only=True):
    """A worker to which nothing happens: resident MB, milliseconds of CPU time a second, and questions a second."""

    memory_mb: float
    cpu_ms_per_second: float
    queries_per_second: float


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that was measured.

    Attributes:
        went_on: seconds from a yes to the end of its run.
    """

    store: str
    runs: int
    without: Idle
    with_all: Idle
    went_on: float


async def measured(database: AsyncEngine, url: str, *, runs: int, seconds: float) -> Figures:
    """Measure on that database, which has our tables and nothing in them."""
    async with _working(url) as process:
        without = await _idle(database, process, seconds)
        await _one_waits(database)
    await copied(database, runs - 1)
    async with _working(url) as process:
        with_all = await _idle(database, process, seconds)
        went_on = await _went_on(database)
    store = "sqlite" if is_sqlite(database) else "postgres"
    return Figures(store=store, runs=runs, without=without, with_all=with_all, went_on=round(went_on, 2))


def _desk(database: AsyncEngine) -> Desk:
    return Desk(database, engine(database), apps=(APP,), clock=SystemClock())


async def _one_waits(database: AsyncEngine) -> None:
    desk = _desk(database)
    job = await desk.invoke(Asked(user_id=APP, session_id="s", app=APP, message="go"))
    await _until(desk, job.job_id, JobStatus.INPUT_REQUIRED)


async def _went_on(database: AsyncEngine) -> float:
    desk = _desk(database)
    approval = (await desk.approvals(APP))[0]
    began = time.monotonic()
    await desk.decide(APP, approval.approval_id, approve=True, by=APP)
    await _until(desk, approval.job_id, JobStatus.COMPLETE)
    return time.monotonic() - began


async def _until(desk: Desk, job_id: str, status: JobStatus) -> None:
    async with asyncio.timeout(PATIENCE):
        for _ in itertools.count():
            if (await desk.job(APP, job_id)).status is status:
                return
            await asyncio.sleep(LOOKS)


async def _idle(database: AsyncEngine, process: asyncio.subprocess.Process, seconds: float) -> Idle:
    await asyncio.sleep(SETTLES)
    before, asked_before = await _cost(process), await _transactions(database)
    await asyncio.sleep(seconds)
    after, asked_after = await _cost(process), await _transactions(database)
    took = after.at - before.at
    asked = after.statements - before.statements if asked_after is None or asked_before is None else asked_after - asked_before
    return Idle(
        memory_mb=round(after.memory / 1e6, 1),
        cpu_ms_per_second=round(1e3 * (after.cpu - before.cpu) / took, 2),
        queries_per_second=round(asked / took, 2),
    )


async def _transactions(database: AsyncEngine) -> int | None:
    async def counted(connection: AsyncConnection) -> int:
        return int(await connection.scalar(TRANSACTIONS) or 0)

    return None if is_sqlite(database) else await read(database, counted)


async def _cost(process: asyncio.subprocess.Process) -> Cost:
    if process.stdin is None:
        raise RuntimeError("the worker has no input")
    process.stdin.write(b"\n")
    return msgspec.json.decode(await _line(process), type=Cost)


async def _line(process: asyncio.subprocess.Process) -> bytes:
    if process.stdout is None:
        raise RuntimeError("the worker has no output")
    return (await process.stdout.readline()).strip()


@asynccontextmanager
async def _working(url: str) -> AsyncIterator[asyncio.subprocess.Process]:
    pipe = asyncio.subprocess.PIPE
    command = (sys.executable, "-m", "benchmarks.parked.worker", url)
    process = await asyncio.create_subprocess_exec(*command, cwd=ROOT, stdin=pipe, stdout=pipe)
    try:
        if await _line(process) != b"ready":
            raise RuntimeError("the worker does not begin")
        yield process
    finally:
        if process.stdin is not None:
            process.stdin.close()
        try:
            await asyncio.wait_for(process.wait(), 30)
        except TimeoutError:
            process.kill()
            await process.wait()
