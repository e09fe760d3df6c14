"""The workers as processes, the hand that kills them, and what is found in the end."""

import asyncio
import multiprocessing
from collections import Counter
from collections.abc import Sequence
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from benchmarks.chaos.office import APP, BOOKED, UNKNOWN, ledger
from benchmarks.chaos.places import PLACES
from benchmarks.chaos.worker import work
from handrail.drivers.clock import SystemClock
from handrail.service.desk import Asked, Desk
from handrail.stores.jobs import ENDED, JobStatus
from handrail.stores.tables import jobs
from handrail.stores.transactions import read

USER = "chaos"
DRIVERS = ("psycopg", "psycopg_pool", "sqlalchemy.dialects.postgresql.psycopg", "sqlalchemy.dialects.sqlite.aiosqlite")
LOOKS = 0.2


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """How much, and how hard.

    Args:
        workers: processes at a time; a store that only one may serve has one.
        kill_every: seconds between two kills, counted from when the last killed one's successor was ready.
        most_kills: no more than that many.
        pace: seconds that a model call, and a tool, take.
        patience: seconds without any progress after which the rest counts as lost.
    """

    store: str
    sessions: int
    messages: int
    workers: int
    kill_every: float
    most_kills: int | None = None
    pace: float = 0.02
    patience: float = 300.0


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """What was found.

    Args:
        jobs: messages that were sent.
        ended: jobs that have ended.
        lost: jobs that have not ended, or say that they have booked and have not, or that nobody can account for.
        doubled: entries that are in the ledger more than once.
        out_of_order: entries that come after a later one of their session.
        kills: processes that were killed.
        unknown: jobs whose write was killed half-way, and that say so.
    """

    jobs: int
    ended: int
    lost: int
    doubled: int
    out_of_order: int
    kills: int
    unknown: int

    @property
    def clean(self) -> bool:
        """Nothing is wrong."""
        return (self.lost, self.doubled, self.out_of_order) == (0, 0, 0)


class Staff:
    """The worker processes, forked from one that has imported everything, so that a successor is there at once."""

    def __init__(self, plan: Plan, url: str, folder: Path) -> None:
        """None yet."""
        self.kills = 0
        self._arguments = (plan.store, url, folder, plan.pace)
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload([work.__module__, *DRIVERS])
        self._processes: list[BaseProcess] = []

    async def hire(self) -> None:
        """One more, that is ready."""
        await asyncio.to_thread(self._hired)

    async def replace(self) -> None:
        """Kill the one that has worked longest, and take on another."""
        _killed_now(self._processes.pop(0))
        self.kills += 1
        await self.hire()

    def dismiss(self) -> None:
        """Kill all that are left."""
        for process in self._processes:
            _killed_now(process)

    def _hired(self) -> None:
        heard, says = self._context.Pipe(duplex=False)
        process = self._context.Process(target=work, args=(*self._arguments, says), daemon=True)
        process.start()
        self._processes.append(process)
        says.close()
        try:
            heard.recv()
        except EOFError:
            raise RuntimeError("a worker could not start; its own words are above") from None
        finally:
            heard.close()


def _killed_now(process: BaseProcess) -> None:
    process.kill()
    process.join()
    process.close()


async def chaos(plan: Plan, database: AsyncEngine, url: str, folder: Path) -> Figures:
    """Send everything, kill until all has ended, and count. The database is migrated, and has no ledger yet."""
    async with database.begin() as connection:
        await connection.run_sync(ledger.metadata.create_all)
    place = PLACES[plan.store]
    desk = Desk(database, place.engine(database, folder), apps=(APP,), clock=SystemClock())
    staff = Staff(plan, url, folder)
    over = asyncio.Event()
    try:
        for _ in range(1 if place.alone else plan.workers):
            await staff.hire()
        killing = asyncio.create_task(_killed(plan, staff, over))
        try:
            await _sent(plan, desk)
            await _ended(plan, database)
        finally:
            over.set()
            await asyncio.wait({killing})
        killing.result()
    finally:
        staff.dismiss()
    return await read(database, counted, plan, staff.kills)


async def _sent(plan: Plan, desk: Desk) -> None:
    for message in range(plan.messages):
        for session in range(plan.sessions):
            name = f"s{session}"
            await desk.invoke(Asked(user_id=USER, session_id=name, app=APP, message=f"{name} {message}"))


async def _killed(plan: Plan, staff: Staff, over: asyncio.Event) -> None:
    while plan.most_kills is None or staff.kills < plan.most_kills:
        try:
            async with asyncio.timeout(plan.kill_every):
                await over.wait()
                return
        except TimeoutError:
            await staff.replace()


async def _ended(plan: Plan, database: AsyncEngine) -> None:
    """Wait until every job has ended, or nothing moves any more."""
    loop = asyncio.get_running_loop()
    found, since = -1, loop.time()
    while found < plan.sessions * plan.messages and loop.time() - since < plan.patience:
        await asyncio.sleep(LOOKS)
        ended = sum(JobStatus(row.status) in ENDED for row in await read(database, _rows))
        if ended != found:
            found, since = ended, loop.time()


async def _rows(connection: AsyncConnection) -> Sequence[Any]:
    return (await connection.execute(select(jobs.c.message, jobs.c.status, jobs.c.response))).all()


async def counted(connection: AsyncConnection, plan: Plan, kills: int) -> Figures:
    """What is wrong in this database."""
    rows = await _rows(connection)
    entries = [
        (row.session_id, row.message)
        for row in await connection.execute(select(ledger.c.session_id, ledger.c.message).order_by(ledger.c.number))
    ]
    booked = Counter(f"{session} {message}" for session, message in entries)
    fine = [
        row
        for row in rows
        if row.status == JobStatus.COMPLETE and (row.response == UNKNOWN or (row.response == BOOKED and row.message in booked))
    ]
    return Figures(
        jobs=plan.sessions * plan.messages,
        ended=sum(JobStatus(row.status) in ENDED for row in rows),
        lost=plan.sessions * plan.messages - len(fine),
        doubled=sum(times > 1 for times in booked.values()),
        out_of_order=_out_of_order(entries),
        kills=kills,
        unknown=sum(row.response == UNKNOWN for row in rows),
    )


def _out_of_order(entries: Sequence[tuple[str, int]]) -> int:
    latest: dict[str, int] = {}
    wrong = 0
    for session, message in entries:
        wrong += message < latest.get(session, -1)
        latest[session] = max(message, latest.get(session, -1))
    return wrong
