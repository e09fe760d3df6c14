"""The engine of AWS Lambda keeps the promises of every engine, and some of its own: leases, time limits, and invocations that fail."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from datetime import timedelta
from pathlib import Path
from threading import Thread

import pytest
from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from handrail.drivers.clock import SystemClock
from handrail.engines.aws_lambda.engine import GRACE, LASTS, LambdaEngine
from handrail.engines.aws_lambda.handlers import time_to_work
from handrail.errors import Bug, RemoteError
from handrail.stores import leases, wakes
from handrail.stores.database import make_engine
from handrail.stores.migrating import migrate
from handrail.stores.tables import session_leases
from handrail.stores.transactions import read, write
from handrail.testing import ManualClock
from handrail.testing.engines import ENGINE_CHECKS, TOGETHER_CHECKS, EngineCheck, Gate, Ground, Record
from tests.engines.ground import ground
from tests.engines.lambda_cloud import NEVER, Cloud
from tests.stores.kit import added

OFTEN = timedelta(milliseconds=10)


@pytest.mark.slow
@pytest.mark.parametrize("check", ENGINE_CHECKS + TOGETHER_CHECKS, ids=lambda check: getattr(check, "__name__", ""))
async def test_the_engine_of_lambda_keeps_the_promises(check: EngineCheck, ready_url: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL)

    def make() -> AbstractAsyncContextManager[Ground]:
        return ground(ready_url, Cloud)

    await check(make)


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[AsyncEngine]:
    engine = make_engine(f"sqlite:///{tmp_path / 'handrail.db'}")
    await migrate(engine)
    await added(engine, session_id="s", at=ManualClock().now())
    yield engine
    await engine.dispose()


class Invocations:
    """Takes invocations on, and has nobody serve them; or takes none on."""

    def __init__(self, *, broken: bool = False) -> None:
        self.asked: list[str] = []
        self._broken = broken

    async def __call__(self, session_id: str) -> None:
        self.asked.append(session_id)
        if self._broken:
            raise RemoteError("not today")


async def due(database: AsyncEngine, clock: ManualClock) -> list[str]:
    return [wake.session_id for wake in await read(database, wakes.due, at=clock.now())]


async def test_a_wake_up_is_invoked_for_once_it_is_committed(database: AsyncEngine) -> None:
    clock, invoked = ManualClock(), Invocations()
    engine = LambdaEngine(database, clock=clock, invoke=invoked)

    async def act(connection: AsyncConnection) -> None:
        await engine.wake(connection, "s")
        await engine.told()
        assert invoked.asked == []

    await write(database, act)
    await engine.told()
    assert invoked.asked == ["s"]


async def test_a_wake_up_that_nobody_could_be_invoked_for_is_found_by_the_sweep(
    database: AsyncEngine, caplog: pytest.LogCaptureFixture
) -> None:
    clock, record = ManualClock(), Record()
    broken = LambdaEngine(database, clock=clock, invoke=Invocations(broken=True))
    await write(database, broken.wake, "s")
    await broken.told()
    assert "the sweep finds it" in caplog.text
    invoked = Invocations()
    engine = LambdaEngine(database, clock=clock, invoke=invoked)
    await engine.start(record)
    assert await engine.recover() == 1
    await engine.told()
    assert invoked.asked == ["s"]
    assert await engine.serve("s")
    assert (record.ended, await due(database, clock)) == (["s"], [])


async def test_a_session_that_is_not_wanted_is_not_advanced(database: AsyncEngine) -> None:
    engine, record = LambdaEngine(database, clock=ManualClock(), invoke=Invocations()), Record()
    await engine.start(record)
    assert not await engine.serve("s")
    assert not await engine.serve("a session that nobody knows")
    assert record.begun == []


async def test_a_timer_is_left_to_the_sweep_after_its_time(database: AsyncEngine) -> None:
    clock, invoked, record = ManualClock(), Invocations(), Record()
    engine = LambdaEngine(database, clock=clock, invoke=invoked)
    await engine.start(record)
    await write(database, engine.wake, "s", clock.now() + timedelta(seconds=5))
    assert (await engine.ring(), await engine.serve("s")) == (0, False)
    clock.advance(5)
    assert await engine.ring() == 1
    await engine.told()
    assert (invoked.asked, await engine.serve("s"), record.ended) == (["s"], True, ["s"])


async def test_who_is_served_elsewhere_is_advanced_once_more_there(database: AsyncEngine) -> None:
    clock, gate = ManualClock(), Gate("s")
    first, second = (LambdaEngine(database, clock=clock, invoke=Invocations()) for _ in range(2))
    record = Record(gate)
    for engine in (first, second):
        await engine.start(record)
    await write(database, first.wake, "s")
    serving = asyncio.create_task(first.serve("s"))
    await record.until(lambda: record.active == ["s"], "the advance")
    await write(database, second.wake, "s")
    assert [await engine.serve("s") for engine in (first, second)] == [False, False]
    assert await second.recover() == 0, "it is served already"
    gate.open.set()
    assert await serving
    assert (record.ended, record.twice, await due(database, clock)) == (["s", "s"], [], [])
    assert not await second.serve("s")


async def test_what_is_woken_by_its_own_advance_needs_no_invocation(database: AsyncEngine) -> None:
    clock, invoked, nudged = ManualClock(), Invocations(), list[str]()
    engine = LambdaEngine(database, clock=clock, invoke=invoked)

    async def act(session_id: str) -> None:
        if record.begun == ["s"]:
            await write(database, engine.wake, "s")

    record = Record(act)
    await engine.start(record, nudge=nudged.append)
    await write(database, engine.wake, "s")
    assert await engine.serve("s")
    await engine.told()
    assert (record.ended, nudged, invoked.asked) == (["s", "s"], ["s"], ["s"])


async def test_near_the_end_of_its_time_a_session_is_left_and_invoked_again(database: AsyncEngine) -> None:
    clock, invoked, gate = ManualClock(), Invocations(), Gate("s")
    engine, record = LambdaEngine(database, clock=clock, invoke=invoked), Record(gate)
    await engine.start(record)
    await write(database, engine.wake, "s")
    serving = asyncio.create_task(engine.serve("s", until=clock.now() + timedelta(seconds=840)))
    await record.until(lambda: record.active == ["s"], "the advance")
    await clock.until_waiting()
    clock.advance(840)
    assert await serving
    await engine.told()
    assert (record.stopped, invoked.asked) == (["s"], ["s", "s"])
    gate.open.set()
    assert await engine.serve("s"), "the lease was given back"
    assert (record.ended, await due(database, clock)) == (["s"], [])


async def test_what_fails_stays_wanted_and_is_free_for_the_next(database: AsyncEngine) -> None:
    async def act(session_id: str) -> None:
        if record.begun == ["s"]:
            raise RuntimeError("not this time")

    clock, record = ManualClock(), Record(act)
    engine = LambdaEngine(database, clock=clock, invoke=Invocations())
    await engine.start(record)
    await write(database, engine.wake, "s")
    with pytest.raises(RuntimeError, match="not this time"):
        await engine.serve("s")
    assert await engine.recover() == 1
    assert await engine.serve("s")
    assert (record.ended, await due(database, clock)) == (["s"], [])
    await engine.stop()


async def test_a_killed_process_holds_its_session_no_longer_than_its_lease(database: AsyncEngine) -> None:
    clock, record = ManualClock(), Record()
    engine = LambdaEngine(database, clock=clock, invoke=Invocations())
    await engine.start(record)
    await write(database, engine.wake, "s")
    killed = await write(database, leases.take, "s", owner="killed", at=clock.now(), until=clock.now() + LASTS)
    assert killed is not None
    assert (await engine.recover(), await engine.serve("s")) == (0, False)
    clock.advance(LASTS.total_seconds())
    assert (await engine.recover(), await engine.serve("s"), record.ended) == (1, True, ["s"])
    await engine.stop()


async def test_a_run_that_nobody_has_touched_and_nobody_serves_is_found(database: AsyncEngine) -> None:
    clock, invoked = ManualClock(), Invocations()
    engine = LambdaEngine(database, clock=clock, invoke=invoked)
    await added(database, "job_1", session_id="s", at=clock.now())
    assert await engine.recover() == 0
    clock.advance(GRACE.total_seconds())
    assert await engine.recover() == 1
    await engine.told()
    assert invoked.asked == ["s"]


async def stolen(connection: AsyncConnection) -> None:
    later = {"owner": "b", "fence": session_leases.c.fence + 1}
    await connection.execute(update(session_leases).values(later))


async def owner(connection: AsyncConnection) -> str | None:
    return await connection.scalar(select(session_leases.c.owner))


@pytest.mark.parametrize("renewed", [OFTEN, NEVER], ids=["while it is advanced", "at its end"])
async def test_case_40_whoever_has_lost_the_lease_ends_nothing_of_whoever_took_over(
    renewed: timedelta, database: AsyncEngine, caplog: pytest.LogCaptureFixture
) -> None:
    clock, invoked, gate = SystemClock(), Invocations(), Gate("s")
    engine, record = LambdaEngine(database, clock=clock, invoke=invoked, lasts=NEVER, renewed=renewed), Record(gate)
    await engine.start(record)
    await write(database, engine.wake, "s")
    serving = asyncio.create_task(engine.serve("s"))
    await record.until(lambda: record.active == ["s"], "the advance")
    await write(database, stolen)
    if renewed == OFTEN:
        await record.until(lambda: record.stopped == ["s"], "the end of the advance that has lost its lease")
    gate.open.set()
    await serving
    await engine.told()
    assert "somebody else's by now" in caplog.text
    assert await read(database, owner) == "b", "the lease stands"
    assert [wake.session_id for wake in await read(database, wakes.due, at=clock.now())] == ["s"], "the wake-up is theirs to take away"
    assert invoked.asked == ["s"], "they go on; nobody else has to"
    await engine.stop()


async def test_case_40_a_lease_is_renewed_while_its_advance_keeps_the_loop_busy(database: AsyncEngine) -> None:
    async def until_of(connection: AsyncConnection) -> object:
        return await connection.scalar(select(session_leases.c.until))

    async def renewed(first: object) -> None:
        other = make_engine(str(database.url))
        while await read(other, until_of) == first:
            pass  # the read lets the thread of the lease work on
        await other.dispose()

    async def act(session_id: str) -> None:
        first = await read(database, until_of)
        watching = Thread(target=lambda: asyncio.run(renewed(first)))
        watching.start()
        watching.join()  # the loop stands still meanwhile

    engine, record = LambdaEngine(database, clock=SystemClock(), invoke=Invocations(), renewed=OFTEN), Record(act)
    await engine.start(record)
    await write(database, engine.wake, "s")
    assert await engine.serve("s")
    assert record.ended == ["s"]


async def test_an_engine_that_was_not_started_serves_nothing(database: AsyncEngine) -> None:
    engine = LambdaEngine(database, clock=ManualClock(), invoke=Invocations())
    await write(database, engine.wake, "s")
    with pytest.raises(Bug, match="has not been started"):
        await engine.serve("s")
    await engine.stop()


@pytest.mark.parametrize(("milliseconds", "seconds"), [(900_000, 840.0), (240_000, 180.0), (20_000, 15.0), (0, 0.0)])
def test_an_invocation_keeps_a_minute_or_a_quarter_of_its_time_for_leaving(milliseconds: int, seconds: float) -> None:
    assert time_to_work(milliseconds) == timedelta(seconds=seconds)
