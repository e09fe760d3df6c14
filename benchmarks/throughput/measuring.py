"""What is measured, and how: each worker is a process of its own, and the contestants take turns.

- Jobs a second: all jobs wait, each in a session of its own; the workers begin at the same moment, and the clock stops when none waits.
  The workers' CPU time is counted too (user and system), which a machine that is busy with other things changes less.
- A ratio is that of two contestants in one round, one right after the other; the median over the rounds is reported.
- From asking to the first event: over HTTP, one job after the other with nothing else to do: a service, a worker, and a client that posts,
  and then reads the job's events. Both times are the client's.
"""

import asyncio
import os
import statistics
import sys
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path

import msgspec
import psycopg
from procrastinate import App
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from benchmarks.throughput.client import Times, asked_over_http
from benchmarks.throughput.kit import APP, QUEUES, bare, engine
from handrail.drivers.clock import SystemClock
from handrail.engines.postgres import PostgresEngine
from handrail.engines.postgres_schema import migrate_queue
from handrail.service.desk import Asked, Desk
from handrail.stores import keys
from handrail.stores.database import make_engine
from handrail.stores.migrating import migrate
from handrail.stores.transactions import write

ROOT = Path(__file__).parents[2]
OURS, BY_HAND, EMPTY = KINDS = ("handrail", "hand", "empty")
WAITING = {
    OURS: text("SELECT count(*) FROM agent_jobs WHERE status IN ('PENDING', 'RUNNING') AND app = 'mini'"),
    BY_HAND: text("SELECT count(*) FROM procrastinate_jobs"),
    EMPTY: text("SELECT count(*) FROM procrastinate_jobs"),
}
LOOKS = 0.02
PUT_AT_ONCE = 8
Process = asyncio.subprocess.Process


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """How much is measured."""

    jobs: int = 400
    rounds: int = 3
    asked: int = 200
    workers: tuple[int, ...] = (1, 2, 4)


class Latency(msgspec.Struct, frozen=True, kw_only=True):
    """Milliseconds."""

    p50: float
    p95: float


class Rate(msgspec.Struct, frozen=True, kw_only=True):
    """What so many workers do: jobs a second, and milliseconds of CPU time for each job, by contestant.

    Attributes:
        ratio: our jobs a second to those of the jobs by hand.
    """

    workers: int
    jobs_per_second: Mapping[str, float]
    cpu_per_job: Mapping[str, float]
    ratio: float


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that was measured."""

    taken_on: Latency
    first_event: Latency
    rates: tuple[Rate, ...]


class Contestant(msgspec.Struct, frozen=True):
    """Who is measured, where, and what its sessions' names begin with."""

    url: str
    database: AsyncEngine
    kind: str
    sessions: str


class Ran(msgspec.Struct, frozen=True):
    """One contestant in one round."""

    jobs_per_second: float
    cpu_per_job: float


async def measured(server: str, plan: Plan) -> Figures:
    """Measure on that server, in databases of its own."""
    rates = []
    for workers in plan.workers:
        print(f"{workers} workers ...", file=sys.stderr, flush=True)
        async with _database(server) as (url, database):
            rounds = [
                {kind: await _ran(Contestant(url, database, kind, f"{number}/{kind}"), workers, plan.jobs) for kind in KINDS}
                for number in range(plan.rounds)
            ]
        rates.append(rate(workers, rounds))
    print("the first event ...", file=sys.stderr, flush=True)
    times = await _latencies(server, plan.asked)
    taken_on, first_event = (_latency([getattr(each, name) for each in times]) for name in ("taken_on", "first_event"))
    return Figures(taken_on=taken_on, first_event=first_event, rates=tuple(rates))


def rate(workers: int, rounds: Sequence[Mapping[str, Ran]]) -> Rate:
    """The medians over the rounds."""
    return Rate(
        workers=workers,
        jobs_per_second={kind: round(statistics.median(each[kind].jobs_per_second for each in rounds), 1) for kind in KINDS},
        cpu_per_job={kind: round(statistics.median(each[kind].cpu_per_job for each in rounds), 2) for kind in KINDS},
        ratio=round(statistics.median(each[OURS].jobs_per_second / each[BY_HAND].jobs_per_second for each in rounds), 3),
    )


async def _ran(contestant: Contestant, workers: int, many: int) -> Ran:
    database, kind = contestant.database, contestant.kind
    async with _processes(kind, contestant.url, workers) as processes:
        await _put(contestant, many)
        before, began = sum(map(_cpu, processes)), time.perf_counter()
        for process in processes:
            _begin(process)
        async with database.connect() as connection:
            while await connection.scalar(WAITING[kind]):
                await connection.commit()
                await asyncio.sleep(LOOKS)
        took, cpu = time.perf_counter() - began, sum(map(_cpu, processes)) - before
        return Ran(many / took, 1e3 * cpu / many)


async def _put(contestant: Contestant, many: int) -> None:
    clock = SystemClock()
    over = engine(contestant.database) if contestant.kind == OURS else ByHand(contestant.database, clock=clock)
    desk = Desk(contestant.database, over, apps=(APP, *QUEUES), clock=clock)
    app = APP if contestant.kind == OURS else contestant.kind
    if isinstance(over, ByHand):
        over.app, over.kind = bare(contestant.url, contestant.database), contestant.kind
    numbers = iter(range(many))

    async def put() -> None:
        for number in numbers:
            await desk.invoke(Asked(user_id=APP, session_id=f"{contestant.sessions}/{number}", app=app, message="go"))

    await asyncio.gather(*(put() for _ in range(PUT_AT_ONCE)))


class ByHand(PostgresEngine):
    """Puts a session's job into the bare engine, in the same transaction."""

    app: App
    kind: str

    async def wake(self, connection: AsyncConnection, session_id: str, at: datetime | None = None) -> None:
        """One wake-up for its only job."""
        job = await connection.scalar(text("SELECT job_id FROM agent_jobs WHERE session_id = :session"), {"session": session_id})
        driver = (await connection.get_raw_connection()).driver_connection
        await self.app.configure_task(self.kind, lock=session_id, queueing_lock=session_id, connection=driver).defer_async(job=job)


def _cpu(process: Process) -> float:
    """Seconds of CPU time so far (Linux's /proc)."""
    fields = Path(f"/proc/{process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def _latencies(server: str, many: int) -> Sequence[Times]:
    async with _database(server) as (url, database), _processes("service", url, 1) as (service,), _processes(OURS, url, 1) as (worker,):
        key, _ = await write(database, keys.create, user_id=APP, at=SystemClock().now())
        address = await _line(service)
        _begin(worker)
        return await asyncio.to_thread(asked_over_http, address, key, many)


def _latency(seconds: Sequence[float]) -> Latency:
    cuts = statistics.quantiles(seconds, n=20, method="inclusive")
    return Latency(p50=round(1e3 * cuts[9], 2), p95=round(1e3 * cuts[18], 2))


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
                raise RuntimeError("a process does not begin")
        yield processes
    finally:
        for process in processes:
            process.kill()
            await process.wait()


async def _line(process: Process) -> str:
    if process.stdout is None:
        raise RuntimeError("a process has no output")
    return (await process.stdout.readline()).decode().strip()


def _begin(process: Process) -> None:
    if process.stdin is None:
        raise RuntimeError("a process has no input")
    process.stdin.write(b"\n")
