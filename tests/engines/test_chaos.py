"""The chaos benchmark, small: a worker process is killed with `kill -9` while sessions write in order, and nothing is wrong afterwards.

The number of kills stays below the take-overs that a run survives, so that no machine is too slow for it.
"""

from pathlib import Path

import pytest
from sqlalchemy import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from benchmarks.chaos.killing import Figures, Plan, chaos, counted
from benchmarks.chaos.office import BOOKED, UNKNOWN, ledger
from handrail.stores import jobs, sessions
from handrail.stores.database import make_engine
from handrail.stores.jobs import NewJob
from handrail.stores.migrating import migrate
from handrail.stores.transactions import read, write
from tests.stores.kit import AT


@pytest.mark.slow
async def test_case_42_workers_that_are_killed_lose_nothing_and_do_nothing_twice(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'chaos.db'}"
    database = make_engine(url)
    try:
        await migrate(database)
        plan = Plan(store="sqlite", sessions=4, messages=3, workers=1, kill_every=0.5, most_kills=4, pace=0.2)
        figures = await chaos(plan, database, url, tmp_path)
    finally:
        await database.dispose()
    assert (figures.jobs, figures.ended) == (12, 12)
    assert (figures.lost, figures.doubled, figures.out_of_order) == (0, 0, 0)


async def test_the_count_finds_what_is_lost_doubled_and_out_of_order(tmp_path: Path) -> None:
    answers = {
        "s0 0": ("COMPLETE", BOOKED),
        "s0 1": ("COMPLETE", BOOKED),  # its entry is missing
        "s1 0": ("COMPLETE", BOOKED),
        "s1 1": ("COMPLETE", BOOKED),  # its entry is there twice, and before that of the message before
        "s2 0": ("COMPLETE", UNKNOWN),
        "s2 1": ("ERROR", "no"),
        "s3 0": ("RUNNING", None),
    }
    entries = [("s0", 0), ("s1", 1), ("s1", 1), ("s1", 0)]
    plan = Plan(store="sqlite", sessions=4, messages=2, workers=1, kill_every=1)

    async def fill(connection: AsyncConnection) -> None:
        for asked, (status, response) in answers.items():
            job_id, session = f"job_{asked}", asked.split()[0]
            await sessions.joined(connection, session, user_id="chaos", app="chaos", at=AT)
            new = NewJob(job_id=job_id, session_id=session, user_id="chaos", app="chaos", message=asked)
            await jobs.add(connection, new, at=AT)
            await jobs.keep(connection, job_id, at=AT, status=status, response=response)
        for session, message in entries:
            await connection.execute(insert(ledger).values(session_id=session, message=message))

    database = make_engine(f"sqlite:///{tmp_path / 'chaos.db'}")
    try:
        await migrate(database)
        async with database.begin() as connection:
            await connection.run_sync(ledger.metadata.create_all)
        await write(database, fill)
        figures = await read(database, counted, plan, 9)
    finally:
        await database.dispose()
    assert figures == Figures(jobs=8, ended=6, lost=4, doubled=1, out_of_order=1, kills=9, unknown=1)
    assert not figures.clean
