"""Hops: one exchange between a page and the runs of its session. The page says what happened, and hears what there is to do now.

- The `while` is in the browser; judging and the model call stay here, and every hop goes through the same mailbox as everything else.
- Client calls are handed out in the answer, each to one tab only. A page that was reloaded gets what was handed out before and may be done
  again.
- It waits for news for a while, so that a page need not ask in a tight circle; whoever goes away stops nothing.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from typing import TypeVar

import msgspec
from sqlalchemy.ext.asyncio import AsyncConnection

from handrail.drivers.messages import ClientResult
from handrail.errors import StaleInput
from handrail.service.apps import Beside, named
from handrail.service.client_calls import ClientCall, ClientCalls
from handrail.service.desk import Asked, NotThere
from handrail.service.problems import Problem
from handrail.service.running import Running
from handrail.service.serving import Serving
from handrail.stores import jobs, mailbox, run_events
from handrail.stores.jobs import Job, JobStatus
from handrail.stores.transactions import read
from handrail.vocab.calls import ToolEffect

T = TypeVar("T")

LONGEST_WAIT = timedelta(seconds=25)
"""Shorter than what most proxies take for a dead connection."""


class Done(msgspec.Struct, frozen=True):
    """What came of a client call, and of which job it is."""

    job_id: str
    result: ClientResult


class Refused(msgspec.Struct, frozen=True):
    """A result that does not count, and why; the run goes on without it."""

    call_id: str
    code: str


class Hopped(msgspec.Struct, frozen=True, kw_only=True):
    """What there is to do now: the session's job as it stands, and the calls that are this page's to make."""

    job: Job | None
    calls: tuple[ClientCall, ...] = ()
    refused: tuple[Refused, ...] = ()


class Hops:
    """The pages' side of sessions."""

    def __init__(self, running: Running, served: Sequence[Serving]) -> None:
        """Keep what it works on."""
        self._running = running
        self._calls = ClientCalls(running)
        self._served = {serving.app.name: serving for serving in served}

    async def hop(
        self, user_id: str, session_id: str, *, app: str, message: str | None, done: Sequence[Done], resume: bool, wait: timedelta
    ) -> Hopped:
        """Take what happened, and wait for something to do, or for the run to rest.

        Raises:
            NotThere: the session is somebody else's, or a job or a call is not there.
            InputError: the message does not fit.
            Problem: the app is not served here.
        """
        if app not in self._served:
            raise Problem(404, "no_app", "There is no such app here.")
        refused = [each for each in [await self._taken(user_id, each) for each in done] if each is not None]
        if message is not None:
            beside = await self._beside(self._served[app], user_id, session_id)
            asked = Asked(
                user_id=user_id, session_id=session_id, app=app, message=message, notes=tuple(beside.notes), facts=tuple(beside.facts)
            )
            await self._running.desk.invoke(asked)
        found = await self._waited(user_id, session_id, resume=resume, wait=min(wait, LONGEST_WAIT))
        return msgspec.structs.replace(found, refused=tuple(refused))

    async def _taken(self, user_id: str, done: Done) -> Refused | None:
        try:
            await self._calls.answer(user_id, done.job_id, done.result)
        except StaleInput as stale:
            return Refused(done.result.call, str(stale.code))
        return None

    async def _beside(self, serving: Serving, user_id: str, session_id: str) -> Beside:
        if serving.app.beside is None:
            return Beside()
        found: Beside = await named(serving.app.beside)(serving.deps, user_id, session_id)
        return found

    async def _waited(self, user_id: str, session_id: str, *, resume: bool, wait: timedelta) -> Hopped:
        until = self._running.clock.now() + wait
        while True:
            found, seq = await self._look(user_id, session_id, resume=resume)
            if found.job is None or found.calls or await self._rests(found.job) or self._running.clock.now() >= until:
                return found
            await self._news(found.job, seq, until - self._running.clock.now())

    async def _look(self, user_id: str, session_id: str, *, resume: bool) -> tuple[Hopped, int]:
        latest = await read(self._running.database, _latest, session_id, user_id)
        if latest is None:
            return Hopped(job=None), -1
        # First how many events there are, then how the job stands: what happens in between is news that is still to come.
        seq = await read(self._running.database, run_events.length, latest.job_id) - 1
        job = await self._running.desk.job(user_id, latest.job_id)
        calls = [] if job.ended else [await self._handed_out(job, call, resume=resume) for call in await self._mine(job)]
        return Hopped(job=job, calls=tuple(call for call in calls if call is not None)), seq

    async def _mine(self, job: Job) -> Sequence[ClientCall]:
        try:
            return await self._calls.waiting(job.user_id, job.job_id)
        except NotThere:
            return ()

    async def _handed_out(self, job: Job, call: ClientCall, *, resume: bool) -> ClientCall | None:
        """The call, if it is this page's to make."""
        if call.started:
            return call if resume and call.effect != ToolEffect.WRITE else None
        try:
            return await self._calls.start(job.user_id, job.job_id, call.call_id)
        except (StaleInput, NotThere):  # another tab was faster, or the run has gone on
            return None

    async def _rests(self, job: Job) -> bool:
        if job.ended:
            return True
        if job.status is not JobStatus.INPUT_REQUIRED:
            return False
        unread = await read(self._running.database, mailbox.waiting, job.job_id)
        return not unread and not await self._mine(job)

    async def _news(self, job: Job, seq: int, longest: timedelta) -> None:
        """Return once something has happened in the job, or after so long."""
        events = await self._running.streams.opened(job.user_id, job.job_id, after=seq)
        if events is None:
            return
        clock = self._running.clock
        came = asyncio.create_task(_first(events.__anext__), name=f"{job.job_id}/hop")
        timer = asyncio.create_task(clock.sleep_until(clock.now() + longest))
        try:
            await asyncio.wait({came, timer}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            came.cancel()
            timer.cancel()
            await asyncio.wait({came, timer})
            await events.aclose()


async def _first(take: Callable[[], Awaitable[T]]) -> T | None:
    try:
        return await take()
    except StopAsyncIteration:
        return None


async def _latest(connection: AsyncConnection, session_id: str, user_id: str) -> Job | None:
    """The job whose turn it is, else the last one that the session had."""
    current = await jobs.current(connection, session_id)
    if current is not None and current.user_id == user_id:
        return current
    return await jobs.last(connection, session_id, user_id=user_id)
