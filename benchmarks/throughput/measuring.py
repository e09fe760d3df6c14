"""What is measured, and how: each database is a new one, each worker a process of its own.

- Jobs a second: all jobs wait, each in a session of its own; the workers begin at the same moment, and the clock stops when none waits.
- From asking to the first event: one job after the other, with nothing else to do, until the worker says that the event is written.
"""

import asyncio
import statistics
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import psycopg
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from benchmarks.throughput.kit import APP, BARE_TASK, bare, engine
from handrail.drivers.clock import SystemClock
from handrail.engines.postgres_schema import migrate_queue
from handrail.service.desk import Asked, Desk
from handrail.stores.database import make_engine
from handrail.stores.migrating import migrate

ROOT = Path(__file__).parents[2]
OPEN = {
    "handrail": text("SELECT count(*) FROM agent_jobs WHERE status IN ('PENDING', 'RUNNING')"),
    "bare": text("SELECT count(*) FROM procrastinate_jobs"),
}
LOOKS = 0.02
PUT_AT_ONCE = 8
Process = asyncio.subprocess.Process


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """How much is measured."""

    jobs: int = 1_000
    asked: int = 200
    workers: tuple[int, ...] = (1, 2, 4)


class Latency(msgspec.Struct, frozen=True, kw_only=True):
    """Milliseconds."""

    p50: float
    p95: float


class Rate(msgspec.Struct, frozen=True, kw_only=True):
    """Jobs a second with so many workers, here and on the bare engine."""

    workers: int
    handrail: float
    bare: float
    ratio: float


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that was measured."""

    taken_on: Latency
    first_event: Latency
    rates: tuple[Rate, ...]


async def measured(server: str, plan: Plan) -> Figures:
    """Measure on that server, in databases of its own."""
    rates = []
    for workers in plan.workers:
        print(f"{workers} workers ...", file=sys.stderr, flush=True)
        ours, theirs = [await _rate(server, kind, workers, plan.jobs) for kind in ("handrail", "bare")]
        rates.append(Rate(workers=workers, handrail=round(ours, 1), bare=round(theirs, 1), ratio=round(ours / theirs, 3)))
    taken_on, first_event = await _latencies(server, plan.asked)
    return Figures(taken_on=taken_on, first_event=first_event, rates=tuple(rates))


async def _rate(server: str, kind: str, workers: int, many: int) -> float:
    async with _database(server) as (url, database), _processes(kind, url, workers) as processes:
        await _put(kind, url, database, many)
        began = time.perf_counter()
        for process in processes:
            _begin(process)
        async with database.connect() as connection:
            while await connection.scalar(OPEN[kind]):
                await connection.commit()
                await asyncio.sleep(LOOKS)
        return many / (time.perf_counter() - began)


async def _put(kind: str, url: str, database: AsyncEngine, many: int) -> None:
    if kind == "bare":
        app = bare(url)
        async with app.open_async():
            for number in range(many):
                lock = f"s{number}"
                await app.configure_task(BARE_TASK, lock=lock, queueing_lock=lock).defer_async(message="go")
        return
    desk, numbers = _desk(database), iter(range(many))

    async def put() -> None:
        for number in numbers:
            await desk.invoke(_asked(number))

    await asyncio.gather(*(put() for _ in range(PUT_AT_ONCE)))


async def _latencies(server: str, many: int) -> tuple[Latency, Latency]:
    taken_on, first_event = [], []
    async with _database(server) as (url, database), _processes("watched", url, 1) as (process,):
        _begin(process)
        desk = _desk(database)
        for number in range(-10, many):  # the first ones are not counted
            asked = time.time()
            job = await desk.invoke(_asked(number))
            answered = time.time()
            name, written = (await _line(process)).split()
            if name != job.job_id:
                raise RuntimeError(f"{name} began, and {job.job_id} was asked for")
            if number >= 0:
                taken_on.append(answered - asked)
                first_event.append(float(written) - asked)
            while not (await desk.job(APP, job.job_id)).ended:
                pass  # the next one finds nothing else to do
    return _latency(taken_on), _latency(first_event)


def _latency(seconds: Sequence[float]) -> Latency:
    cuts = statistics.quantiles(seconds, n=20, method="inclusive")
    return Latency(p50=round(1e3 * cuts[9], 2), p95=round(1e3 * cuts[18], 2))


def _desk(database: AsyncEngine) -> Desk:
    return Desk(database, engine(database), apps=(APP,), clock=SystemClock())


def _asked(number: int) -> Asked:
    return Asked(user_id=APP, session_id=f"s{number}", app=APP, message="go")


@asynccontextmanager
async def _database(server: str) -> AsyncIterator[tuple[str, AsyncEngine]]:
    name = f"throughput_{time.time_ns()}"
    async with await psycopg.AsyncConnection.connect(server, autocommit=True) as connection:
        await connection.execute(f"CREATE DATABASE {name}")
        url = server.replace("/postgres?", f"/{name}?", 1)
        database = make_engine(url)
        try:
            await migrate(database)
            await migrate_queue(database)
            yield url, database
        finally:
            await database.dispose()
            await connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@asynccontextmanager
async def _processes(kind: str, url: str, many: int) -> AsyncIterator[list[Process]]:
    pipe = asyncio.subprocess.PIPE
    command = (sys.executable, "-m", "benchmarks.throughput.worker", kind, url)
    processes = [
        await asyncio.create_subprocess_exec(*command, cwd=ROOT, stdin=pipe, stdout=pipe, stderr=asyncio.subprocess.DEVNULL)
        for _ in range(many)
    ]
    try:
        for process in processes:
            if await _line(process) != "ready":
                raise RuntimeError("a worker does not begin")
        yield processes
    finally:
        for process in processes:
            process.kill()
            await process.wait()


async def _line(process: Process) -> str:
    if process.stdout is None:
        raise RuntimeError("a worker has no output")
    return (await process.stdout.readline()).decode().strip()


def _begin(process: Process) -> None:
    if process.stdin is None:
        raise RuntimeError("a worker has no input")
    process.stdin.write(b"\n")
