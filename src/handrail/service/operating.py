"""For whoever operates the service from a command line: the database and the desk, opened for a moment. No service need be running.

What is said to a run from here is a row in its mailbox, and whoever runs it finds it there.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from sqlalchemy.ext.asyncio import AsyncEngine

from handrail.drivers.clock import SystemClock
from handrail.errors import InputError
from handrail.service.desk import Desk
from handrail.service.opening import engine_for, opened
from handrail.service.settings import Settings, read_settings
from handrail.stores import jobs, run_events
from handrail.stores.jobs import Job
from handrail.stores.transactions import read


class Operator:
    """Sees everybody's, and acts as the owner of what is acted on."""

    def __init__(self, database: AsyncEngine, settings: Settings) -> None:
        """Keep the open database."""
        self.database = database
        self.settings = settings
        self.clock = SystemClock()
        self._desk = Desk(database, engine_for(database, self.clock), apps=(), clock=self.clock)

    async def job(self, job_id: str) -> Job:
        """A job, whoever's it is.

        Raises:
            InputError: there is none.
        """
        found = await read(self.database, jobs.found, job_id)
        if found is None:
            raise InputError(f"there is no job {job_id!r}; `handrail jobs list` says which there are")
        return found

    async def lines(self, job_id: str, *, after: int = -1) -> Sequence[tuple[int, str]]:
        """A job's events as stored, those with a number above `after`."""
        return await read(self.database, run_events.lines, job_id, after=after)

    async def retry(self, job_id: str) -> Job:
        """Ask the same again, as a new run of the session."""
        return await self._desk.retry((await self.job(job_id)).user_id, job_id)

    async def cancel(self, job_id: str) -> Job:
        """Want the job's end."""
        return await self._desk.cancel((await self.job(job_id)).user_id, job_id)


@asynccontextmanager
async def operating() -> AsyncIterator[Operator]:
    """An operator on the database of the settings.

    Raises:
        InputError: a setting does not fit, or the database cannot be used.
    """
    settings = read_settings()
    async with opened(settings) as database:
        yield Operator(database, settings)
