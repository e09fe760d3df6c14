"""Transactions: whole or not at all, patient with others, and never quiet about what was lost (case 45)."""

import asyncio
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from handrail.errors import Bug
from handrail.stores import jobs
from handrail.stores.database import make_engine
from handrail.stores.migrating import migrate
from handrail.stores.transactions import MOST_TRIES, after_commit, read, write
from tests.stores.kit import AT, added, new_job

ROOT = Path(__file__).parents[2]
PROCESSES = 8
PATIENCE = 300.0


async def count(connection: AsyncConnection) -> int:
    return int((await connection.execute(text("SELECT count(*) FROM agent_jobs"))).scalar_one())


async def test_what_is_to_happen_after_the_commit_happens_only_then(database: AsyncEngine) -> None:
    happened: list[int] = []

    async def act(connection: AsyncConnection, *, fail: bool) -> None:
        after_commit(lambda: happened.append(1))
        assert happened == []
        if fail:
            raise RuntimeError

    with pytest.raises(RuntimeError):
        await write(database, act, fail=True)
    assert happened == []
    await write(database, act, fail=False)
    assert happened == [1]


async def test_outside_of_a_transaction_there_is_no_after(database: AsyncEngine) -> None:
    with pytest.raises(Bug, match="belongs into"):
        after_commit(print)


async def test_whoever_only_reads_cannot_write(database: AsyncEngine) -> None:
    await added(database)

    async def act(connection: AsyncConnection) -> None:
        await jobs.add(connection, new_job("job_1"), at=AT)

    with pytest.raises(Bug, match="INSERT INTO agent_jobs"):
        await read(database, act)
    assert await read(database, count) == 0


async def test_a_write_that_was_only_busy_is_tried_again_from_its_beginning(database: AsyncEngine) -> None:
    await added(database)
    tries: list[int] = []

    async def act(connection: AsyncConnection) -> None:
        tries.append(1)
        await jobs.add(connection, new_job(f"job_{len(tries)}"), at=AT)
        if len(tries) < 3:
            raise OperationalError("INSERT", {}, sqlite3.OperationalError("database is locked"))

    await write(database, act)
    assert await read(database, count) == 1
    assert (await read(database, jobs.listed))[0].job_id == "job_3"


async def test_a_write_that_still_fails_is_an_error(database: AsyncEngine) -> None:
    tries: list[int] = []

    async def act(connection: AsyncConnection, what: str) -> None:
        tries.append(1)
        raise OperationalError("INSERT", {}, sqlite3.OperationalError(what))

    with pytest.raises(OperationalError, match="locked"):
        await write(database, act, "database is locked")
    assert len(tries) == MOST_TRIES
    with pytest.raises(OperationalError, match="disk"):
        await write(database, act, "the disk is full")
    assert len(tries) == MOST_TRIES + 1


async def test_a_reader_that_is_held_open_does_not_hold_a_writer_up(database: AsyncEngine) -> None:
    await added(database, "job_1")
    async with database.connect() as reader:
        assert await count(reader) == 1
        await added(database, "job_2")
        await added(database, "job_3")
    assert await read(database, count) == 3


async def test_many_writers_at_once_all_have_their_say(database: AsyncEngine) -> None:
    await asyncio.gather(*(added(database, f"job_{number}", session_id=f"s{number % 4}") for number in range(32)))
    assert await read(database, count) == 32


async def test_a_database_in_memory_is_one_for_everybody() -> None:
    database = make_engine("sqlite://")
    await migrate(database)
    await asyncio.gather(*(added(database, f"job_{number}") for number in range(8)))
    assert await read(database, count) == 8
    await database.dispose()


@pytest.mark.slow
def test_case_45_many_processes_open_a_new_file_at_once_and_write(tmp_path: Path) -> None:
    file = tmp_path / "new.db"
    many = 5
    command = [sys.executable, "-W", "error", "-m", "tests.stores.opening", str(file)]
    processes = [
        subprocess.Popen([*command, f"p{number}", str(many)], cwd=ROOT, stderr=subprocess.PIPE, text=True) for number in range(PROCESSES)
    ]
    ended = [(process.communicate(timeout=PATIENCE)[1], process.returncode) for process in processes]
    assert ended == [("", 0)] * PROCESSES
    with sqlite3.connect(file) as connection:
        assert connection.execute("SELECT count(*) FROM agent_jobs").fetchone() == (PROCESSES * many,)
    connection.close()
