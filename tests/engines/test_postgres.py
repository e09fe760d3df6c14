"""The engine of several machines keeps the promises of every engine, on a real PostgreSQL, and some of its own."""

import asyncio
import logging
import sys
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from handrail.drivers.clock import SystemClock
from handrail.drivers.worker import Served, Worker
from handrail.engines.postgres import PostgresEngine
from handrail.engines.postgres_queue import put_back_lost
from handrail.engines.postgres_schema import migrate_queue
from handrail.errors import InputError
from handrail.guards import Approval
from handrail.service.desk import Asked, Desk
from handrail.stores.jobs import JobStatus
from handrail.stores.transactions import write
from handrail.testing import ScriptedModel, calls, says
from handrail.testing.engines import ENGINE_CHECKS, PATIENCE, TOGETHER_CHECKS, EngineCheck, Gate, Ground, Record
from tests.drivers.kit import Desk as Counter
from tests.drivers.kit import agent, pay
from tests.engines.ground import StoreGround, ground

pytestmark = pytest.mark.slow
NEVER = timedelta(days=1)
ROOT = Path(__file__).parents[2]


def patient(database: AsyncEngine) -> PostgresEngine:
    """An engine that takes nobody for dead, however slow this machine is, and sweeps only when it is told to."""
    return PostgresEngine(database, clock=SystemClock(), silent=NEVER, sweep=NEVER)


@pytest.fixture
async def here(ready_url: str, caplog: pytest.LogCaptureFixture) -> AsyncIterator[StoreGround]:
    caplog.set_level(logging.CRITICAL)
    async with ground(ready_url, patient) as made:
        yield made


async def taken_for_dead(here: StoreGround) -> int:
    """Whoever holds a wake-up is said to have been silent for too long."""
    return await write(here.database, put_back_lost, own=None, silent=-NEVER)


async def wake_ups(here: StoreGround) -> int:
    async with here.database.connect() as connection:
        found: int = await connection.scalar(text("SELECT count(*) FROM procrastinate_jobs")) or 0
        return found


async def none_is_left(here: StoreGround) -> None:
    async with asyncio.timeout(PATIENCE):
        while await wake_ups(here):
            pass  # the question lets the engine work on


@pytest.mark.parametrize("check", ENGINE_CHECKS + TOGETHER_CHECKS, ids=lambda check: getattr(check, "__name__", ""))
async def test_the_engine_of_several_machines_keeps_the_promises(
    check: EngineCheck, ready_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL)

    def make() -> AbstractAsyncContextManager[Ground]:
        return ground(ready_url, patient)

    await check(make)


async def test_the_sessions_of_a_worker_that_was_killed_are_taken_over(here: StoreGround, ready_url: str) -> None:
    await here.wake(here.engine(), "s")
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.engines.dying", ready_url, cwd=ROOT, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    async with asyncio.timeout(PATIENCE):
        assert await process.stdout.readline() == b"s\n"
        process.kill()
        await process.wait()
    engine, record = PostgresEngine(here.database, clock=SystemClock()), Record()
    await engine.start(record)
    await record.until(lambda: "s" in record.ended, "the take-over")
    await engine.stop()
    assert await wake_ups(here) == 0


async def test_a_wake_up_that_finds_one_waiting_is_seen_by_it(here: StoreGround) -> None:
    engine, record = here.engine(), Record()
    await here.wake(engine, "s")
    async with here.database.connect() as connection:
        await engine.wake(connection, "s")
        await engine.start(record)
        await here.wake(engine, "other")
        await record.until(lambda: "other" in record.ended, "the advance of another session")
        assert "s" not in record.begun, "it would have read what is not committed yet"
        await connection.commit()
    await record.until(lambda: "s" in record.ended, "the advance")
    await engine.stop()
    assert record.begun == ["other", "s"]


async def test_a_worker_that_was_taken_for_dead_ends_nothing_of_whoever_took_over(here: StoreGround) -> None:
    gates = [Gate("s"), Gate("s"), Gate()]

    async def act(session_id: str) -> None:
        await gates[record.begun.count("s") - 1](session_id)

    record = Record(act)
    first = PostgresEngine(here.database, clock=SystemClock(), silent=NEVER, sweep=NEVER, most_at_once=1)
    second = here.engine()
    await first.start(record)
    await here.wake(first, "s")
    await record.until(lambda: record.active == ["s"], "the first advance")
    assert await taken_for_dead(here) == 1
    await second.start(record)
    await record.until(lambda: record.active == ["s", "s"], "the take-over")
    await here.wake(second, "s")
    gates[0].open.set()
    await record.until(lambda: record.ended == ["s"], "the end of the one that was taken for dead")
    await first.stop()
    await here.wake(second, "other")
    await record.until(lambda: "other" in record.ended, "the advance of another session")
    assert record.begun.count("s") == 2, "the session is still being advanced by the second"
    gates[1].open.set()
    await record.until(lambda: record.ended.count("s") == 3, "what was woken meanwhile")
    await none_is_left(here)
    await second.stop()


async def test_what_fails_while_its_next_wake_up_waits_holds_nothing_up(here: StoreGround) -> None:
    gate = Gate("s")

    async def act(session_id: str) -> None:
        await gate(session_id)
        if record.begun.count("s") == 1:
            raise RuntimeError("not this time")

    engine, record = here.engine(), Record(act)
    await engine.start(record)
    await here.wake(engine, "s")
    await record.until(lambda: record.active == ["s"], "the first advance")
    await here.wake(engine, "s")
    gate.open.set()
    await record.until(lambda: record.ended == ["s"], "the second advance")
    await engine.stop()
    assert (record.begun, await wake_ups(here)) == (["s", "s"], 0)


async def test_what_a_dead_worker_held_goes_where_a_wake_up_waits_already(here: StoreGround) -> None:
    gate = Gate("s")
    engine, record = here.engine(), Record(gate)
    await engine.start(record)
    await here.wake(engine, "s")
    await record.until(lambda: record.active == ["s"], "the first advance")
    await here.wake(engine, "s")
    assert await wake_ups(here) == 2
    assert await taken_for_dead(here) == 1
    assert await wake_ups(here) == 1
    await record.until(lambda: len(record.active) == 2, "the take-over")
    gate.open.set()
    await record.until(lambda: record.ended == ["s", "s"], "the end of both")
    await engine.stop()
    assert await wake_ups(here) == 0


async def test_whoever_is_being_advanced_is_nudged(here: StoreGround) -> None:
    gate, nudged = Gate("s"), asyncio.Queue[str]()
    engine, record = here.engine(), Record(gate)
    await engine.start(record, nudge=nudged.put_nowait)
    async with asyncio.timeout(PATIENCE):
        await here.wake(engine, "s")
        await record.until(lambda: record.active == ["s"], "the advance")
        while nudged.empty():  # a worker may take its first wake-up before it hears of the next ones
            await here.wake(engine, "s")
    assert nudged.get_nowait() == "s"
    gate.open.set()
    await engine.stop()


class Heard(logging.Handler):
    """Hears what is said about a database that does not answer."""

    def __init__(self) -> None:
        super().__init__()
        self.said = asyncio.Event()

    def emit(self, record: logging.LogRecord) -> None:
        if "the database" in record.getMessage():
            self.said.set()


async def test_a_database_that_goes_away_and_comes_back_ends_nothing(here: StoreGround, postgres_server: str) -> None:
    gate, heard = Gate("s"), Heard()
    logger = logging.getLogger("handrail.engines")
    logger.addHandler(heard)
    logger.setLevel(logging.WARNING)
    name = here.database.url.database
    engine, record = here.engine(), Record(gate)
    await engine.start(record)
    await here.wake(engine, "s")
    await record.until(lambda: record.active == ["s"], "the advance")
    async with await psycopg.AsyncConnection.connect(postgres_server, autocommit=True) as connection:
        await connection.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        await connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name])
        try:
            async with asyncio.timeout(PATIENCE):
                for _ in range(3):
                    await heard.said.wait()
                    heard.said.clear()
        finally:
            await connection.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
            logger.removeHandler(heard)
            logger.setLevel(logging.NOTSET)
    await here.wake(engine, "other")
    await record.until(lambda: "other" in record.ended, "the advance of another session")
    assert record.active == ["s"], "what ran has not been disturbed"
    gate.open.set()
    await here.wake(engine, "s")
    await record.until(lambda: record.ended.count("s") == 2, "one more advance")
    await engine.stop()
    assert (record.begun.count("s"), await wake_ups(here)) == (2, 0)


async def test_a_run_that_waits_for_a_person_holds_nothing_and_goes_on_at_their_yes(here: StoreGround) -> None:
    counter, engine = Counter(), here.engine()
    paying = agent(pay, guards=[Approval("pay", expires=NEVER)])
    with ScriptedModel(calls(("pay", {"to": "bob", "n": 5})), says("paid")) as model:
        served = {"mini": Served(agent=paying, model=model, deps=counter)}
        worker = Worker(engine=here.database, served=served, wake=engine.wake, clock=SystemClock())
        record = Record(worker.advance)
        desk = Desk(here.database, engine, apps=("mini",), clock=SystemClock())
        await engine.start(record, nudge=worker.nudge)
        job = await desk.invoke(Asked(user_id="ada", session_id="s", app="mini", message="pay bob"))
        await record.until(lambda: len(record.ended) == 1, "the advance")
        assert (await desk.job("ada", job.job_id)).status is JobStatus.INPUT_REQUIRED
        await none_is_left(here)  # not for its expiry either
        (approval,) = await desk.approvals("ada")
        await desk.decide("ada", approval.approval_id, approve=True, by="ada")
        await record.until(lambda: len(record.ended) == 2, "the second advance")
        await engine.stop()
    assert ((await desk.job("ada", job.job_id)).response, counter.paid) == ("paid", ["bob 5"])


async def test_an_engine_without_its_tables_says_what_to_do(postgres_url: str) -> None:
    async with ground(postgres_url, patient) as made:
        with pytest.raises(InputError, match="handrail migrate"):
            await made.engine().start(Record())


async def test_the_tables_are_made_once_and_brought_further_by_new_steps(postgres_url: str, tmp_path: Path) -> None:
    async with ground(postgres_url, patient) as made:
        assert await migrate_queue(made.database)
        assert not await migrate_queue(made.database)
        (tmp_path / "00.00.00_01_pre_old.sql").write_text("DROP TABLE procrastinate_jobs")
        (tmp_path / "99.00.00_01_pre_new.sql").write_text(
            "CREATE TABLE procrastinate_new (id int); INSERT INTO procrastinate_new VALUES (1);"
        )
        assert await migrate_queue(made.database, tmp_path)
        assert not await migrate_queue(made.database, tmp_path)
        async with made.database.connect() as connection:
            assert await connection.scalar(text("SELECT count(*) FROM procrastinate_new")) == 1


async def test_tables_that_are_somebody_elses_are_left_alone(postgres_url: str, tmp_path: Path) -> None:
    async with ground(postgres_url, patient) as made:
        await migrate_queue(made.database)
        async with made.database.connect() as connection:
            await connection.execute(text("COMMENT ON TABLE procrastinate_jobs IS NULL"))
            await connection.commit()
        (tmp_path / "99.00.00_01_pre_new.sql").write_text("DROP TABLE procrastinate_jobs")
        assert not await migrate_queue(made.database, tmp_path)
