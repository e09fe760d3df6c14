"""The embedded engine keeps the promises of every engine, and some of its own: one process a file, and no work for nothing."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from datetime import timedelta
from pathlib import Path
from typing import Self

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from handrail.core.agent import Agent
from handrail.drivers.clock import SystemClock
from handrail.drivers.worker import Served, Worker
from handrail.engines.embedded import AGAIN, LOOKS, SWEEP, EmbeddedEngine
from handrail.errors import InputError
from handrail.guards import Approval
from handrail.ports import Model
from handrail.service.desk import Asked, Desk
from handrail.stores import wakes
from handrail.stores.database import make_engine
from handrail.stores.jobs import JobStatus
from handrail.stores.migrating import migrate
from handrail.stores.transactions import read, write
from handrail.testing import ManualClock, ScriptedModel, calls, says
from handrail.testing.engines import ENGINE_CHECKS, PATIENCE, EngineCheck, Gate, Ground, Record
from tests.drivers.kit import Desk as Counter
from tests.drivers.kit import agent, pay, told
from tests.engines.ground import ground
from tests.stores.kit import added


@pytest.mark.parametrize("check", ENGINE_CHECKS, ids=lambda check: getattr(check, "__name__", ""))
@pytest.mark.slow
async def test_the_embedded_engine_keeps_the_promises(check: EngineCheck, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL)

    def embedded(database: AsyncEngine) -> EmbeddedEngine:
        return EmbeddedEngine(database, clock=SystemClock(), lock=tmp_path / "lock")

    def make() -> AbstractAsyncContextManager[Ground]:
        return ground(f"sqlite:///{tmp_path / 'handrail.db'}", embedded)

    await check(make)


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[AsyncEngine]:
    engine = make_engine(f"sqlite:///{tmp_path / 'handrail.db'}")
    await migrate(engine)
    yield engine
    await engine.dispose()


async def nothing_is_due(database: AsyncEngine, clock: ManualClock) -> None:
    async with asyncio.timeout(PATIENCE):
        while await read(database, wakes.due, at=clock.now()):
            pass  # the read lets the engine work on


async def looked(database: AsyncEngine, engine: EmbeddedEngine, record: Record) -> None:
    """The engine has looked at what is due since: it has found this."""
    await added(database, session_id="somebody else")
    await write(database, engine.wake, "somebody else")
    await record.until(lambda: "somebody else" in record.ended, "the advance of somebody else")


async def test_only_one_process_advances_sessions_on_a_file(database: AsyncEngine, tmp_path: Path) -> None:
    first, second = (EmbeddedEngine(database, clock=ManualClock(), lock=tmp_path / "lock") for _ in range(2))
    await first.start(Record())
    with pytest.raises(InputError, match="another process serves this database"):
        await second.start(Record())
    await first.stop()
    await second.start(Record())
    await second.stop()


async def test_who_cannot_start_lets_the_file_go(database: AsyncEngine, tmp_path: Path) -> None:
    async def damage(connection: AsyncConnection) -> None:
        await connection.execute(text("ALTER TABLE agent_jobs RENAME TO hidden"))

    await write(database, damage)
    first, second = (EmbeddedEngine(database, clock=ManualClock(), lock=tmp_path / "lock") for _ in range(2))
    for engine in (first, second):
        with pytest.raises(Exception, match="agent_jobs"):
            await engine.start(Record())


async def test_an_advance_that_went_well_is_not_repeated_and_leaves_nothing_due(database: AsyncEngine) -> None:
    clock, record = ManualClock(), Record()
    engine = EmbeddedEngine(database, clock=clock)
    await added(database, session_id="s", at=clock.now())
    await engine.start(record)
    await write(database, engine.wake, "s")
    await nothing_is_due(database, clock)
    await looked(database, engine, record)
    await engine.stop()
    assert record.begun == ["s", "somebody else"]


async def test_a_session_that_sets_its_own_timer_is_left_alone_until_then(database: AsyncEngine) -> None:
    clock = ManualClock()
    at = clock.now() + timedelta(seconds=7)

    async def act(session_id: str) -> None:
        if clock.now() < at:
            await write(database, engine.wake, "s", at)

    engine, record = EmbeddedEngine(database, clock=clock), Record(act)
    await added(database, session_id="s", at=clock.now())
    await engine.start(record)
    await write(database, engine.wake, "s")
    await record.until(lambda: record.ended == ["s"], "the advance")
    await nothing_is_due(database, clock)
    assert await read(database, wakes.next_due, after=clock.now()) == at
    clock.advance(6.9)
    await looked(database, engine, record)
    assert record.begun == ["s", "somebody else"]
    clock.advance(0.1)
    await record.until(lambda: record.ended.count("s") == 2, "the advance at its time")
    await nothing_is_due(database, clock)
    await engine.stop()
    assert await read(database, wakes.next_due, after=at - timedelta(days=1)) is None


async def test_whoever_is_being_advanced_is_nudged(database: AsyncEngine) -> None:
    gate, nudged = Gate("s"), asyncio.Event()
    engine, record = EmbeddedEngine(database, clock=ManualClock()), Record(gate)
    await added(database, session_id="s")
    await engine.start(record, nudge=lambda session_id: nudged.set())
    await write(database, engine.wake, "s")
    await record.until(lambda: record.active == ["s"], "the advance")
    nudged.clear()
    await write(database, engine.wake, "s")
    await nudged.wait()
    gate.open.set()
    await record.until(lambda: record.ended.count("s") == 2, "one more advance")
    await engine.stop()


async def test_what_fails_is_tried_again_ever_later(database: AsyncEngine, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL)
    clock = ManualClock()
    times: list[float] = []
    start = clock.now()

    async def act(session_id: str) -> None:
        times.append((clock.now() - start).total_seconds())
        raise RuntimeError("no")

    engine, record = EmbeddedEngine(database, clock=clock), Record(act)
    await added(database, session_id="s", at=start)
    await engine.start(record)
    await write(database, engine.wake, "s")
    for tries in range(1, 4):
        await record.until(lambda tries=tries: len(times) == tries and not record.active, "a try")  # type: ignore[misc]  # bound at once
        await clock.until_waiting()
        clock.advance(AGAIN.total_seconds() * 2 ** (tries - 1))
    await record.until(lambda: len(times) == 4, "a try")
    await engine.stop()
    assert times == [0.0, 1.0, 3.0, 7.0]


async def test_what_a_command_line_has_written_beside_it_is_found(database: AsyncEngine) -> None:
    clock, record = ManualClock(), Record()
    engine = EmbeddedEngine(database, clock=clock)
    await added(database, session_id="s")
    await engine.start(record)
    await clock.until_waiting()
    await write(database, wakes.want, "s", at=clock.now())
    clock.advance(LOOKS.total_seconds())
    await record.until(lambda: record.ended == ["s"], "the advance")
    await engine.stop()


async def test_a_sweep_comes_by_itself(database: AsyncEngine) -> None:
    clock, record = ManualClock(), Record()
    engine = EmbeddedEngine(database, clock=clock)
    await engine.start(record)
    await added(database, "job_1", session_id="s", at=clock.now())
    for _ in range(int(SWEEP / LOOKS)):
        await clock.until_waiting()
        clock.advance(LOOKS.total_seconds())
    await record.until(lambda: "s" in record.ended, "the advance")
    await engine.stop()


async def test_wake_ups_that_cannot_be_read_are_read_again(database: AsyncEngine, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL)

    async def renamed(connection: AsyncConnection, before: str, after: str) -> None:
        await connection.execute(text(f"ALTER TABLE {before} RENAME TO {after}"))

    clock, record = ManualClock(), Record()
    engine = EmbeddedEngine(database, clock=clock)
    await added(database, session_id="s")
    await write(database, wakes.want, "s", at=clock.now())
    await write(database, renamed, "session_wakes", "hidden")
    await engine.start(record)
    await clock.until_waiting()
    await write(database, renamed, "hidden", "session_wakes")
    clock.advance(AGAIN.total_seconds())
    await record.until(lambda: record.ended == ["s"], "the advance")
    await engine.stop()


class Service:
    """Everything together: a desk, an engine and a worker."""

    def __init__(self, database: AsyncEngine, clock: ManualClock, served: Agent, model: Model, deps: object = None) -> None:
        self.engine = EmbeddedEngine(database, clock=clock)
        self.worker = Worker(
            engine=database,
            served={"mini": Served(agent=served, model=model, deps=deps)},
            wake=self.engine.wake,
            clock=clock,
            on_event=self.saw,
        )
        self.desk = Desk(database, self.engine, apps=("mini",), clock=clock)
        self.news = asyncio.Event()

    def saw(self, event: object, state: object) -> None:
        self.news.set()

    async def __aenter__(self) -> Self:
        await self.engine.start(self.worker.advance, nudge=self.worker.nudge)
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.engine.stop()

    async def until(self, job_id: str, status: JobStatus) -> str | None:
        while (job := await self.desk.job("ada", job_id)).status is not status:
            self.news.clear()
            if (await self.desk.job("ada", job_id)).status is not status:
                async with asyncio.timeout(PATIENCE):
                    await self.news.wait()
        return job.response


async def test_case_38_two_messages_at_the_same_moment_are_two_turns_one_after_the_other(database: AsyncEngine) -> None:
    counter = Counter()
    replies = [reply for name in ("one", "two") for reply in (calls(("pay", {"to": name, "n": 5})), says(f"paid {name}"))]
    with ScriptedModel(*replies) as model:
        async with Service(database, ManualClock(), agent(pay), model, counter) as service:
            asked = await asyncio.gather(
                *(service.desk.invoke(Asked(user_id="ada", session_id="s", app="mini", message=f"message {number}")) for number in (1, 2))
            )
            for job in asked:
                await service.until(job.job_id, JobStatus.COMPLETE)
    first, second = sorted(asked, key=lambda job: job.place)
    assert counter.paid == ["one 5", "two 5"]
    assert told(model.requests[-1].messages)[:5] == [
        f"user: {first.message}",
        'assistant: pay({"to":"one","n":5})',
        "tool: t1c1 paid 5 to one",
        "assistant: paid one",
        f"user: {second.message}",
    ]


async def test_a_run_waits_for_a_person_and_goes_on_at_their_yes(database: AsyncEngine) -> None:
    counter = Counter()
    with ScriptedModel(calls(("pay", {"to": "bob", "n": 5})), says("paid")) as model:
        async with Service(database, ManualClock(), agent(pay, guards=[Approval("pay")]), model, counter) as service:
            job = await service.desk.invoke(Asked(user_id="ada", session_id="s", app="mini", message="pay bob"))
            await service.until(job.job_id, JobStatus.INPUT_REQUIRED)
            (approval,) = await service.desk.approvals("ada")
            await service.desk.decide("ada", approval.approval_id, approve=True, by="ada")
            assert await service.until(job.job_id, JobStatus.COMPLETE) == "paid"
    assert counter.paid == ["bob 5"]
