"""What the service runs on: the database, the engine, the worker, the desk, and who may come in. One for each process.

- Everything is made before anything is open, so that routes and surfaces can be given it; it works while `opened` is entered.
- Where the engine runs elsewhere (PostgreSQL), this process takes messages on and tells of events, and advances nothing.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

from sqlalchemy.ext.asyncio import AsyncEngine

from handrail.core.events import Event
from handrail.core.state import RunState
from handrail.drivers.clock import SystemClock
from handrail.drivers.watching import OnEvent
from handrail.drivers.worker import Served, Worker
from handrail.engines.contract import Engine
from handrail.ports import Clock
from handrail.service.auth.approvers import Approvers
from handrail.service.auth.cookies import Cookies, new_secret
from handrail.service.auth.doors import Doors
from handrail.service.desk import Desk
from handrail.service.opening import engine_for, is_sqlite
from handrail.service.rates import Rates
from handrail.service.serving import Serving
from handrail.service.settings import Settings
from handrail.service.streams import Streams
from handrail.service.telemetry.watching import Telemetry
from handrail.service.texts import Texts
from handrail.stores.news import News


class Running:
    """The service's parts.

    Args:
        database: with this version's tables; whoever opened it disposes of it.
        apps: the names of what is served.
        settings: limits, and who may do what.
        clock: says and waits for the time.
        engine: what wakes sessions; what fits the database where none is given.
        runs: advance sessions in this process; on SQLite yes, elsewhere no, where it is not said.

    Attributes:
        desk: takes jobs on, and speaks into them.
        streams: tell of events as they happen.
        texts: tell of streamed text of runs in this process.
        telemetry: tells of what happens, for whoever watches over the service.
        doors: find out who calls.
        messages: how much one user may ask of agents.
    """

    def __init__(
        self,
        database: AsyncEngine,
        *,
        apps: Sequence[str],
        settings: Settings,
        clock: Clock | None = None,
        engine: Engine | None = None,
        runs: bool | None = None,
    ) -> None:
        """Make the parts; nothing runs yet."""
        self.database = database
        self.apps = tuple(apps)
        self.settings = settings
        self.clock = clock or SystemClock()
        self.engine = engine or engine_for(database, self.clock)
        self.runs = is_sqlite(database) if runs is None else runs
        self.desk = Desk(database, self.engine, apps=self.apps, clock=self.clock, history_limit=settings.history_limit)
        self.streams = Streams(self.desk, clock=self.clock, most=settings.most_streams, told=self._told)
        self._news = None if is_sqlite(database) else News(database, self.streams.heard)
        self.texts = Texts()
        self.telemetry = Telemetry(settings, streams=lambda: self.streams.open_now)
        secret = new_secret() if settings.secret is None else settings.secret.get_secret_value().encode()
        self.cookies = Cookies(secret, clock=self.clock, lasts=timedelta(hours=settings.sign_in_hours))
        self.messages = Rates(settings.most_messages_per_minute, clock=self.clock, what="messages")
        self.doors = Doors(database, cookies=self.cookies, rates=Rates(settings.most_requests_per_minute, clock=self.clock))
        self.approvers = Approvers(settings.approvers)

    @asynccontextmanager
    async def opened(self, served: Sequence[Serving], on_event: OnEvent | None = None) -> AsyncIterator[None]:
        """Run, with apps whose deps are open.

        Raises:
            InputError: another process runs the jobs of this file.
        """
        worker = Worker(
            engine=self.database,
            served={each.app.name: Served(agent=each.agent, model=each.model, deps=each.deps) for each in served},
            wake=self.engine.wake,
            clock=self.clock,
            on_event=self._telling(on_event),
            texts=self.texts.of,
        )
        async with self.telemetry.opened({each.agent.name: each.agent for each in served}), self._listening():
            if self.runs:
                await self.engine.start(worker.advance, nudge=worker.nudge)
            try:
                yield
            finally:
                self.streams.close()
                if self.runs:
                    await self.engine.stop()

    @asynccontextmanager
    async def _listening(self) -> AsyncIterator[None]:
        """Hear from the database what runs elsewhere."""
        if self._news is None:
            yield
            return
        listening = asyncio.create_task(self._news.listen(), name="news of runs")
        try:
            yield
        finally:
            listening.cancel()
            await asyncio.wait({listening})

    def _told(self) -> bool:
        return self.runs if self._news is None else self._news.hears

    def _telling(self, on_event: OnEvent | None) -> OnEvent:
        def saw(event: Event, state: RunState) -> Any:
            self.streams.saw(event, state)
            self.texts.saw(event, state)
            self.telemetry.saw(event, state)
            return None if on_event is None else on_event(event, state)

        return saw
