"""`Worker.advance(session)`: take a session's jobs forward, one after the other, until one of them waits or none is left.

- It is called by an engine, never twice at a time for one session; the journal's primary key is the fence should it happen anyway.
- A run that waits for people, browsers or a time is left: nothing of it stays in memory, and a wake-up brings it back.
- No connection is held while a model, a tool or a person takes its time (case 41).
- A job of an app that is not served here waits for a worker that serves it; that is said once for each app.
- To cancel `advance` is to ask it to leave: tools that run have `LEAVING` to finish, nothing new begins, and the session is woken again.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

import msgspec
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from handrail.core.agent import Agent
from handrail.core.effects import AskClient, AskPerson, WakeAt
from handrail.core.events import Cancelled, RunStarted, TakenOver
from handrail.core.evolve import fold
from handrail.core.outstanding import outstanding
from handrail.core.state import RunState
from handrail.core.table import Phase
from handrail.drivers.at_work import working_on
from handrail.drivers.handle import Leave, RunHandle
from handrail.drivers.in_process import is_taken_over, loop_of
from handrail.drivers.loop import Loop
from handrail.drivers.mail import Post, Rounds
from handrail.drivers.noting import JobJournal
from handrail.drivers.watching import OnEvent
from handrail.errors import ServedElsewhere, StaleWriter
from handrail.ports import Clock, Model, OnDelta
from handrail.stores.jobs import Job
from handrail.stores.next_jobs import NextJob, next_job
from handrail.stores.transactions import read, write

LEAVING = timedelta(seconds=10)
ELSEWHERE = (AskPerson, AskClient, WakeAt)

Wake = Callable[[AsyncConnection, str, datetime | None], Awaitable[None]]
"""Has a session advanced, as soon as the transaction is committed or at a time."""

Texts = Callable[[Job], OnDelta | None]

logger = logging.getLogger(__name__)


class Served(msgspec.Struct, frozen=True, kw_only=True):
    """An app's agent with what it runs on."""

    agent: Agent
    model: Model
    deps: Any = None


class Visit:
    """One session while it is advanced here."""

    def __init__(self, session_id: str) -> None:
        """Nothing runs yet."""
        self.session_id = session_id
        self.leaving = False
        self.news = asyncio.Event()
        self.handle: RunHandle | None = None

    def leave(self) -> None:
        """Ask whatever runs to come to rest."""
        self.leaving = True
        if self.handle is not None:
            self.handle.inbox.put(Leave())


class Worker:
    """Takes sessions forward.

    Args:
        engine: the database.
        served: the agents by the names of their apps.
        wake: has a session advanced later, in the caller's transaction.
        clock: says and waits for the time.
        on_event: told of each event, once it is written.
        texts: where a job's streamed text goes; `None` where nobody is to see it.
    """

    def __init__(
        self,
        *,
        engine: AsyncEngine,
        served: Mapping[str, Served],
        wake: Wake,
        clock: Clock,
        on_event: OnEvent | None = None,
        texts: Texts | None = None,
    ) -> None:
        """Begin nothing yet."""
        self._engine = engine
        self._served = served
        self._wake = wake
        self._clock = clock
        self._on_event = on_event
        self._texts = texts
        self._rounds = Rounds(engine, clock)
        self._visits: dict[str, Visit] = {}
        self._elsewhere: set[str] = set()  # apps that are not served here, and of which that has been said

    def nudge(self, session_id: str) -> None:
        """Say that there may be messages for what runs here in that session."""
        if (visit := self._visits.get(session_id)) is not None:
            visit.news.set()

    async def advance(self, session_id: str) -> None:
        """Go on until the session has nothing to do.

        Raises:
            ServedElsewhere: the job whose turn it is belongs to an app that is not served here; the log has said so.
            StaleWriter: somebody else advances it too, and goes on.
        """
        visit = self._visits[session_id] = Visit(session_id)
        inner = asyncio.create_task(self._advanced(visit), name=f"session {session_id}")
        try:
            await asyncio.shield(inner)
        except asyncio.CancelledError:
            if not inner.done():
                await self._rested(visit, inner)
            raise
        finally:
            if self._visits.get(session_id) is visit:
                del self._visits[session_id]

    async def _rested(self, visit: Visit, inner: asyncio.Task[None]) -> None:
        visit.leave()
        timer = asyncio.create_task(self._clock.sleep_until(self._clock.now() + LEAVING))
        try:
            await asyncio.wait({inner, timer}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            timer.cancel()
            inner.cancel()
            await asyncio.wait({inner, timer})
            if not inner.cancelled() and (error := inner.exception()) is not None:
                logger.warning("session %r failed while it was left: %r", visit.session_id, error)

    async def _advanced(self, visit: Visit) -> None:
        while (found := await read(self._engine, next_job, visit.session_id)) is not None:
            job = found.job
            if visit.leaving:
                await write(self._engine, self._wake, visit.session_id, None)
                return
            served = self._served.get(job.app)
            if served is None:
                raise self._not_here(job)
            with working_on(job.job_id, job.session_id):
                state = await self._driven(visit, found, served)
            if state.outcome is None:
                await write(self._engine, self._left, job, state)
                return
            if found.last:
                return  # what has come meanwhile has a wake-up of its own

    def _not_here(self, job: Job) -> ServedElsewhere:
        said = f"{job.job_id} belongs to the app {job.app!r}; served here are {sorted(self._served)!r}"
        if job.app not in self._elsewhere:
            self._elsewhere.add(job.app)
            logger.warning("%s: jobs of that app wait for a worker that serves it", said)
        return ServedElsewhere(said)

    async def _driven(self, visit: Visit, found: NextJob, served: Served) -> RunState:
        job, state = found.job, fold(found.events)
        if state.outcome is not None:
            raise StaleWriter(f"{job.job_id} has ended, and when it was looked for it was {job.status.value}: somebody else was faster")
        journal = JobJournal(self._engine, job, self._clock, state)
        handle = RunHandle()
        post = Post(self._engine, job.job_id, journal=journal, handle=handle)
        journal.on_mail = post.look
        loop = loop_of(
            served.agent,
            model=served.model,
            deps=served.deps,
            journal=journal,
            clock=self._clock,
            on_event=self._on_event,
            on_delta=None if self._texts is None else self._texts(job),
            handle=handle,
            counts=True,
        )
        state = await self._ready(loop, state, found, served.agent)
        if state.outcome is not None:
            return state
        visit.handle = handle
        if visit.leaving:
            return state
        if found.unread:
            await post.look()
        reading = asyncio.create_task(post.watch(visit.news), name=f"{job.job_id}/mail")
        try:
            async with self._rounds.over(job.job_id, visit.news):
                return await loop.go(state, alone=False)
        finally:
            visit.handle = None
            reading.cancel()
            await asyncio.wait({reading})

    async def _ready(self, loop: Loop, state: RunState, found: NextJob, agent: Agent) -> RunState:
        """Begin the run, or take it over from whoever was lost with it."""
        now = self._clock.now()
        if not state.seq:
            job, history = found.job, found.remembered
            started = RunStarted(
                at=now,
                run_id=job.job_id,
                agent=agent.name,
                fingerprint=agent.fingerprint,
                message=job.message,
                history=history.messages,
                history_limit=job.history_limit,
                confirmed=history.confirmed,
                notes=job.notes or (),
            )
            return (await loop.apply(state, started))[0]
        if state.agent != agent.name:
            return await self._given_up(loop, state, agent)
        if is_taken_over(agent, state):
            return (await loop.apply(state, TakenOver(at=now, fingerprint=agent.fingerprint)))[0]
        return state

    async def _given_up(self, loop: Loop, state: RunState, agent: Agent) -> RunState:
        """Nobody goes on with another agent's run (case 57): it is closed, so that it does not hold its session up for good."""
        now = self._clock.now()
        if state.phase is not Phase.WAITING:
            state, _ = await loop.apply(state, TakenOver(at=now, fingerprint=state.fingerprint))
        if state.outcome is None:
            reason = f"its agent {state.agent!r} is not here any more; {agent.name!r} does not go on with it"
            state, _ = await loop.apply(state, Cancelled(at=now, reason=reason))
        return state

    async def _left(self, connection: AsyncConnection, job: Job, state: RunState) -> None:
        effects = outstanding(state)
        times = [effect.at for effect in effects if isinstance(effect, WakeAt)]
        if times:
            await self._wake(connection, job.session_id, min(times))
        if not all(isinstance(effect, ELSEWHERE) for effect in effects):
            await self._wake(connection, job.session_id, None)
