"""The worker: jobs of a session one after the other, parked runs that cost nothing, and what people say in the meantime."""

import asyncio
import logging
from datetime import timedelta

import pytest
from sqlalchemy import update
from sqlalchemy.ext.asyncio import AsyncConnection

from handrail.core.events import Cancelled, RunStarted, TakenOver, UserSaid
from handrail.drivers.mail import LOOKS
from handrail.errors import ServedElsewhere, StaleInput, StaleWriter
from handrail.guards import Approval, TurnLimit
from handrail.stores.approvals import ApprovalStatus
from handrail.stores.jobs import JobStatus
from handrail.stores.mailbox import MessageKind, post
from handrail.stores.tables import jobs
from handrail.stores.transactions import write
from handrail.testing import ScriptedModel, calls, fails, says
from tests.drivers.kit import Desk as Counter
from tests.drivers.kit import Gate, agent, cart, choose, look, names, pay, told
from tests.drivers.office import USER, Office, at_work

PAY = calls(("pay", {"to": "bob", "n": 5}))
APPROVED = Approval("pay", expires=timedelta(hours=1))


async def test_a_job_runs_to_its_end_and_its_row_says_so(office: Office) -> None:
    job = await office.asked("hello")
    assert (job.status, job.place, office.bell.rung) == (JobStatus.PENDING, 1, [("s", None)])
    with ScriptedModel(says("hi there")) as model:
        await office.worker(agent(), model).advance("s")
    ended = await office.job(job)
    assert (ended.status, ended.response, ended.history_tokens) == (JobStatus.COMPLETE, "hi there", 15)
    assert ended.outcome is not None and ended.outcome["output"] == "hi there"
    assert await office.names(job) == ["RunStarted", "TurnOpened", "ModelReplied", "RunFinished"]


async def test_each_way_to_end_has_its_status(office: Office) -> None:
    worker = office.worker(agent(guards=[TurnLimit(1)]), ScriptedModel(fails(), says(None, refusal="I will not"), says("1"), says("2")))
    failed, refused = await office.asked("a"), await office.asked("b")
    await worker.advance("s")
    found = await office.job(failed)
    assert found.status is JobStatus.ERROR and found.response
    found = await office.job(refused)
    assert (found.status, found.response) == (JobStatus.COMPLETE, "I will not")


async def test_the_jobs_of_a_session_run_in_order_and_each_knows_what_was_said_before(office: Office) -> None:
    asked = [await office.asked(text) for text in ("one", "two", "three")]
    with ScriptedModel(says("1"), says("2"), says("3")) as model:
        await office.worker(agent(), model).advance("s")
    assert [await office.status(job) for job in asked] == [JobStatus.COMPLETE] * 3
    assert [job.place for job in asked] == [1, 2, 3]
    last = told(model.requests[2].messages)
    assert last == ["user: one", "assistant: 1", "user: two", "assistant: 2", "user: three"]


async def test_a_session_that_has_nothing_to_do_is_left_at_once(office: Office) -> None:
    worker = office.worker(agent(), ScriptedModel())
    await worker.advance("nowhere")
    job = await office.asked()
    await office.worker(agent(), ScriptedModel(says("ok"))).advance("s")
    await worker.advance("s")
    assert await office.status(job) is JobStatus.COMPLETE


async def test_an_app_that_is_not_served_here_is_left_to_others_which_is_said_once(
    office: Office, caplog: pytest.LogCaptureFixture
) -> None:
    job = await office.asked()
    worker = office.worker(agent(), ScriptedModel())
    worker._served = {}
    for _ in range(2):
        with pytest.raises(ServedElsewhere, match="'mini'"):
            await worker.advance("s")
    assert await office.status(job) is JobStatus.PENDING
    assert [record.getMessage() for record in caplog.records] == [
        f"{job.job_id} belongs to the app 'mini'; served here are []: jobs of that app wait for a worker that serves it"
    ]


async def test_case_57_a_run_that_waits_for_a_yes_is_left_and_goes_on_elsewhere_exactly_once(office: Office) -> None:
    desk = Counter()
    paying = agent(pay, guards=[APPROVED])
    job = await office.asked()
    office.bell.rung.clear()
    await office.worker(paying, ScriptedModel(PAY), desk).advance("s")
    assert await office.status(job) is JobStatus.INPUT_REQUIRED
    assert office.bell.rung == [("s", office.clock.now() + timedelta(hours=1))], "the expiry is the only thing to come back for"
    approval = await office.approval()
    assert (approval.tool, approval.arguments, approval.hold, approval.status) == ("pay", '{"n":5,"to":"bob"}', "t1c1h1", "pending")
    await office.decided(approve=True)
    assert desk.paid == []
    await office.worker(paying, ScriptedModel(says("paid")), desk).advance("s")
    assert (await office.job(job)).response == "paid"
    assert desk.paid == ["bob 5"]
    assert "TakenOver" not in await office.names(job), "a yes from elsewhere is no crash"
    assert await office.unread() == 0


async def test_a_no_goes_to_the_model_with_its_comment(office: Office) -> None:
    desk = Counter()
    paying = agent(pay, guards=[APPROVED])
    job = await office.asked()
    await office.worker(paying, ScriptedModel(PAY), desk).advance("s")
    await office.decided(approve=False, comment="too much")
    model = ScriptedModel(says("fine"))
    await office.worker(paying, model, desk).advance("s")
    assert "too much" in told(model.requests[0].messages)[-1]
    assert (await office.status(job), desk.paid) == (JobStatus.COMPLETE, [])
    assert (await office.approval()).status is ApprovalStatus.REFUSED


async def test_a_message_to_a_session_that_waits_goes_into_its_run(office: Office) -> None:
    desk = Counter()
    paying = agent(pay, guards=[APPROVED])
    job = await office.asked()
    await office.worker(paying, ScriptedModel(PAY), desk).advance("s")
    again = await office.asked("rather not")
    assert again.job_id == job.job_id
    model = ScriptedModel(says("all right"))
    await office.worker(paying, model, desk).advance("s")
    assert (await office.job(job)).response == "all right"
    assert told(model.requests[0].messages)[-1] == "user: rather not"
    assert (await office.approval()).status is ApprovalStatus.WITHDRAWN
    with pytest.raises(StaleInput) as late:
        await office.decided(approve=True)
    assert (late.value.code, desk.paid) == ("hold", [])


async def test_what_is_said_to_a_question_is_its_answer(office: Office) -> None:
    asking = agent(choose)
    job = await office.asked()
    await office.worker(asking, ScriptedModel(calls(("choose", {"question": "red or blue?"})))).advance("s")
    assert await office.status(job) is JobStatus.INPUT_REQUIRED
    await office.asked("blue")
    model = ScriptedModel(says("blue it is"))
    await office.worker(asking, model).advance("s")
    assert told(model.requests[0].messages)[-1] == "tool: t1c1 blue"
    assert await office.status(job) is JobStatus.COMPLETE


async def test_a_run_that_waits_for_a_browser_waits_for_input(office: Office) -> None:
    job = await office.asked()
    await office.worker(agent(cart), ScriptedModel(calls(("cart", {})))).advance("s")
    assert await office.status(job) is JobStatus.INPUT_REQUIRED


async def test_case_52_an_approval_that_nobody_gave_in_time_is_closed_and_the_model_is_told(office: Office) -> None:
    desk = Counter()
    paying = agent(pay, guards=[APPROVED])
    job = await office.asked()
    await office.worker(paying, ScriptedModel(PAY), desk).advance("s")
    office.clock.advance(3600)
    with pytest.raises(StaleInput) as late:
        await office.decided(approve=True)
    assert late.value.code == "expired", "exactly at the expiry is too late, and the worker need not even be up"
    model = ScriptedModel(says("nobody was there"))
    await office.worker(paying, model, desk).advance("s")
    assert "in time" in told(model.requests[0].messages)[-1]
    assert (await office.job(job)).response == "nobody was there"
    assert (await office.approval()).status is ApprovalStatus.EXPIRED
    with pytest.raises(StaleInput) as again:
        await office.decided(approve=True)
    assert (again.value.code, desk.paid) == ("expired", [])


async def test_case_52_a_yes_that_came_in_time_counts_even_if_a_worker_reads_it_late(office: Office) -> None:
    desk = Counter()
    paying = agent(pay, guards=[APPROVED])
    job = await office.asked()
    await office.worker(paying, ScriptedModel(PAY), desk).advance("s")
    office.clock.advance(3599)
    await office.decided(approve=True)
    office.clock.advance(100_000)
    await office.worker(paying, ScriptedModel(says("done")), desk).advance("s")
    assert (await office.status(job), desk.paid) == (JobStatus.COMPLETE, ["bob 5"])


async def test_a_queued_job_that_is_cancelled_asks_no_model(office: Office) -> None:
    job = await office.asked()
    await office.desk.cancel(USER, job.job_id)
    with ScriptedModel() as model:
        await office.worker(agent(), model).advance("s")
    found = await office.job(job)
    assert (found.status, found.response) == (JobStatus.CANCELLED, "cancelled by the user")


async def test_a_message_that_comes_while_the_model_thinks_is_read_before_the_end(office: Office) -> None:
    job = await office.asked("one")
    gate = Gate(says("first"), says("second"))
    task = await at_work(office.worker(agent(), gate))
    await gate.asked.wait()
    await office.desk.say(USER, job.job_id, "and two")
    gate.open.set()
    await task
    assert (await office.job(job)).response == "second", "nobody had looked into the mailbox, and still the run did not end"
    assert told(gate.requests[1].messages) == ["user: one", "assistant: first", "user: and two"]
    assert await office.unread() == 0


async def test_a_running_job_looks_into_its_mailbox_and_is_cancelled(office: Office) -> None:
    job = await office.asked()
    gate = Gate()
    task = await at_work(office.worker(agent(), gate))
    await gate.asked.wait()
    await office.desk.cancel(USER, job.job_id)
    await office.clock.until_waiting()
    office.clock.advance(LOOKS.total_seconds())
    await task
    assert (await office.status(job), gate.stopped) == (JobStatus.CANCELLED, 1)


async def test_a_nudge_saves_the_wait(office: Office) -> None:
    job = await office.asked()
    gate = Gate()
    worker = office.worker(agent(), gate)
    worker.nudge("s")
    task = await at_work(worker)
    await gate.asked.wait()
    await office.desk.cancel(USER, job.job_id)
    worker.nudge("s")
    await task
    assert await office.status(job) is JobStatus.CANCELLED


async def test_a_stale_message_is_taken_and_forgotten(office: Office) -> None:
    paying = agent(pay, guards=[APPROVED])
    await office.asked()
    await office.worker(paying, ScriptedModel(PAY), Counter()).advance("s")
    approval = await office.approval()
    body = {"hold": approval.hold, "digest": "of something else", "approve": True, "comment": "", "by": "eve"}
    await write(office.database, post, approval.job_id, MessageKind.DECISION, body, at=office.clock.now())
    await office.worker(paying, ScriptedModel(), Counter()).advance("s")
    assert await office.unread() == 0
    assert (await office.approval()).status is ApprovalStatus.PENDING


@pytest.mark.parametrize(
    ("kind", "body"), [(MessageKind.SAY, {}), (MessageKind.DECISION, {"approve": 1}), (MessageKind.SAY, {"text": " "})]
)
async def test_a_message_that_cannot_be_read_holds_nothing_up(
    office: Office, kind: MessageKind, body: dict[str, object], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL)
    job = await office.asked()
    await write(office.database, post, job.job_id, kind, body, at=office.clock.now())
    await office.worker(agent(), ScriptedModel(says("ok"))).advance("s")
    assert (await office.status(job), await office.unread()) == (JobStatus.COMPLETE, 0)


async def test_a_message_after_a_cancellation_becomes_a_run_of_its_own(office: Office) -> None:
    paying = agent(pay, guards=[APPROVED])
    first = await office.asked()
    await office.worker(paying, ScriptedModel(PAY), Counter()).advance("s")
    await office.desk.cancel(USER, first.job_id)
    second = await office.asked("something else")
    assert second.job_id != first.job_id
    await office.worker(paying, ScriptedModel(says("ok")), Counter()).advance("s")
    assert [await office.status(job) for job in (first, second)] == [JobStatus.CANCELLED, JobStatus.COMPLETE]


async def test_case_57_nobody_goes_on_with_another_agents_run(office: Office) -> None:
    desk = Counter()
    first = await office.asked()
    await office.worker(agent(pay, guards=[APPROVED]), ScriptedModel(PAY), desk).advance("s")
    await office.decided(approve=True)
    second = await office.asked("next")
    assert second.job_id == first.job_id
    renamed = agent(pay, guards=[APPROVED], name="maxi")
    await office.worker(renamed, ScriptedModel(), desk).advance("s")
    found = await office.job(first)
    assert (found.status, desk.paid) == (JobStatus.CANCELLED, [])
    assert found.response is not None and "'mini' is not here any more" in found.response
    third = await office.asked("and now")
    await office.worker(renamed, ScriptedModel(says("ok")), desk).advance("s")
    assert await office.status(third) is JobStatus.COMPLETE


async def test_the_run_of_another_agent_that_was_at_work_is_closed_too(office: Office) -> None:
    job = await office.asked()
    desk = Counter()
    task = await at_work(office.worker(agent(look), ScriptedModel(calls(("look", {}))), desk))
    await desk.begun.wait()
    await office.worker(agent(name="maxi"), ScriptedModel()).advance("s")
    found = await office.job(job)
    assert found.status is JobStatus.CANCELLED
    desk.go_on.set()
    with pytest.raises(Exception, match="somebody else"):
        await task


async def test_the_events_of_a_job_are_told_once_they_are_written(office: Office) -> None:
    seen: list[str] = []
    job = await office.asked()
    await office.worker(agent(), ScriptedModel(says("ok")), on_event=lambda event, state: seen.append(type(event).__name__)).advance("s")
    assert seen == await office.names(job)


async def test_a_row_that_does_not_know_that_its_run_has_ended_makes_no_endless_loop(office: Office) -> None:
    job = await office.asked()
    await office.worker(agent(), ScriptedModel(says("ok"))).advance("s")

    async def damage(connection: AsyncConnection) -> None:
        await connection.execute(update(jobs).values(status=JobStatus.RUNNING.value))

    await write(office.database, damage)
    with pytest.raises(StaleWriter, match=job.job_id):
        await office.worker(agent(), ScriptedModel()).advance("s")


async def test_what_was_said_while_a_worker_was_lost_comes_after_the_take_over(office: Office) -> None:
    job = await office.asked()
    gate = Gate()
    lost = asyncio.ensure_future(office.worker(agent(), gate).advance("s"))
    await gate.asked.wait()
    await office.desk.say(USER, job.job_id, "hello?")
    await office.worker(agent(), ScriptedModel(says("a"), says("b"))).advance("s")
    events = await office.events(job)
    inputs = [type(event) for event in events if isinstance(event, RunStarted | TakenOver | UserSaid | Cancelled)]
    assert inputs == [RunStarted, TakenOver, UserSaid]
    assert names(events)[-1] == "RunFinished"
    gate.open.set()
    with pytest.raises(Exception, match="somebody else"):
        await lost
