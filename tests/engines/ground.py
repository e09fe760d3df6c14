"""The ground that the checks of engines stand on: a migrated database, sessions and jobs, and the time of this machine."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import Protocol

from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from handrail.drivers.clock import SystemClock
from handrail.engines.contract import Engine
from handrail.stores import jobs, sessions
from handrail.stores.database import make_engine
from handrail.stores.jobs import NewJob
from handrail.stores.migrating import migrate
from handrail.stores.transactions import write

USER = "ada"
LONG = timedelta(hours=1)


class GivenUpError(Exception):
    """On second thoughts."""


class MakeEngine(Protocol):
    """Makes an engine over a database."""

    def __call__(self, database: AsyncEngine) -> Engine: ...


class StoreGround:
    """See `handrail.testing.engines.Ground`."""

    def __init__(self, database: AsyncEngine, make: MakeEngine) -> None:
        self.database = database
        self._make = make
        self._clock = SystemClock()

    def engine(self) -> Engine:
        return self._make(self.database)

    def now(self) -> datetime:
        return self._clock.now()

    async def wake(self, engine: Engine, *session_ids: str, at: datetime | None = None, give_up: bool = False) -> None:
        async def act(connection: AsyncConnection) -> None:
            for session_id in session_ids:
                await self._known(connection, session_id)
                await engine.wake(connection, session_id, at)
            if give_up:
                raise GivenUpError

        try:
            await write(self.database, act)
        except GivenUpError:
            return

    async def forget(self, session_id: str) -> None:
        async def act(connection: AsyncConnection) -> None:
            await self._known(connection, session_id)
            new = NewJob(job_id=f"job_{session_id}", session_id=session_id, user_id=USER, app="mini", message="hi")
            await jobs.add(connection, new, at=self.now() - LONG)

        await write(self.database, act)

    async def _known(self, connection: AsyncConnection, session_id: str) -> None:
        assert await sessions.joined(connection, session_id, user_id=USER, app="mini", at=self.now()) is not None


@asynccontextmanager
async def ground(url: str, make: MakeEngine) -> AsyncIterator[StoreGround]:
    """A ground on that empty database."""
    database = make_engine(url)
    await migrate(database)
    try:
        yield StoreGround(database, make)
    finally:
        await database.dispose()
