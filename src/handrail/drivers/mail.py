"""`Post`: brings what is in a job's mailbox into its run, each message once and in the order in which they were sent."""

import asyncio
import logging
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
"""How often a running job looks for what another process has left for it."""

logger = logging.getLogger(__name__)


class Post:
    """The way from the mailbox to the run's queue."""

    def __init__(self, database: AsyncEngine, job_id: str, *, journal: JobJournal, handle: RunHandle) -> None:
        """Look nowhere yet."""
        self._database = database
        self._job_id = job_id
        self._journal = journal
        self._handle = handle
        self._seen: set[int] = set()

    async def look(self) -> None:
        """Put what is new into the queue; what cannot be read is thrown away with a note, so that it holds nothing up."""
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
            self._handle.queue.put_nowait(Said(partial(self._taken, number, event), dropped))

    async def watch(self, news: asyncio.Event, clock: Clock) -> None:
        """Look whenever there may be something, until it is cancelled."""
        while True:
            waiting = (asyncio.create_task(clock.sleep_until(clock.now() + LOOKS)), asyncio.create_task(news.wait()))
            try:
                await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in waiting:
                    task.cancel()
            news.clear()
            try:
                await self.look()
            except SQLAlchemyError as error:
                logger.warning("%s: the mailbox cannot be read now (%s); it is looked at again", self._job_id, type(error).__name__)

    def _taken(self, number: int, event: Input, at: datetime) -> Input:
        self._journal.taking = number
        return event
