"""Which jobs have new events, as PostgreSQL tells it (`run_events.CHANNEL`): one connection a process, and no question asked.

- While the connection is away it is made again, and whoever follows a job has to look by itself (`hears` is false).
- Who begins to hear is told that every job may have news: some may have been missed.
"""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress

from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from handrail.errors import Bug
from handrail.stores.run_events import CHANNEL

AGAIN = 1.0
"""Seconds."""
logger = logging.getLogger(__name__)


class News:
    """Hears of new events.

    Args:
        database: on PostgreSQL.
        heard: told the job, or `None` for any.

    Attributes:
        hears: what is committed now will be told.
    """

    def __init__(self, database: AsyncEngine, heard: Callable[[str | None], None]) -> None:
        """Hear nothing yet."""
        self.hears = False
        self._database = database
        self._heard = heard

    async def listen(self) -> None:
        """Tell until cancelled."""
        lost = (SQLAlchemyError, OSError, self._database.dialect.loaded_dbapi.Error)
        while True:
            try:
                await self._listened()
            except lost as error:
                logger.warning("no news of runs from the database (%s); it is asked again", type(error).__name__)
            await asyncio.sleep(AGAIN)

    async def _listened(self) -> None:
        async with self._database.connect() as taken:
            connection = await taken.execution_options(isolation_level="AUTOCOMMIT")
            driver = (await connection.get_raw_connection()).driver_connection
            if driver is None:
                raise Bug("a connection that is open has no driver's connection")
            await connection.execute(text(f"LISTEN {CHANNEL}"))
            self.hears = True
            self._heard(None)
            try:
                async for told in driver.notifies():
                    self._heard(told.payload)
            finally:
                self.hears = False
                with suppress(SQLAlchemyError):
                    await connection.invalidate()  # nobody else has a use for one that listens
