"""The engine of several machines: wake-ups are Procrastinate's jobs in the same PostgreSQL, taken by any number of workers.

- A wake-up is put in with the caller's own transaction; at most one waits for a session, and one at a time is served.
- A timed wake-up is a row with a time. A job for later would hold the session's lock until then, and be looked at by every worker.
- A worker says each second that it lives. What one holds that has been silent for four is given back by any other within two more.
- PostgreSQL may go away and come back: workers wait for it, and what runs goes on.
- A sweep wakes runnable sessions that have no wake-up, whatever became of it.
"""

import asyncio
import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from procrastinate import App
from procrastinate.exceptions import ConnectorException
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from handrail.engines.contract import Advance
from handrail.engines.postgres_pool import connector
from handrail.engines.postgres_queue import AGAIN, QUEUE, EverLater, Leaving, Queue, at_work, on_the_way, put, put_back_lost
from handrail.engines.postgres_schema import check_queue
from handrail.errors import Bug, ServedElsewhere
from handrail.ports import Clock
from handrail.stores import jobs, wakes
from handrail.stores.transactions import after_commit, read, write

MOST_AT_ONCE = 100
SILENT = timedelta(seconds=4)
LOOKS = timedelta(seconds=2)
SWEEP = timedelta(seconds=30)
GRACE = timedelta(seconds=10)
BEATS = 1.0
"""Seconds. PostgreSQL's clock says who has been silent, so these pass in real time."""
NEVER = 86_400.0
TIMERS = 0x74696D65
"""A PostgreSQL advisory lock: one worker at a time turns timers into wake-ups."""

logger = logging.getLogger(__name__)


class PostgresEngine:
    """Wakes sessions from any process, and advances them in those that start it.

    Args:
        database: the database's engine, on PostgreSQL.
        clock: says and waits for the time.
        most_at_once: sessions that are advanced here at the same time.
        silent: how long a worker may be silent before it is taken for dead.
        looks: how often to look for dead workers, and for timers that another process has set.
        sweep: how often to look for runnable sessions without a wake-up.
    """

    def __init__(
        self,
        database: AsyncEngine,
        *,
        clock: Clock,
        most_at_once: int = MOST_AT_ONCE,
        silent: timedelta = SILENT,
        looks: timedelta = LOOKS,
        sweep: timedelta = SWEEP,
    ) -> None:
        """Begin nothing yet."""
        self._database = database
        self._clock = clock
        self._most_at_once = most_at_once
        self._silent = silent
        self._looks = looks
        self._sweep = sweep
        place = database.url.set(drivername="postgresql").render_as_string(hide_password=False)
        self._app = App(connector=connector(place))
        self._queue = Queue(self._app.connector)
        self._app.job_manager = self._queue
        self._task = self._app.task(name="handrail.advance", queue=QUEUE, retry=EverLater())(self._taken)
        self._advance: Advance | None = None
        self._active: set[asyncio.Task[Any]] = set()
        self._news = asyncio.Event()
        self._running: asyncio.Task[None] | None = None
        self._keeping: list[asyncio.Task[None]] = []

    async def wake(self, connection: AsyncConnection, session_id: str, at: datetime | None = None) -> None:
        """Put a wake-up in; it counts once the caller's transaction is committed."""
        if at is not None and at > self._clock.now():
            await wakes.want_later(connection, session_id, at=at)
            after_commit(self._news.set)
        else:
            await put(connection, self._task, session_id)

    async def start(self, advance: Advance, *, nudge: Callable[[str], None] | None = None) -> None:
        """Begin to take wake-ups.

        Raises:
            InputError: the database cannot be reached, or has to be migrated first.
        """
        await check_queue(self._database)
        await self.recover()
        await self._app.open_async()
        self._advance = advance
        self._queue.nudge = nudge
        self._queue.closing = False
        self._running = asyncio.create_task(self._run(), name="postgres engine")
        self._keeping = [asyncio.create_task(self._beat(), name="heartbeats"), asyncio.create_task(self._look(), name="recovery")]

    async def recover(self) -> int:
        """Give back what dead workers hold, and wake what is runnable and has no wake-up."""
        return await self._taken_over() + await self._swept()

    async def stop(self) -> None:
        """Take nothing more, have what runs here left, and give it back; heartbeats go on meanwhile."""
        self._queue.closing = True
        self._advance = None
        if self._running is not None:
            self._running.cancel()
            for task in self._active:
                task.cancel()
            await asyncio.wait([self._running])
            self._running = None
        for task in self._keeping:
            task.cancel()
        if self._keeping:
            await asyncio.wait(self._keeping)
        self._keeping = []
        await self._app.close_async()

    async def _taken(self, session: str) -> None:
        advance, task = self._advance, asyncio.current_task()
        if advance is None:
            raise Leaving
        if task is None:
            raise Bug("a wake-up is served outside of a task")
        self._active.add(task)
        try:
            await advance(session)
        except ServedElsewhere:  # said by whoever knows the apps; it is given back for another worker
            raise
        except Exception:
            logger.exception("session %r could not be advanced; it is tried again", session)
            raise
        finally:
            self._active.discard(task)

    async def _run(self) -> None:
        while not self._queue.closing:
            try:
                await self._app.run_worker_async(
                    queues=[QUEUE],
                    concurrency=self._most_at_once,
                    fetch_job_polling_interval=self._looks.total_seconds(),
                    update_heartbeat_interval=NEVER,  # `_beat` goes on while the worker waits for what runs
                    delete_jobs="successful",
                    install_signal_handlers=False,
                )
            except (ConnectorException, OSError) as error:
                logger.warning("the worker has ended (%r); it begins again", error)
            await asyncio.sleep(AGAIN.total_seconds())

    async def _beat(self) -> None:
        while True:
            if (worker := self._queue.worker_id) is not None:
                try:
                    await self._queue.update_heartbeat(worker)
                except ConnectorException as error:
                    logger.warning("the database does not hear that this worker lives (%r); it is told again", error.__cause__)
            await asyncio.sleep(BEATS)

    async def _look(self) -> None:
        looked = swept = self._clock.now()
        while True:
            self._news.clear()
            now = self._clock.now()
            timer: datetime | None = None
            try:
                await write(self._database, self._rung, now)
                if now - looked >= self._looks:
                    looked = now
                    await self._taken_over()
                if now - swept >= self._sweep:
                    swept = now
                    await self._swept()
                timer = await read(self._database, wakes.next_due, after=now)
            except (SQLAlchemyError, OSError) as error:
                logger.warning("the database cannot be looked through now (%r); it is looked through again", error)
            await self._news_or(now + self._looks if timer is None else min(timer, now + self._looks))

    async def _news_or(self, at: datetime) -> None:
        waiting = (asyncio.create_task(self._news.wait()), asyncio.create_task(self._clock.sleep_until(at)))
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in waiting:
                task.cancel()
            await asyncio.wait(waiting)

    async def _rung(self, connection: AsyncConnection, now: datetime) -> None:
        """Turn timers that are due into wake-ups."""
        if not await connection.scalar(text("SELECT pg_try_advisory_xact_lock(:lock)"), {"lock": TIMERS}):
            return
        for wake in await wakes.due(connection, at=now):
            await wakes.served(connection, wake)
            await put(connection, self._task, wake.session_id)

    async def _taken_over(self) -> int:
        return await write(self._database, put_back_lost, own=self._queue.worker_id, silent=self._silent)

    async def _swept(self) -> int:
        found = await read(self._database, jobs.untouched, since=self._clock.now() - GRACE)
        lost = set(found) - await read(self._database, on_the_way, found) if found else set()
        for session in sorted(lost):
            await write(self._database, put, self._task, session)
        return len(lost)


async def workers_of(database: AsyncEngine) -> tuple[int, int]:
    """How many workers live on any machine, and how many sessions wait for one.

    Raises:
        InputError: the database cannot be reached, or has to be migrated first.
    """
    await check_queue(database)
    return await read(database, at_work, silent=SILENT)
