"""Workers that are lost, late, asked to leave or one too many: what was written happens once, and nothing is held meanwhile."""

import asyncio
from contextlib import suppress
from datetime import timedelta

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from handrail.core.events import ModelReplied, RunFinished, TakenOver, ToolReturned
from handrail.drivers.worker import LEAVING, Worker
from handrail.errors import StaleWriter
from handrail.guards import Approval
from handrail.stores import jobs
from handrail.stores.jobs import JobStatus
from handrail.stores.transactions import read
from handrail.testing import ScriptedModel, calls, says
from tests.drivers.kit import Desk as Counter
from tests.drivers.kit import Gate, agent, build, look, pay, settle, told
from tests.drivers.office import Office, at_work

BUILD = calls(("build", {}))


def held(database: AsyncEngine) -> int:
    """Connections that somebody holds."""
    count: int = database.pool.checkedout()  # type: ignore[attr-defined]  # of every pool that has more than one connection
    return count


async def test_case_41_nobody_holds_a_connection_while_a_model_a_tool_or_a_person_takes_its_time(office: Office) -> None:
    gates = [Gate(calls(("look", {})), calls(("pay", {"to": "bob", "n": 5}))) for _ in range(3)]
    counters = [Counter() for _ in gates]
    asked = [await office.asked(session=f"s{number}") for number in range(3)]
    busy = agent(look, pay, guards=[Approval("pay")])
    tasks = [
        await at_work(office.worker(busy, gate, counter), f"s{number}")
        for number, (gate, counter) in enumerate(zip(gates, counters, strict=True))
    ]
    for gate in gates:
        await gate.asked.wait()
    assert held(office.database) == 0, "while three models think"
    assert await read(office.database, jobs.found, asked[0].job_id) is not None, "and the health check answers"
    for gate in gates:
        gate.open.set()
    for counter in counters:
        await counter.begun.wait()
    assert held(office.database) == 0, "while three tools run"
    for counter in counters:
        counter.go_on.set()
    await asyncio.gather(*tasks)
    assert [await office.status(job) for job in asked] == [JobStatus.INPUT_REQUIRED] * 3
    assert held(office.database) == 0, "while three people are asked"


async def test_case_40_a_worker_that_was_too_slow_cannot_write_over_the_one_that_took_over(office: Office) -> None:
    counter = Counter()
    job = await office.asked()
    slow = await at_work(office.worker(agent(build), ScriptedModel(BUILD), counter))
    await counter.begun.wait()
    model = ScriptedModel(says("I cannot tell whether it was built"))
    await office.worker(agent(build), model, counter).advance("s")
    assert "outcome of this call is unknown" in told(model.requests[0].messages)[-1]
    counter.go_on.set()
    with pytest.raises(StaleWriter, match="somebody else"):
        await slow
    events = await office.events(job)
    assert not any(isinstance(event, ToolReturned) for event in events), "the late result is dropped"
    assert (await office.job(job)).response == "I cannot tell whether it was built"
    assert len([event for event in events if isinstance(event, RunFinished)]) == 1


async def lost(worker: Worker, gate: Gate) -> "asyncio.Task[None]":
    """A worker that never comes back from its model."""
    gate.asked.clear()
    task = await at_work(worker)
    await gate.asked.wait()
    return task


async def test_take_overs_without_progress_are_bounded(office: Office) -> None:
    job = await office.asked()
    tasks = []
    for _ in range(6):
        gate = Gate()
        tasks.append(await lost(office.worker(agent(), gate), gate))
    await office.worker(agent(), ScriptedModel()).advance("s")
    found = await office.job(job)
    assert found.status is JobStatus.ERROR and "5 take-overs without progress" in str(found.response)
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)


async def test_a_run_that_was_lost_while_the_model_thought_asks_it_again(office: Office) -> None:
    job = await office.asked()
    gate = Gate()
    task = await lost(office.worker(agent(), gate), gate)
    await office.worker(agent(), ScriptedModel(says("ok"))).advance("s")
    assert await office.names(job) == ["RunStarted", "TurnOpened", "TakenOver", "ModelReplied", "RunFinished"]
    gate.open.set()
    with pytest.raises(StaleWriter):
        await task


async def test_a_worker_that_is_asked_to_leave_finishes_the_tool_that_runs_and_nothing_is_unknown(office: Office) -> None:
    counter = Counter()
    job = await office.asked()
    office.bell.rung.clear()
    with ScriptedModel(BUILD) as model:
        task = await at_work(office.worker(agent(build), model, counter))
        await counter.begun.wait()
        task.cancel()
        await settle()
        counter.go_on.set()
        await asyncio.wait({task})
    assert task.cancelled() and counter.stopped == []
    assert office.bell.rung == [("s", None)], "the session is woken for somebody else"
    assert await office.status(job) is JobStatus.RUNNING
    after = ScriptedModel(says("built"))
    await office.worker(agent(build), after, counter).advance("s")
    assert told(after.requests[0].messages)[-1] == "tool: t1c1 done at last"
    assert (await office.job(job)).response == "built"


async def test_a_worker_that_is_asked_to_leave_stops_what_can_be_asked_again(office: Office) -> None:
    job = await office.asked()
    gate = Gate()
    task = await lost(office.worker(agent(), gate), gate)
    task.cancel()
    await asyncio.wait({task})
    assert (task.cancelled(), gate.stopped) == (True, 1)
    await office.worker(agent(), ScriptedModel(says("ok"))).advance("s")
    assert [type(event) for event in await office.events(job) if isinstance(event, TakenOver | ModelReplied)] == [TakenOver, ModelReplied]


async def test_a_worker_that_is_asked_to_leave_begins_no_further_job(office: Office) -> None:
    counter = Counter()
    first, second = await office.asked("one"), await office.asked("two")
    office.bell.rung.clear()
    task = await at_work(office.worker(agent(build), ScriptedModel(BUILD, says("one")), counter))
    await counter.begun.wait()
    task.cancel()
    await settle()
    counter.go_on.set()
    with suppress(asyncio.CancelledError):
        await task
    assert await office.status(second) is JobStatus.PENDING
    assert await office.status(first) is JobStatus.RUNNING
    assert office.bell.rung == [("s", None)]


async def test_a_tool_that_takes_too_long_to_leave_is_stopped_and_its_outcome_is_unknown(office: Office) -> None:
    counter = Counter()
    job = await office.asked()
    task = await at_work(office.worker(agent(build), ScriptedModel(BUILD), counter))
    await counter.begun.wait()
    waiting = office.clock.waiting
    task.cancel()
    await office.clock.until_waiting(waiting + 1)
    office.clock.advance(LEAVING.total_seconds())
    await asyncio.wait({task})
    assert counter.stopped == ["t1c1"]
    model = ScriptedModel(says("who knows"))
    await office.worker(agent(build), model, counter).advance("s")
    assert "outcome of this call is unknown" in told(model.requests[0].messages)[-1]
    assert (await office.job(job)).response == "who knows"


async def test_a_worker_that_is_asked_twice_leaves_at_once(office: Office) -> None:
    counter = Counter()
    await office.asked()
    task = await at_work(office.worker(agent(build), ScriptedModel(BUILD), counter))
    await counter.begun.wait()
    waiting = office.clock.waiting
    task.cancel()
    await office.clock.until_waiting(waiting + 1)
    task.cancel()
    await asyncio.wait({task})
    assert task.cancelled() and counter.stopped == ["t1c1"]


async def test_a_run_that_waits_for_a_time_alone_is_left_and_woken_then(office: Office) -> None:
    counter = Counter()
    job = await office.asked()
    later = Approval("pay", expires=timedelta(minutes=5))
    office.bell.rung.clear()
    model = ScriptedModel(calls(("pay", {"to": "bob", "n": 5})))
    await office.worker(agent(pay, guards=[later]), model, counter).advance("s")
    expiry = office.clock.now() + timedelta(minutes=5)
    assert office.bell.rung == [("s", expiry)]
    office.bell.rung.clear()
    await office.worker(agent(pay, guards=[later]), ScriptedModel(), counter).advance("s")
    assert office.bell.rung == [("s", expiry)], "who comes for nothing leaves it as it was"
    assert await office.status(job) is JobStatus.INPUT_REQUIRED
