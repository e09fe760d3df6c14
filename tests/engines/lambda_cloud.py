"""Lambda within one process: what is invoked is served by an engine here, and what is due is looked for all the time."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta

from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from handrail.drivers.clock import SystemClock
from handrail.engines.aws_lambda.engine import LambdaEngine
from handrail.engines.contract import Advance

NEVER = timedelta(days=1)
LOOKS = timedelta(milliseconds=100)


class Cloud:
    """An engine of Lambda's with what calls it: a function that is invoked, and the schedule of its sweep."""

    def __init__(self, database: AsyncEngine) -> None:
        self._clock = SystemClock()
        self.engine = LambdaEngine(database, clock=self._clock, invoke=self._invoked, lasts=NEVER)
        self._started = False
        self._invocations: set[asyncio.Task[None]] = set()
        self._sweeping: asyncio.Task[None] | None = None

    async def wake(self, connection: AsyncConnection, session_id: str, at: datetime | None = None) -> None:
        await self.engine.wake(connection, session_id, at)

    async def start(self, advance: Advance, *, nudge: Callable[[str], None] | None = None) -> None:
        await self.engine.start(advance, nudge=nudge)
        self._started = True
        self._sweeping = asyncio.create_task(self._sweep())

    async def recover(self) -> int:
        return await self.engine.recover()

    async def stop(self) -> None:
        self._started = False
        if self._sweeping is not None:
            self._sweeping.cancel()
            await asyncio.wait({self._sweeping})
        await self.engine.stop()
        if self._invocations:
            await asyncio.wait(self._invocations)

    async def _invoked(self, session_id: str) -> None:
        if self._started:
            task = asyncio.create_task(self._served(session_id))
            self._invocations.add(task)
            task.add_done_callback(self._invocations.discard)

    async def _served(self, session_id: str) -> None:
        with suppress(Exception):  # nobody is told of what becomes of an event
            await self.engine.serve(session_id)

    async def _sweep(self) -> None:
        while True:
            await self.engine.ring()
            await self._clock.sleep_until(self._clock.now() + LOOKS)
