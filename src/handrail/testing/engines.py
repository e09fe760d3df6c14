"""What every engine must do, as checks that are given only a way to make one: for ours, and for one of your own.

    @pytest.mark.parametrize("check", ENGINE_CHECKS, ids=lambda check: check.__name__)
    async def test_my_engine_keeps_its_promises(check: EngineCheck) -> None:
        await check(my_ground)

- `my_ground()` is an async context manager that gives a `Ground`: a database of its own, and engines over it.
- A check waits for what is to happen, for as long as it takes (`PATIENCE` at most), and measures nothing.
- `TOGETHER_CHECKS` are for engines of which several may be started over one database.
- A check that does not hold raises `AssertionError`.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from datetime import datetime, timedelta
from typing import Any, Protocol

PATIENCE = 180.0
"""Seconds after which something that does not happen counts as not happening."""
SOON = timedelta(seconds=1)
MUCH_LATER = timedelta(days=1)

Advance = Callable[[str], Awaitable[None]]


class Engine(Protocol):
    """What a check does with an engine; see `handrail.engines.contract`."""

    async def start(self, advance: Advance) -> None:
        """Begin to advance sessions."""
        ...

    async def recover(self) -> int:
        """Wake what is runnable and was woken by nobody."""
        ...

    async def stop(self) -> None:
        """Stop, and leave everything resumable."""
        ...


class Ground(Protocol):
    """A database, and what a check does to it from outside. A session is made known where it is named first."""

    def engine(self) -> Engine:
        """Another engine over the database, that has not been started."""
        ...

    async def wake(self, engine: Any, *session_ids: str, at: datetime | None = None, give_up: bool = False) -> None:
        """Have the engine (one of `engine()`) wake sessions, in one transaction that is committed, or given up."""
        ...

    async def forget(self, session_id: str) -> None:
        """Put a job that has been pending for long into the session, and wake nobody."""
        ...

    def now(self) -> datetime:
        """The time that the engines go by."""
        ...


MakeGround = Callable[[], AbstractAsyncContextManager[Ground]]
EngineCheck = Callable[[MakeGround], Awaitable[None]]


class Record:
    """An `advance` that writes down what is done with it, and does what the check wants.

    Attributes:
        begun: the sessions that were advanced, in order.
        ended: those whose advance has returned.
        active: those that are being advanced.
        twice: those that were advanced while they were being advanced.
        stopped: those whose advance was cancelled.
    """

    def __init__(self, act: Advance | None = None) -> None:
        """Nothing has happened."""
        self.begun: list[str] = []
        self.ended: list[str] = []
        self.active: list[str] = []
        self.twice: list[str] = []
        self.stopped: list[str] = []
        self._act = act
        self._news = asyncio.Event()

    async def __call__(self, session_id: str) -> None:
        """Advance."""
        if session_id in self.active:
            self.twice.append(session_id)
        self.begun.append(session_id)
        self.active.append(session_id)
        self._news.set()
        try:
            if self._act is not None:
                await self._act(session_id)
            self.ended.append(session_id)
        except asyncio.CancelledError:
            self.stopped.append(session_id)
            raise
        finally:
            self.active.remove(session_id)
            self._news.set()

    async def until(self, holds: Callable[[], bool], what: str) -> None:
        """Wait until something holds.

        Raises:
            AssertionError: it never did.
        """
        try:
            async with asyncio.timeout(PATIENCE):
                while not holds():
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            raise AssertionError(f"{what} did not happen; advanced were {self.begun!r}, done is {self.ended!r}") from None


class Gate:
    """An act that waits until it is opened, for the sessions that it is for."""

    def __init__(self, *sessions: str) -> None:
        """Closed."""
        self.sessions = sessions
        self.open = asyncio.Event()

    async def __call__(self, session_id: str) -> None:
        """Wait."""
        if session_id in self.sessions:
            await self.open.wait()


async def a_wake_up_is_delivered(make: MakeGround) -> None:
    """To an engine that has been started, and to one that is started afterwards."""
    async with make() as ground:
        engine, record = ground.engine(), Record()
        await ground.wake(engine, "before")
        await engine.start(record)
        await record.until(lambda: "before" in record.ended, "an advance that was wanted before the start")
        await ground.wake(engine, "after", "beside")
        await record.until(lambda: {"after", "beside"} <= set(record.ended), "an advance that was wanted after the start")
        await engine.stop()


async def a_wake_up_goes_with_its_transaction(make: MakeGround) -> None:
    """No wake-up without its message."""
    async with make() as ground:
        engine, record = ground.engine(), Record()
        await engine.start(record)
        await ground.wake(engine, "given up", give_up=True)
        await ground.wake(engine, "kept")
        await record.until(lambda: "kept" in record.ended, "the advance of what was committed")
        _holds("given up" not in record.begun, "a wake-up of a transaction that was given up was delivered")
        await engine.stop()


async def a_session_is_advanced_one_at_a_time_and_no_wake_up_is_lost(make: MakeGround) -> None:
    """What comes while a session is advanced brings it up once more, afterwards."""
    async with make() as ground:
        gate = Gate("s")
        engine, record = ground.engine(), Record(gate)
        await engine.start(record)
        await ground.wake(engine, "s")
        await record.until(lambda: "s" in record.active, "the first advance")
        for _ in range(3):
            await ground.wake(engine, "s")
        await ground.wake(engine, "other")
        await record.until(lambda: "other" in record.ended, "the advance of another session meanwhile")
        _holds(record.begun.count("s") == 1, "a session was advanced while it was being advanced")
        gate.open.set()
        await record.until(lambda: record.ended.count("s") >= 2, "one more advance for what came meanwhile")
        _holds(not record.twice, "a session was advanced while it was being advanced")
        await engine.stop()


async def sessions_are_advanced_side_by_side(make: MakeGround) -> None:
    """None waits for another one's model."""
    async with make() as ground:
        names = ("a", "b", "c")
        gate = Gate(*names)
        engine, record = ground.engine(), Record(gate)
        await engine.start(record)
        await ground.wake(engine, *names)
        await record.until(lambda: set(record.active) == set(names), "three advances at the same time")
        gate.open.set()
        await record.until(lambda: set(record.ended) == set(names), "the end of all three")
        await engine.stop()


async def what_has_failed_is_tried_again(make: MakeGround) -> None:
    """And holds no other session up meanwhile."""
    async with make() as ground:

        async def act(session_id: str) -> None:
            if session_id == "s" and record.begun.count("s") <= 2:
                raise RuntimeError("not this time")

        engine, record = ground.engine(), Record(act)
        await engine.start(record)
        await ground.wake(engine, "s")
        await record.until(lambda: "s" in record.begun, "the first try")
        await ground.wake(engine, "other")
        await record.until(lambda: "other" in record.ended, "the advance of another session")
        await record.until(lambda: "s" in record.ended, "a try that succeeds")
        await engine.stop()


async def a_time_is_kept(make: MakeGround) -> None:
    """A wake-up for later comes then, and not before; one for now does not wait for it."""
    async with make() as ground:
        early: list[str] = []

        async def act(session_id: str) -> None:
            if session_id == "later" and ground.now() < at:
                early.append(session_id)

        engine, record = ground.engine(), Record(act)
        await engine.start(record)
        await ground.wake(engine, "s", at=ground.now() + MUCH_LATER)
        at = ground.now() + SOON
        await ground.wake(engine, "later", at=at)
        await ground.wake(engine, "s")
        await record.until(lambda: "s" in record.ended, "an advance for now of a session that is to be advanced later too")
        await record.until(lambda: "later" in record.ended, "the advance for later")
        _holds(not early, "a wake-up for later came before its time")
        await engine.stop()


async def a_time_outlives_the_engine(make: MakeGround) -> None:
    """Whoever is started next keeps it."""
    async with make() as ground:
        first, record = ground.engine(), Record()
        await first.start(record)
        await ground.wake(first, "s", at=ground.now() + SOON)
        await first.stop()
        second = ground.engine()
        await second.start(record)
        await record.until(lambda: "s" in record.ended, "the advance for later")
        await second.stop()


async def what_is_stopped_is_gone_on_with(make: MakeGround) -> None:
    """By the next engine, and not by the one that was stopped."""
    async with make() as ground:
        gate = Gate("s")
        first, record = ground.engine(), Record(gate)
        await first.start(record)
        await ground.wake(first, "s")
        await record.until(lambda: "s" in record.active, "the first advance")
        await first.stop()
        _holds(record.stopped == ["s"] and not record.active, "what was running when the engine stopped goes on")
        second, again = ground.engine(), Record()
        await second.start(again)
        await again.until(lambda: "s" in again.ended, "the advance by the next engine")
        await second.stop()


async def what_nobody_woke_is_found(make: MakeGround) -> None:
    """A sweep wakes sessions whose jobs are runnable and were woken by nobody."""
    async with make() as ground:
        engine, record = ground.engine(), Record()
        await engine.start(record)
        await ground.forget("s")
        _holds(await engine.recover() >= 1, "a sweep did not count what it found")
        await record.until(lambda: "s" in record.ended, "the advance of what nobody woke")
        await engine.stop()


async def of_several_engines_one_advances_a_session(make: MakeGround) -> None:
    """However many there are."""
    async with make() as ground:
        gate = Gate("s")
        engines, record = [ground.engine() for _ in range(3)], Record(gate)
        for engine in engines:
            await engine.start(record)
        for engine in engines:
            await ground.wake(engine, "s")
        await record.until(lambda: "s" in record.active, "the first advance")
        for number, engine in enumerate(engines):
            await ground.wake(engine, "s", f"other {number}")
        others = {f"other {number}" for number in range(len(engines))}
        await record.until(lambda: others <= set(record.ended), "the advance of the others meanwhile")
        gate.open.set()
        await record.until(lambda: record.ended.count("s") >= 2, "one more advance for what came meanwhile")
        _holds(not record.twice, "a session was advanced by two engines at once")
        for engine in engines:
            await engine.stop()


ENGINE_CHECKS: tuple[EngineCheck, ...] = (
    a_wake_up_is_delivered,
    a_wake_up_goes_with_its_transaction,
    a_session_is_advanced_one_at_a_time_and_no_wake_up_is_lost,
    sessions_are_advanced_side_by_side,
    what_has_failed_is_tried_again,
    a_time_is_kept,
    a_time_outlives_the_engine,
    what_is_stopped_is_gone_on_with,
    what_nobody_woke_is_found,
)
TOGETHER_CHECKS: tuple[EngineCheck, ...] = (of_several_engines_one_advances_a_session,)


def _holds(found: bool, otherwise: str) -> None:
    if not found:
        raise AssertionError(otherwise)
