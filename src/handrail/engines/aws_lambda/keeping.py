"""Keeps a lease while its session is advanced: from a thread with a loop and a connection of its own.

- It goes on while a tool keeps the loop of the advance busy (case 40). A process that is killed or frozen renews nothing.
- Where the lease is somebody else's, that is said (`lost`), and nothing is renewed any more.
- While the database does not answer, it is asked again. Should the lease run out meanwhile, the journal is the fence.
"""

import asyncio
import logging
import threading
from datetime import timedelta

from sqlalchemy import URL
from sqlalchemy.exc import SQLAlchemyError

from handrail.ports import Clock
from handrail.stores import leases
from handrail.stores.database import make_engine
from handrail.stores.leases import Lease
from handrail.stores.transactions import write

logger = logging.getLogger(__name__)


class Keeper:
    """Renews one lease.

    Args:
        url: of the database.
        lease: what is renewed.
        clock: says the time.
        lasts: for how long it is renewed.
        every: how often, in real time: other processes' clocks go on, whatever this one is told.

    Attributes:
        lost: set, on the loop that started it, when the lease is somebody else's.
    """

    def __init__(self, url: URL, lease: Lease, *, clock: Clock, lasts: timedelta, every: timedelta) -> None:
        """Renew nothing yet."""
        self.lost = asyncio.Event()
        self._url = url
        self._lease = lease
        self._clock = clock
        self._lasts = lasts
        self._every = every.total_seconds()
        self._home = asyncio.get_running_loop()
        self._loop = asyncio.new_event_loop()
        self._stopped = asyncio.Event()
        self._thread = threading.Thread(target=self._run, name=f"lease of {lease.session_id}", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    async def stop(self) -> None:
        """End, and wait for it."""
        self._loop.call_soon_threadsafe(self._stopped.set)
        await asyncio.to_thread(self._thread.join)

    def _run(self) -> None:
        try:
            self._loop.run_until_complete(self._keep())
        finally:
            self._loop.close()

    async def _keep(self) -> None:
        database = make_engine(self._url.render_as_string(hide_password=False))
        try:
            while not await self._over():
                try:
                    held = await write(database, leases.renew, self._lease, until=self._clock.now() + self._lasts)
                except (SQLAlchemyError, OSError) as error:
                    logger.warning("the lease of session %r cannot be renewed now (%s)", self._lease.session_id, type(error).__name__)
                    continue
                if not held:
                    logger.warning("the lease of session %r is somebody else's by now", self._lease.session_id)
                    self._home.call_soon_threadsafe(self.lost.set)
                    await self._stopped.wait()
        finally:
            await database.dispose()

    async def _over(self) -> bool:
        """Whether it was stopped before it is time to renew."""
        try:
            async with asyncio.timeout(self._every):
                await self._stopped.wait()
        except TimeoutError:
            return False
        return True
