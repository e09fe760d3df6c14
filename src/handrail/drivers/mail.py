"""`Post`: brings what is in a job's mailbox into its run, each message once and in the order in which they were sent.

- Whoever leaves a message says so (`news`), where that can be heard. `Rounds` looks all the same: one question for all jobs that run here.
"""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from functools import partial

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from handrail.core.events import Input, UserSaid
from handrail.drivers.handle import RunHandle, Said
from handrail.drivers.messages import input_of
from handrail.drivers.noting import JobJournal
from handrail.errors import StoredDataError
from handrail.ports import Clock
from handrail.stores import mailbox
from handrail.stores.transactions import read

LOOKS = timedelta(milliseconds=500)
"""How often it is looked for what another process has left for running jobs."""

logger = logging.getLogger(__name__)


class Rounds:
    """Looks for all jobs that run in this process."""

    def __init__(self, database: AsyncEngine, clock: Clock) -> None:
        """Nothing runs yet, and nothing is looked for."""
        self._database = database
        self._clock = clock
        self._news: dict[str, asyncio.Event] = {}
        self._going: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def over(self, job_id: str, news: asyncio.Event) -> AsyncIterator[None]:
        """Look for this job too, and say when there is something."""
        self._news[job_id] = news
        if self._going is None:
            self._going = asyncio.create_task(self._go(), name="rounds of the mailboxes")
        try:
            yield
        finally:
            del self._news[job_id]
            if not self._news and self._going is not None:
                going, self._going = self._going, None
                going.cancel()
                await asyncio.wait({going})

    async def _go(self) -> None:
        while True:
            await self._clock.sleep_until(self._clock.now() + LOOKS)
            try:
                found = await read(self._database, mailbox.spoken_to, tuple(self._news))
            except SQLAlchemyError as error:
                logger.warning("the mailboxes cannot be looked through now (%s); they are again", type(error).__name__)
                continue
            for job_id in found:
                if (news := self._news.get(job_id)) is not None:
                    news.set()


class Post:
    """The way from the mailbox to the run's inbox."""

    def __init__(self, database: AsyncEngine, job_id: str, *, journal: JobJournal, handle: RunHandle) -> None:
        """Look nowhere yet."""
        self._database = database
        self._job_id = job_id
        self._journal = journal
        self._handle = handle
        self._seen: set[int] = set()

    async def look(self) -> None:
        """Put what is new into the inbox; what cannot be read is thrown away with a note, so that it holds nothing up."""
        for message in await read(self._database, mailbox.waiting, self._job_id):
            number = message.message_id
            if number in self._seen:
                continue
            self._seen.add(number)
            dropped = partial(self._journal.drop, number)
            try:
                event = input_of(message)
            except StoredDataError:
                logger.exception("%s: a message cannot be read, and is thrown away", self._job_id)
                await dropped()
                continue
            if isinstance(event, UserSaid) and not event.text.strip():
                await dropped()
                continue
            self._handle.inbox.put(Said(partial(self._taken, number, event), dropped))

    async def watch(self, news: asyncio.Event) -> None:
        """Look whenever there may be something, until it is cancelled."""
        while True:
            await news.wait()
            news.clear()
            try:
                await self.look()
            except SQLAlchemyError as error:
                logger.warning("%s: the mailbox cannot be read now (%s); it is looked at again", self._job_id, type(error).__name__)

    def _taken(self, number: int, event: Input, at: datetime) -> Input:
        self._journal.taking = number
        return event
