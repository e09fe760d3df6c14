"""The desk: what is asked for once is done once, in order, and for nobody else."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncConnection

from handrail.errors import InputError, StaleInput
from handrail.guards import Approval
from handrail.service.desk import LONGEST_COMMENT, LONGEST_ID, LONGEST_MESSAGE, Asked, Desk, KeyReused, NotThere
from handrail.stores.approvals import ApprovalStatus
from handrail.stores.database import make_engine
from handrail.stores.jobs import JobStatus
from handrail.testing import ScriptedModel, calls, says
from tests.drivers.kit import Desk as Counter
from tests.drivers.kit import agent, pay, told
from tests.drivers.office import USER, Office

PAY = calls(("pay", {"to": "bob", "n": 5}))
APPROVED = Approval("pay", expires=timedelta(hours=1))


async def parked(office: Office, counter: Counter) -> Any:
    job = await office.asked()
    await office.worker(agent(pay, guards=[APPROVED]), ScriptedModel(PAY), counter).advance("s")
    return job


async def finished(office: Office, counter: Counter | None = None) -> None:
    await office.worker(agent(pay, guards=[APPROVED]), ScriptedModel(says("ok")), counter or Counter()).advance("s")


async def test_a_message_becomes_a_job_that_nobody_can_guess_and_its_session_is_woken(office: Office) -> None:
    first, second = await office.asked("one"), await office.asked("two")
    assert first.job_id.startswith("job_") and len(first.job_id) == 36 and first.job_id != second.job_id
    assert (first.status, first.place, second.place, first.message) == (JobStatus.PENDING, 1, 2, "one")
    assert office.bell.rung == [("s", None), ("s", None)]
    assert await office.job(first) == first


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        ({"message": " \n"}, "message is empty"),
        ({"message": "x" * (LONGEST_MESSAGE + 1)}, "at most 32000"),
        ({"session_id": ""}, "session_id is empty"),
        ({"session_id": "x" * (LONGEST_ID + 1)}, "at most 200"),
        ({"session_id": "a\x00"}, "no text"),
        ({"user_id": "\ud800"}, "no text"),
        ({"app": "other"}, "'other' is not served"),
        ({"idempotency_key": ""}, "Idempotency-Key is empty"),
        ({"idempotency_key": "x" * (LONGEST_ID + 1)}, "at most 200"),
        ({"delivery": ("chat", "x" * (LONGEST_ID + 1))}, "at most 200"),
    ],
)
async def test_what_does_not_fit_is_refused_and_leaves_nothing(office: Office, changed: dict[str, Any], what: str) -> None:
    asked = {"user_id": USER, "session_id": "s", "app": "mini", "message": "hi"} | changed
    with pytest.raises(InputError, match=what):
        await office.desk.invoke(Asked(**asked))
    assert (await office.desk.sessions(USER), office.bell.rung) == ([], [])


async def test_the_longest_message_fits_and_text_that_no_store_keeps_is_cleaned(office: Office) -> None:
    job = await office.asked("\x00" + "é" * (LONGEST_MESSAGE - 1))
    assert job.message == (await office.job(job)).message == "\ufffd" + "é" * (LONGEST_MESSAGE - 1)


async def test_case_71_what_is_somebody_elses_is_not_there(office: Office) -> None:
    counter = Counter()
    job = await parked(office, counter)
    approval = await office.approval()
    desk = office.desk
    tries = [
        desk.job("eve", job.job_id),
        desk.lines("eve", job.job_id, after=-1),
        desk.session("eve", "s"),
        desk.say("eve", job.job_id, "hi"),
        desk.cancel("eve", job.job_id),
        desk.land("eve", job.job_id),
        desk.retry("eve", job.job_id),
        desk.approval("eve", approval.approval_id),
        desk.decide("eve", approval.approval_id, approve=True, by="eve"),
        desk.invoke(Asked(user_id="eve", session_id="s", app="mini", message="hi")),
        desk.job(USER, "job_nowhere"),
        desk.session(USER, "nowhere"),
        desk.approval(USER, "apr_nowhere"),
        desk.decide(USER, "apr_nowhere", approve=True, by=USER),
    ]
    for trying in tries:
        with pytest.raises(NotThere):
            await trying
    assert (await desk.jobs("eve"), await desk.sessions("eve"), await desk.approvals("eve")) == ([], [], [])
    assert ((await office.approval()).status, await office.unread()) == (ApprovalStatus.PENDING, 0)


async def test_what_is_ones_own_is_there(office: Office) -> None:
    job = await parked(office, Counter())
    assert [found.job_id for found in await office.desk.jobs(USER)] == [job.job_id]
    assert [found.job_id for found in await office.desk.jobs(USER, session_id="other")] == []
    assert (await office.desk.session(USER, "s")).app == "mini"
    assert [found.session_id for found in await office.desk.sessions(USER)] == ["s"]
    lines = await office.desk.lines(USER, job.job_id, after=0)
    assert [number for number, _ in lines] == list(range(1, len(lines) + 1)) and '"TurnOpened"' in lines[0][1]


async def test_a_request_that_comes_again_makes_one_job(office: Office) -> None:
    first = await office.asked("hi", idempotency_key="k")
    assert (await office.asked("hi", idempotency_key="k")).job_id == first.job_id
    await office.worker(agent(), ScriptedModel(says("ok"))).advance("s")
    again = await office.asked("hi", idempotency_key="k")
    assert (again.job_id, again.status) == (first.job_id, JobStatus.COMPLETE), "after it has ended too"
    with pytest.raises(KeyReused):
        await office.asked("something else", idempotency_key="k")
    assert len(await office.desk.jobs(USER)) == 1
    assert (await office.asked("hi", idempotency_key="l")).job_id != first.job_id


async def test_the_same_request_many_times_at_once_makes_one_job(office: Office, url: str) -> None:
    others = [make_engine(url) for _ in range(2)]
    desks = [office.desk, *(Desk(other, office.bell, apps=("mini",), clock=office.clock) for other in others)]
    asked = Asked(user_id=USER, session_id="s", app="mini", message="hi", idempotency_key="k")
    try:
        jobs = await asyncio.gather(*(desk.invoke(asked) for desk in [*desks, *desks]))
    finally:
        for other in others:
            await other.dispose()
    assert len({job.job_id for job in jobs}) == 1
    assert len(await office.desk.jobs(USER)) == 1


async def test_case_39_a_message_that_a_platform_delivers_again_runs_once(office: Office) -> None:
    jobs = await asyncio.gather(*(office.asked("hi", delivery=("chat", "m1")) for _ in range(4)))
    assert len({job.job_id for job in jobs}) == 1
    await office.worker(agent(), ScriptedModel(says("ok"))).advance("s")
    assert (await office.asked("hi", delivery=("chat", "m1"))).job_id == jobs[0].job_id
    assert (await office.asked("hi", delivery=("chat", "m2"))).job_id != jobs[0].job_id, "an equal text with another id is another message"


async def test_case_38_messages_at_the_same_moment_all_have_their_place(office: Office) -> None:
    jobs = await asyncio.gather(*(office.asked(f"message {number}") for number in range(6)))
    assert sorted(job.place for job in jobs) == [1, 2, 3, 4, 5, 6]


async def test_a_request_that_went_into_a_waiting_run_and_comes_again_is_said_once(office: Office) -> None:
    job = await parked(office, Counter())
    for _ in range(2):
        assert (await office.asked("no, wait", idempotency_key="k")).job_id == job.job_id
    assert await office.unread() == 1


async def test_something_can_be_said_into_a_run_until_it_has_ended(office: Office) -> None:
    job = await parked(office, Counter())
    with pytest.raises(InputError, match="empty"):
        await office.desk.say(USER, job.job_id, " ")
    await office.desk.say(USER, job.job_id, "rather not\x00")
    model = ScriptedModel(says("ok"))
    await office.worker(agent(pay, guards=[APPROVED]), model, Counter()).advance("s")
    assert told(model.requests[0].messages)[-1] == "user: rather not\ufffd"
    for late in (office.desk.say(USER, job.job_id, "hello?"), office.desk.land(USER, job.job_id)):
        with pytest.raises(StaleInput) as found:
            await late
        assert found.value.code == "phase"


async def test_a_cancelled_run_ends_and_a_run_that_has_ended_stays_as_it_ended(office: Office) -> None:
    counter = Counter()
    job = await parked(office, counter)
    await office.desk.cancel(USER, job.job_id)
    await office.desk.cancel(USER, job.job_id)
    await finished(office)
    assert await office.status(job) is JobStatus.CANCELLED
    assert (await office.approval()).status is ApprovalStatus.WITHDRAWN
    rung = len(office.bell.rung)
    assert (await office.desk.cancel(USER, job.job_id)).status is JobStatus.CANCELLED
    assert len(office.bell.rung) == rung


async def test_a_retry_is_a_new_run_of_the_same_session(office: Office) -> None:
    job = await office.asked("hi")
    with pytest.raises(StaleInput):
        await office.desk.retry(USER, job.job_id)
    await office.worker(agent(), ScriptedModel(says("ok"))).advance("s")
    again = await office.desk.retry(USER, job.job_id)
    assert (again.message, again.place, again.retry_of, again.status) == ("hi", 2, job.job_id, JobStatus.PENDING)
    await office.worker(agent(), ScriptedModel(says("ok again"))).advance("s")
    assert ((await office.job(again)).response, (await office.job(job)).response) == ("ok again", "ok")


async def test_case_51_a_double_click_is_one_decision_and_the_tool_runs_once(office: Office, url: str) -> None:
    counter = Counter()
    job = await parked(office, counter)
    approval = await office.approval()
    other = make_engine(url)
    desks = [office.desk, Desk(other, office.bell, apps=("mini",), clock=office.clock)] * 2
    try:
        came = await asyncio.gather(*(desk.decide(USER, approval.approval_id, approve=True, by=USER) for desk in desks))
    finally:
        await other.dispose()
    assert {found.status for found in came} == {ApprovalStatus.APPROVED}, "the losers get the recorded decision"
    assert await office.unread() == 1
    await finished(office, counter)
    again = await office.desk.decide(USER, approval.approval_id, approve=True, by=USER)
    assert (again.status, await office.unread()) == (ApprovalStatus.APPROVED, 0)
    await finished(office, counter)
    assert (counter.paid, await office.status(job)) == (["bob 5"], JobStatus.COMPLETE)


async def test_case_51_of_a_yes_and_a_no_at_the_same_moment_one_counts_and_the_other_is_told(office: Office) -> None:
    counter = Counter()
    await parked(office, counter)
    approval_id = (await office.approval()).approval_id
    came = await asyncio.gather(
        *(office.desk.decide(USER, approval_id, approve=approve, by=USER) for approve in (True, False)), return_exceptions=True
    )
    (won,) = [found for found in came if not isinstance(found, BaseException)]
    (lost,) = [found for found in came if isinstance(found, BaseException)]
    assert isinstance(lost, StaleInput) and lost.code == "twice" and won.status.value in str(lost)
    await finished(office, counter)
    assert counter.paid == (["bob 5"] if won.status is ApprovalStatus.APPROVED else [])


async def test_who_decides_is_kept_with_what_they_said(office: Office) -> None:
    await parked(office, Counter())
    approval_id = (await office.approval()).approval_id
    for wrong in ({"by": ""}, {"by": "x" * 201}, {"by": USER, "comment": "x" * (LONGEST_COMMENT + 1)}):
        with pytest.raises(InputError):
            await office.desk.decide(USER, approval_id, approve=False, **wrong)
    decided = await office.desk.decide(USER, approval_id, approve=False, by="a friend", comment="too\x00much")
    assert (decided.decided_by, decided.comment, decided.decided_at) == ("a friend", "too\ufffdmuch", office.clock.now())


async def test_a_message_and_the_wake_up_for_it_come_together_or_not_at_all(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(connection: AsyncConnection, session_id: str, at: object = None) -> None:
        raise RuntimeError("no engine")

    monkeypatch.setattr(office.bell, "wake", broken)
    with pytest.raises(RuntimeError):
        await office.asked("hi", idempotency_key="k")
    monkeypatch.undo()
    assert await office.desk.jobs(USER) == []
    assert (await office.asked("hi", idempotency_key="k")).place == 1
