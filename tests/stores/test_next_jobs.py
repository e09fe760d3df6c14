"""The next job of a session comes with all that its run goes on from."""

from sqlalchemy.ext.asyncio import AsyncEngine

from handrail.core.events import Ticked
from handrail.stores import jobs, mailbox, run_events, sessions
from handrail.stores.mailbox import MessageKind
from handrail.stores.next_jobs import next_job
from handrail.stores.sessions import Remembered
from handrail.stores.transactions import read, write
from handrail.vocab.messages import user
from tests.stores.kit import AT, added

BEFORE = Remembered((user("hi"),))


async def test_a_session_without_an_open_job_has_no_next_one(database: AsyncEngine) -> None:
    assert await read(database, next_job, "s") is None
    await added(database, "job_1")
    await write(database, jobs.keep, "job_1", at=AT, status="COMPLETE")
    assert await read(database, next_job, "s") is None


async def test_a_job_that_has_not_begun_comes_with_what_its_session_remembers(database: AsyncEngine) -> None:
    first, _ = await added(database, "job_1", "job_2")
    await write(database, sessions.keep_history, "s", BEFORE, at=AT)
    found = await read(database, next_job, "s")
    assert found is not None
    assert (found.job, found.events, found.remembered, found.unread, found.last) == (first, (), BEFORE, False, False)


async def test_a_job_that_has_begun_comes_with_its_journal_whatever_its_row_says(database: AsyncEngine) -> None:
    await added(database, "job_1")
    await write(database, sessions.keep_history, "s", BEFORE, at=AT)
    await write(database, run_events.append, "job_1", 0, [Ticked(at=AT)])
    found = await read(database, next_job, "s")
    assert found is not None
    assert found.job.status is jobs.JobStatus.PENDING
    assert (found.events, found.remembered, found.last) == ((Ticked(at=AT),), Remembered(), True)


async def test_what_was_said_and_not_taken_is_unread(database: AsyncEngine) -> None:
    await added(database, "job_1", "job_2")
    await write(database, mailbox.post, "job_1", MessageKind.CANCEL, {}, at=AT)
    assert await read(database, mailbox.spoken_to, ["job_1", "job_2"]) == ["job_1"]
    found = await read(database, next_job, "s")
    assert found is not None and found.unread
    (message,) = await read(database, mailbox.waiting, "job_1")
    await write(database, mailbox.take, message.message_id, at=AT)
    found = await read(database, next_job, "s")
    assert found is not None and not found.unread
    assert await read(database, mailbox.spoken_to, ["job_1", "job_2"]) == []
