"""What the service runs on: the database, the engine, the worker, the desk, and who may come in. One for each process.

- Everything is made before anything is open, so that routes and surfaces can be given it; it works while `opened` is entered.
- Where the engine runs elsewhere (PostgreSQL), this process takes messages on and tells of events, and advances nothing.
"""

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
from handrail.service.streams import FIRST_PAUSE, LONGEST_PAUSE, Streams


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
        self.desk = Desk(database, self.engine, apps=self.apps, clock=self.clock)
        pause = LONGEST_PAUSE if self.runs else FIRST_PAUSE
        self.streams = Streams(self.desk, clock=self.clock, most=settings.most_streams, first_pause=pause)
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
        )
        if self.runs:
            await self.engine.start(worker.advance, nudge=worker.nudge)
        try:
            yield
        finally:
            self.streams.close()
            if self.runs:
                await self.engine.stop()

    def _telling(self, on_event: OnEvent | None) -> OnEvent:
        def saw(event: Event, state: RunState) -> Any:
            self.streams.saw(event, state)
            return None if on_event is None else on_event(event, state)

        return saw
