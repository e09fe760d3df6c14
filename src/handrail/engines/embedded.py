"""The engine of one machine: in the server's process, over SQLite.

- One process for one file, by `flock`; a second one is told so at its start.
- A wake-up is a row until its session has been advanced, so a process that is killed loses none.
- While nothing is due it sleeps until something is, and looks every few seconds for what a command line has written beside it.
- A session that cannot be advanced is tried again, ever later, and holds no other up.
"""

import asyncio
import fcntl
import logging
import os
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path

import msgspec
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from handrail.engines.contract import Advance
from handrail.errors import InputError, ServedElsewhere
from handrail.ports import Clock
from handrail.stores import jobs, wakes
from handrail.stores.transactions import after_commit, read, write
from handrail.stores.wakes import Wake

MOST_AT_ONCE = 100
LOOKS = timedelta(seconds=5)
SWEEP = timedelta(seconds=30)
AGAIN = timedelta(seconds=1)
LONGEST_AGAIN = timedelta(seconds=60)
logger = logging.getLogger(__name__)


class Failed(msgspec.Struct, frozen=True):
    """How often in a row a session could not be advanced, and when it is tried again."""

    times: int
    until: datetime


class EmbeddedEngine:
    """Advances sessions in this process.

    Args:
        database: the database's engine.
        clock: says and waits for the time.
        lock: the file that only one process may hold; `None` for a database in memory.
        looks: how often to look for what another process has written.
        at_once: sessions that are advanced at the same time.
    """

    def __init__(
        self, database: AsyncEngine, *, clock: Clock, lock: Path | None = None, looks: timedelta = LOOKS, at_once: int = MOST_AT_ONCE
    ) -> None:
        """Begin nothing yet."""
        self._database = database
        self._clock = clock
        self._lock = lock
        self._looks = looks
        self._at_once = at_once
        self._held: int | None = None
        self._news = asyncio.Event()
        self._active: dict[str, asyncio.Task[None]] = {}
        self._failed: dict[str, Failed] = {}
        self._watching: asyncio.Task[None] | None = None
        self._nudge: Callable[[str], None] | None = None

    async def wake(self, connection: AsyncConnection, session_id: str, at: datetime | None = None) -> None:
        """Write the wake-up down; the engine looks once it is committed."""
        now = self._clock.now()
        if at is None or at <= now:
            await wakes.want(connection, session_id, at=now)
        else:
            await wakes.want_later(connection, session_id, at=at)
        after_commit(self._news.set)

    async def start(self, advance: Advance, *, nudge: Callable[[str], None] | None = None) -> None:
        """Begin, with whatever a process before this one has left.

        Raises:
            InputError: another process advances sessions on this file.
        """
        self._held = _locked(self._lock) if self._lock is not None else None
        self._nudge = nudge
        try:
            await self.recover()
        except BaseException:
            self._let_go()
            raise
        self._watching = asyncio.create_task(self._watch(advance), name="embedded engine")

    async def recover(self) -> int:
        """Wake every session whose job is runnable and is not being advanced."""
        now = self._clock.now()
        found = await read(self._database, jobs.untouched, since=now)
        lost = [session for session in found if session not in self._active]
        if lost:
            await write(self._database, _want_all, lost, now)
            self._news.set()
        return len(lost)

    async def stop(self) -> None:
        """Stop, wait, and let the file go."""
        tasks = [task for task in (self._watching, *self._active.values()) if task is not None]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        self._watching = None
        self._active.clear()
        self._let_go()

    def _let_go(self) -> None:
        if self._held is not None:
            os.close(self._held)
            self._held = None

    async def _watch(self, advance: Advance) -> None:
        swept = self._clock.now()
        while True:
            self._news.clear()
            now = self._clock.now()
            try:
                if now - swept >= SWEEP:
                    swept = now
                    await self.recover()
                for wake in await read(self._database, wakes.due, at=now):
                    self._take(wake, advance)
                timer = await read(self._database, wakes.next_due, after=now)
            except SQLAlchemyError:
                logger.exception("the wake-ups cannot be read; they are read again in %s", AGAIN)
                timer = now + AGAIN
            times = [now + self._looks, *(failed.until for failed in self._failed.values() if failed.until > now)]
            await self._news_or(min(times if timer is None else [*times, timer]))

    async def _news_or(self, at: datetime) -> None:
        waiting = (asyncio.create_task(self._news.wait()), asyncio.create_task(self._clock.sleep_until(at)))
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in waiting:
                task.cancel()
            await asyncio.wait(waiting)

    def _take(self, wake: Wake, advance: Advance) -> None:
        failed = self._failed.get(wake.session_id)
        if wake.session_id in self._active:
            if self._nudge is not None:
                self._nudge(wake.session_id)
        elif len(self._active) < self._at_once and (failed is None or failed.until <= wake.read_at):
            task = asyncio.create_task(self._advanced(wake, advance), name=f"wake of {wake.session_id}")
            self._active[wake.session_id] = task

    async def _advanced(self, wake: Wake, advance: Advance) -> None:
        try:
            await advance(wake.session_id)
            await write(self._database, wakes.served, wake)
            self._failed.pop(wake.session_id, None)
        except Exception as error:
            times = self._failed[wake.session_id].times + 1 if wake.session_id in self._failed else 1
            pause = min(AGAIN * 2 ** min(times - 1, 10), LONGEST_AGAIN)
            self._failed[wake.session_id] = Failed(times, self._clock.now() + pause)
            if not isinstance(error, ServedElsewhere):  # that has been said by whoever knows the apps
                logger.exception("session %r could not be advanced; it is tried again in %s", wake.session_id, pause)
        finally:
            self._active.pop(wake.session_id, None)
            self._news.set()


async def _want_all(connection: AsyncConnection, sessions: Sequence[str], at: datetime) -> None:
    for session in sessions:
        await wakes.want(connection, session, at=at)


def _locked(path: Path) -> int:
    held = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(held)
        raise InputError(f"another process serves this database ({path}); stop it, or use PostgreSQL for several") from None
    return held
