"""The engine of AWS Lambda: a wake-up is a row and an invocation; whoever is invoked takes the session's lease, and advances it.

- The row is written in the caller's transaction, and the invocation sent after it. Should that fail, the sweep finds the row.
- One lease for a session. Who finds it taken goes: whoever has it sees that more was wanted meanwhile, and advances the session once more.
- A wake-up is taken away, and the lease given back, in one transaction that asks whether the lease still stands (case 40).
- Near the end of its time an invocation leaves, and has the session invoked again. What fails, or is killed, is found by the sweep.
- Nothing runs between invocations: timers are rung by the sweep too.
"""

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Iterable
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import msgspec
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from handrail.engines.aws_lambda.keeping import Keeper
from handrail.engines.contract import Advance
from handrail.errors import Bug, RemoteError
from handrail.ports import Clock
from handrail.stores import jobs, leases, wakes
from handrail.stores.leases import Lease
from handrail.stores.transactions import after_commit, read, write
from handrail.stores.wakes import Wake

LASTS = timedelta(seconds=8)
RENEWED = timedelta(seconds=2)
GRACE = timedelta(seconds=10)

Invoke = Callable[[str], Awaitable[None]]
"""Has a session served by another invocation, without waiting for it; raises `RemoteError` where that is not taken on."""

logger = logging.getLogger(__name__)


class Taken(msgspec.Struct, frozen=True):
    """A session that is served here, and the wake-up that is served."""

    lease: Lease
    wake: Wake


class LambdaEngine:
    """Wakes sessions by invocations, and serves those that this process is invoked for.

    Args:
        database: the database's engine.
        clock: says and waits for the time.
        invoke: has a session served by another invocation.
        lasts: how long a lease is held that nobody renews: what a killed process holds is free after that.
        renewed: how often it is renewed, in real time.
    """

    def __init__(
        self, database: AsyncEngine, *, clock: Clock, invoke: Invoke, lasts: timedelta = LASTS, renewed: timedelta = RENEWED
    ) -> None:
        """Serve nothing yet."""
        self._database = database
        self._clock = clock
        self._invoke = invoke
        self._lasts = lasts
        self._renewed = renewed
        self._owner = secrets.token_hex(16)
        self._advance: Advance | None = None
        self._nudge: Callable[[str], None] | None = None
        self._serving: set[asyncio.Task[Any]] = set()
        self._advanced_here: set[str] = set()
        self._sending: set[asyncio.Task[None]] = set()

    async def wake(self, connection: AsyncConnection, session_id: str, at: datetime | None = None) -> None:
        """Write the wake-up down, and invoke once it is committed; one for later is left to the sweep."""
        now = self._clock.now()
        if at is not None and at > now:
            await wakes.want_later(connection, session_id, at=at)
            return
        await wakes.want(connection, session_id, at=now)
        after_commit(partial(self._woken, session_id))

    async def start(self, advance: Advance, *, nudge: Callable[[str], None] | None = None) -> None:
        """Be ready to serve: `serve` is called for each invocation."""
        self._advance = advance
        self._nudge = nudge

    async def serve(self, session_id: str, *, until: datetime | None = None) -> bool:
        """Advance the session for as long as that is wanted; `False` where it is not wanted, or somebody else does it.

        Args:
            session_id: the session. One that is not known is wanted by nobody.
            until: when to leave, and have the session invoked again.

        Raises:
            Exception: what its advance raised; the wake-up stays, and the sweep tries it again.
        """
        task = asyncio.current_task()
        if task is None:
            raise Bug("a session is served outside of a task")
        self._serving.add(task)
        leave = asyncio.Event()
        inner = asyncio.create_task(self._served(session_id, until, leave), name=f"session {session_id}")
        try:
            return await asyncio.shield(inner)
        except asyncio.CancelledError:
            leave.set()
            await asyncio.wait({inner})
            raise
        finally:
            self._serving.discard(task)

    async def ring(self) -> int:
        """Invoke for every session that is due and is served by nobody; how many that are."""
        now = self._clock.now()
        held = await read(self._database, leases.held, at=now)
        due = [wake.session_id for wake in await read(self._database, wakes.due, at=now) if wake.session_id not in held]
        for session_id in due:
            self._send(session_id)
        return len(due)

    async def recover(self) -> int:
        """The sweep: wake what is runnable and was woken by nobody, and invoke for all that is due."""
        now = self._clock.now()
        await write(self._database, _want_untouched, now)
        return await self.ring()

    async def told(self) -> None:
        """Wait until every invocation is sent: what is not sent when a sandbox is frozen is sent when it thaws, or never."""
        while self._sending:
            await asyncio.wait(self._sending)

    async def stop(self) -> None:
        """Leave what is served here, and give it back; the sweep has it gone on with."""
        self._advance = None
        tasks = tuple(self._serving)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        await self.told()

    async def _taken(self, connection: AsyncConnection, session_id: str) -> Taken | None:
        now = self._clock.now()
        wake = next(iter(await wakes.due(connection, at=now, session_id=session_id)), None)
        if wake is None:
            return None
        lease = await leases.take(connection, session_id, owner=self._owner, at=now, until=now + self._lasts)
        return None if lease is None else Taken(lease, wake)

    async def _served(self, session_id: str, until: datetime | None, leave: asyncio.Event) -> bool:
        taken = await write(self._database, self._taken, session_id)
        if taken is None:
            return False
        keeper = Keeper(self._database.url, taken.lease, clock=self._clock, lasts=self._lasts, every=self._renewed)
        keeper.start()
        try:
            left = await self._gone_on(taken, until, (leave, keeper.lost))
        finally:
            await keeper.stop()
            await write(self._database, leases.release, taken.lease)  # nothing, where it is somebody else's by now
        if left and not (leave.is_set() or keeper.lost.is_set()):
            self._send(session_id)
        return True

    async def _gone_on(self, taken: Taken, until: datetime | None, ends: Iterable[asyncio.Event]) -> bool:
        """Whether the session has been left while it was wanted."""
        wake: Wake | None = taken.wake
        while wake is not None:
            if not await self._advanced(taken.lease.session_id, until, ends):
                return True
            wake = await write(self._database, self._finished, taken.lease, wake)
        return False

    async def _advanced(self, session_id: str, until: datetime | None, ends: Iterable[asyncio.Event]) -> bool:
        """Whether the advance has come to its end, and was not left."""
        if self._advance is None:
            raise Bug("a session is served by an engine that has not been started")
        self._advanced_here.add(session_id)
        advancing = asyncio.ensure_future(self._advance(session_id))
        leaving: list[asyncio.Future[Any]] = [asyncio.ensure_future(end.wait()) for end in ends]
        if until is not None:
            leaving.append(asyncio.ensure_future(self._clock.sleep_until(until)))
        await asyncio.wait({advancing, *leaving}, return_when=asyncio.FIRST_COMPLETED)
        ended = advancing.done()
        for task in (advancing, *leaving):
            task.cancel()
        await asyncio.wait({advancing, *leaving})
        self._advanced_here.discard(session_id)
        if ended:
            await advancing
        elif not advancing.cancelled() and (error := advancing.exception()) is not None:
            logger.warning("session %r failed while it was left: %r", session_id, error)
        return ended

    async def _finished(self, connection: AsyncConnection, lease: Lease, wake: Wake) -> Wake | None:
        """Take the served wake-up away, and give the lease back unless there is another one; `None` where nothing is left to do here."""
        now = self._clock.now()
        if not await leases.renew(connection, lease, until=now + self._lasts):
            logger.warning("the lease of session %r is somebody else's by now, who goes on with it", lease.session_id)
            return None
        await wakes.served(connection, wake)  # from here on nobody can want the session before this is committed
        more = next(iter(await wakes.due(connection, at=now, session_id=lease.session_id)), None)
        if more is None:
            await leases.release(connection, lease)
        return more

    def _woken(self, session_id: str) -> None:
        """An advance that goes on here is followed by another one; in any other case somebody has to be invoked."""
        if session_id not in self._advanced_here:
            self._send(session_id)
        elif self._nudge is not None:
            self._nudge(session_id)

    def _send(self, session_id: str) -> None:
        task = asyncio.create_task(self._sent(session_id), name=f"invocation for {session_id}")
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)

    async def _sent(self, session_id: str) -> None:
        try:
            await self._invoke(session_id)
        except RemoteError as error:
            logger.warning("nobody could be invoked for session %r (%s); the sweep finds it", session_id, error)


async def _want_untouched(connection: AsyncConnection, now: datetime) -> None:
    held = await leases.held(connection, at=now)
    for session_id in await jobs.untouched(connection, since=now - GRACE):
        if session_id not in held:
            await wakes.want(connection, session_id, at=now)
