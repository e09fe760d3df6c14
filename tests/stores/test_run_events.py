"""The service's journal keeps the promises of every journal, on both databases."""

from collections.abc import Sequence

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from handrail.core.events import Event, Ticked, UserSaid
from handrail.errors import JournalError
from handrail.stores import jobs, run_events, sessions
from handrail.stores.transactions import read, write
from handrail.testing.journals import JOURNAL_CHECKS, JournalCheck, one_of_each
from tests.stores.kit import AT, added, after, new_job


class JournalOfJobs:
    """A `Journal` whose every run is a job of a session of its own."""

    def __init__(self, database: AsyncEngine) -> None:
        self.database = database

    async def append(self, run_id: str, seq: int, events: Sequence[Event]) -> None:
        await write(self.database, self._append, run_id, seq, events)

    async def read(self, run_id: str) -> tuple[Event, ...]:
        return await read(self.database, run_events.read, run_id)

    async def _append(self, connection: AsyncConnection, run_id: str, seq: int, events: Sequence[Event]) -> None:
        if await sessions.joined(connection, run_id, user_id="ada", app="mini", at=AT) and await jobs.found(connection, run_id) is None:
            await jobs.add(connection, new_job(run_id, session_id=run_id), at=AT)
        await run_events.append(connection, run_id, seq, events)


@pytest.mark.parametrize("check", JOURNAL_CHECKS, ids=lambda check: getattr(check, "__name__", ""))
async def test_the_journal_of_jobs_keeps_the_promises(check: JournalCheck, database: AsyncEngine) -> None:
    await check(lambda: JournalOfJobs(database))


async def test_events_are_read_from_any_number_on(database: AsyncEngine) -> None:
    await added(database, "job_1")
    events = one_of_each("job_1")
    await write(database, run_events.append, "job_1", 0, events)
    assert await read(database, run_events.read, "job_1", after=3) == events[4:]
    assert [number for number, _ in await read(database, run_events.lines, "job_1", after=3, most=2)] == [4, 5]
    assert await read(database, run_events.lines, "job_1", after=len(events) - 1) == []


async def test_an_append_that_is_part_of_a_larger_transaction_goes_with_it(database: AsyncEngine) -> None:
    await added(database, "job_1")

    async def act(connection: AsyncConnection) -> None:
        await run_events.append(connection, "job_1", 0, [Ticked(at=AT)])
        await jobs.keep(connection, "job_1", at=after(1), status="RUNNING")
        raise RuntimeError("on second thoughts")

    with pytest.raises(RuntimeError):
        await write(database, act)
    found = await read(database, jobs.found, "job_1")
    assert found is not None and found.status is jobs.JobStatus.PENDING
    assert await read(database, run_events.length, "job_1") == 0


async def test_a_line_that_somebody_has_damaged_is_said_to_be_so(database: AsyncEngine) -> None:
    await added(database, "job_1")
    await write(database, run_events.append, "job_1", 0, [UserSaid(at=AT, text="hi")])

    async def damage(connection: AsyncConnection) -> None:
        await connection.execute(text("UPDATE run_events SET line = 'oh'"))

    await write(database, damage)
    with pytest.raises(JournalError, match="no line of a journal"):
        await read(database, run_events.read, "job_1")
