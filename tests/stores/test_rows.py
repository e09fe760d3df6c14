"""Sessions, jobs, mailboxes and approvals: whose they are, in which order they come, and what happens once."""

import asyncio

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from handrail.errors import StoredDataError
from handrail.stores import approvals, jobs, mailbox, sessions
from handrail.stores.approvals import ApprovalStatus
from handrail.stores.database import make_engine
from handrail.stores.jobs import Job, JobStatus
from handrail.stores.mailbox import MessageKind
from handrail.stores.sessions import Remembered
from handrail.stores.transactions import read, write
from handrail.vocab.calls import ProposedCall
from handrail.vocab.facts import Fact
from handrail.vocab.messages import AssistantMessage, ToolMessage, user
from tests.stores.kit import AT, added, after, approval, new_job


async def test_a_session_is_made_once_and_is_its_users_alone(database: AsyncEngine) -> None:
    made = await write(database, sessions.joined, "s", user_id="ada", app="mini", at=AT)
    again = await write(database, sessions.joined, "s", user_id="ada", app="mini", at=after(9))
    assert made == again and made is not None and made.created_at == AT
    assert await write(database, sessions.joined, "s", user_id="eve", app="mini", at=AT) is None
    assert await write(database, sessions.joined, "s", user_id="ada", app="other", at=AT) is None
    assert await read(database, sessions.owned, "s", user_id="ada") == made
    assert await read(database, sessions.owned, "s", user_id="eve") is None
    assert await read(database, sessions.owned, "t", user_id="ada") is None


async def test_sessions_come_most_recent_first(database: AsyncEngine) -> None:
    for number, name in enumerate(("a", "b", "c")):
        await added(database, session_id=name, at=after(number))
    await added(database, session_id="d", user_id="eve")
    await write(database, sessions.keep_history, "a", Remembered((user("hi"),)), at=after(10))
    assert [row.session_id for row in await read(database, sessions.of_user, "ada")] == ["a", "c", "b"]
    assert [row.session_id for row in await read(database, sessions.of_user, "ada", most=1)] == ["a"]


async def test_a_history_comes_back_as_it_was(database: AsyncEngine) -> None:
    await added(database)
    call = ProposedCall(id="t1c1", name="pay", arguments='{"to":"Zoë"}', provider_id="call_9")
    history = (user("Hello \U0001f44b"), AssistantMessage(calls=(call,), extra={"a": [1, None]}), ToolMessage(call="t1c1", content="ok"))
    remembered = Remembered(history, (Fact("budget", {"total": 900}, key="total", confirmed=True, tool="ask"),))
    await write(database, sessions.keep_history, "s", remembered, at=after(1))
    assert await read(database, sessions.history, "s") == remembered
    assert await read(database, sessions.history, "nowhere") == Remembered()


async def test_a_history_that_cannot_be_read_is_said_to_be_so(database: AsyncEngine) -> None:
    await added(database)

    async def damage(connection: AsyncConnection) -> None:
        await connection.execute(text("UPDATE agent_sessions SET history = '[{\"role\": 1}]'"))

    await write(database, damage)
    with pytest.raises(StoredDataError, match="history of session 's'"):
        await read(database, sessions.history, "s")


async def test_jobs_of_a_session_have_their_places_in_order(database: AsyncEngine) -> None:
    made = await added(database, "job_1", "job_2", "job_3")
    assert [job.place for job in made] == [1, 2, 3]
    assert await read(database, jobs.found, "job_2") == made[1]
    for job in made:
        assert await read(database, jobs.current, "s") == job
        await write(database, jobs.keep, job.job_id, at=after(1), status=JobStatus.COMPLETE.value)
    assert await read(database, jobs.current, "s") is None


async def test_case_38_jobs_that_are_added_at_the_same_moment_all_have_a_place(database: AsyncEngine) -> None:
    names = [f"job_{number}" for number in range(8)]
    await asyncio.gather(*(added(database, name) for name in names))
    listed = await read(database, jobs.listed, session_id="s")
    assert sorted(job.place for job in listed) == list(range(1, 9))
    assert {job.job_id for job in listed} == set(names)


async def test_case_71_a_job_of_somebody_else_looks_like_one_that_is_not_there(database: AsyncEngine) -> None:
    (job,) = await added(database, "job_1")
    assert await read(database, jobs.owned, "job_1", user_id="ada") == job
    assert await read(database, jobs.owned, "job_1", user_id="eve") is None
    assert await read(database, jobs.owned, "job_9", user_id="ada") is None
    assert [found.job_id for found in await read(database, jobs.listed, user_id="eve")] == []


async def test_jobs_are_listed_newest_first_by_what_is_asked_for(database: AsyncEngine) -> None:
    await added(database, "job_1", at=after(1))
    await added(database, "job_2", at=after(2))
    await added(database, "job_3", session_id="t", user_id="eve", at=after(3))
    await write(database, jobs.keep, "job_2", at=after(4), status=JobStatus.RUNNING.value, history_tokens=7, outcome={"status": "x"})

    async def names(**asked: object) -> list[str]:
        return [job.job_id for job in await read(database, jobs.listed, **asked)]  # type: ignore[arg-type]  # each of another type

    assert await names() == ["job_3", "job_2", "job_1"]
    assert await names(user_id="ada") == ["job_2", "job_1"]
    assert await names(session_id="t") == ["job_3"]
    assert await names(status=JobStatus.RUNNING) == ["job_2"]
    assert await names(most=1) == ["job_3"]
    kept = await read(database, jobs.found, "job_2")
    assert kept is not None and (kept.history_tokens, kept.outcome, kept.updated_at) == (7, {"status": "x"}, after(4))


async def test_a_sweep_finds_what_is_runnable_and_what_was_spoken_to_and_nothing_else(database: AsyncEngine) -> None:
    status = {"pending": "PENDING", "running": "RUNNING", "waits": "INPUT_REQUIRED", "spoken": "INPUT_REQUIRED", "done": "COMPLETE"}
    for number, (name, value) in enumerate(status.items()):
        await added(database, name, session_id=name)
        await write(database, jobs.keep, name, at=after(-number), status=value)
    await write(database, mailbox.post, "spoken", MessageKind.SAY, {"text": "hi"}, at=AT)
    await write(database, mailbox.post, "done", MessageKind.SAY, {"text": "hi"}, at=AT)
    assert await read(database, jobs.untouched, since=AT) == ["spoken", "running", "pending"]
    assert await read(database, jobs.untouched, since=AT, most=1) == ["spoken"]
    assert await read(database, jobs.untouched, since=after(-1)) == ["running"], "what was said or touched since then is left alone"


async def test_messages_come_in_order_and_are_taken_once(database: AsyncEngine) -> None:
    await added(database, "job_1", "job_2")
    await write(database, mailbox.post, "job_1", MessageKind.SAY, {"text": "one"}, at=AT)
    await write(database, mailbox.post, "job_1", MessageKind.CANCEL, {}, at=after(1))
    await write(database, mailbox.post, "job_2", MessageKind.LAND, {}, at=AT)
    first, second = await read(database, mailbox.waiting, "job_1")
    assert (first.kind, first.body, first.created_at, second.kind) == (MessageKind.SAY, {"text": "one"}, AT, MessageKind.CANCEL)
    assert await read(database, mailbox.holds, "job_1", MessageKind.SAY, MessageKind.LAND)
    assert await write(database, mailbox.take, first.message_id, at=AT) is True
    assert await write(database, mailbox.take, first.message_id, at=AT) is False
    assert await read(database, mailbox.waiting, "job_1") == [second]
    assert not await read(database, mailbox.holds, "job_1", MessageKind.SAY, MessageKind.LAND)


async def test_an_approval_is_written_and_read_by_its_user_alone(database: AsyncEngine) -> None:
    await added(database, "job_1")
    asked = approval(expires_at=after(60))
    await write(database, approvals.add, asked)
    assert await read(database, approvals.owned, "apr_1", user_id="ada") == asked
    assert await read(database, approvals.owned, "apr_1", user_id="eve") is None
    assert await read(database, approvals.of_user, "ada") == [asked]
    assert await read(database, approvals.of_user, "ada", status=ApprovalStatus.APPROVED) == []
    assert await read(database, approvals.of_user, "eve") == []


async def test_case_51_of_many_decisions_at_the_same_moment_one_wins(database: AsyncEngine, url: str) -> None:
    await added(database, "job_1")
    await write(database, approvals.add, approval())
    others = [make_engine(url) for _ in range(3)]
    wanted = [ApprovalStatus.APPROVED, ApprovalStatus.REFUSED, ApprovalStatus.APPROVED, ApprovalStatus.REFUSED]
    try:
        came = await asyncio.gather(
            *(
                write(engine, approvals.decide, "apr_1", status, by=str(number), comment="", at=AT)
                for number, (engine, status) in enumerate(zip([database, *others], wanted, strict=True))
            )
        )
    finally:
        for engine in others:
            await engine.dispose()
    assert came.count(True) == 1
    stored = await read(database, approvals.owned, "apr_1", user_id="ada")
    winner = came.index(True)
    assert stored is not None and (stored.status, stored.decided_by) == (wanted[winner], str(winner))


@pytest.mark.parametrize(("at", "decided"), [(after(59), True), (after(60), False), (after(61), False)])
async def test_case_52_a_decision_counts_before_the_expiry_and_not_at_it(database: AsyncEngine, at: object, decided: bool) -> None:
    await added(database, "job_1")
    await write(database, approvals.add, approval(expires_at=after(60)))
    assert await write(database, approvals.decide, "apr_1", ApprovalStatus.APPROVED, by="ada", comment="", at=at) is decided  # type: ignore[arg-type]  # a time


async def test_an_approval_that_is_closed_stays_closed(database: AsyncEngine) -> None:
    await added(database, "job_1")
    await write(database, approvals.add, approval())
    await write(database, approvals.close, "job_1", "t1c1h1", ApprovalStatus.EXPIRED, at=after(1))
    assert not await write(database, approvals.decide, "apr_1", ApprovalStatus.APPROVED, by="ada", comment="", at=AT)
    await write(database, approvals.close, "job_1", "t1c1h1", ApprovalStatus.WITHDRAWN, at=after(2))
    stored = await read(database, approvals.owned, "apr_1", user_id="ada")
    assert stored is not None and (stored.status, stored.decided_at) == (ApprovalStatus.EXPIRED, after(1))


async def test_whoever_locks_a_job_sees_how_the_last_one_left_it(database: AsyncEngine) -> None:
    await added(database, "job_1")
    order: list[str] = []
    locked, go_on = asyncio.Event(), asyncio.Event()

    async def ends(connection: AsyncConnection) -> None:
        await jobs.keep(connection, "job_1", at=after(1), status=JobStatus.COMPLETE.value)
        locked.set()
        await go_on.wait()
        order.append("ended")

    async def speaks(connection: AsyncConnection) -> Job | None:
        found = await jobs.owned(connection, "job_1", user_id="ada", lock=True)
        order.append("spoke")
        return found

    ending = asyncio.create_task(write(database, ends))
    await locked.wait()
    speaking = asyncio.create_task(write(database, speaks))
    await asyncio.sleep(0)
    go_on.set()
    await ending
    found = await speaking
    assert order == ["ended", "spoke"]
    assert found is not None and found.status is JobStatus.COMPLETE


async def test_case_43_text_that_no_store_can_keep_is_replaced_the_same_everywhere(database: AsyncEngine) -> None:
    unfit, fit = "a\x00b\ud800c", "a\ufffdb\ufffdc"
    literal = "\\u0000 and \\\\u0000"

    async def act(connection: AsyncConnection) -> Job:
        await sessions.joined(connection, "s", user_id="ada", app="mini", at=AT)
        return await jobs.add(connection, new_job("job_1", message=unfit + literal), at=AT)

    made = await write(database, act)
    await write(database, jobs.keep, "job_1", at=AT, response=unfit, outcome={unfit: [unfit, literal]})
    await write(database, mailbox.post, "job_1", MessageKind.SAY, {"text": unfit}, at=AT)
    await write(database, sessions.keep_history, "s", Remembered((user(unfit), user(literal))), at=AT)
    found = await read(database, jobs.found, "job_1")
    assert found is not None and made.message == found.message == fit + literal
    assert (found.response, found.outcome) == (fit, {fit: [fit, literal]})
    assert [message.body for message in await read(database, mailbox.waiting, "job_1")] == [{"text": fit}]
    assert (await read(database, sessions.history, "s")).messages == (user(fit), user(literal))
    length = "length(response)"
    async with database.connect() as connection:
        assert (await connection.execute(text(f"SELECT {length} FROM agent_jobs"))).scalar_one() == len(fit)
