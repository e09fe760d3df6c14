"""Stopping: whoever stops a run stops everything that it has started, and what is left can be gone on with."""

import asyncio
import gc
import logging
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from handrail import Say, ToolContext, resume, run, tool
from handrail.core.evolve import fold
from handrail.drivers.handle import RunHandle
from handrail.drivers.in_process import history_of
from handrail.guards import TimeLimit
from handrail.stores.journals import MemoryJournal
from handrail.testing import ManualClock, ScriptedModel, calls, check_transcript, says
from handrail.vocab.outcomes import Status
from tests.drivers.kit import Asked, Desk, Gate, agent, build, choose, done, find, look, names, others, settle, told


class Noted(logging.Handler):
    """Says when something was logged."""

    def __init__(self) -> None:
        super().__init__()
        self.noted = asyncio.Event()

    def emit(self, record: logging.LogRecord) -> None:
        self.noted.set()


async def stopped(task: asyncio.Task[Any]) -> None:
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert others() == set(), "nothing is left running"


@pytest.fixture
def complaints(caplog: pytest.LogCaptureFixture) -> Any:
    """What asyncio has to say about tasks that nobody waited for."""

    def found() -> list[str]:
        gc.collect()
        return [record.getMessage() for record in caplog.records if record.name == "asyncio" and record.levelno >= logging.ERROR]

    return found


async def test_case_30_a_cancelled_run_leaves_no_model_call_behind(complaints: Any) -> None:
    gate = Gate()
    task = asyncio.create_task(run(agent(guards=[TimeLimit(300)]), "hi", model=gate))
    await gate.asked.wait()
    await stopped(task)
    assert gate.stopped == 1 and complaints() == []


@pytest.mark.parametrize("works", [look, build], ids=["read", "write"])
async def test_case_30_a_cancelled_run_leaves_no_async_tool_behind(works: Any, complaints: Any) -> None:
    desk, journal = Desk(), MemoryJournal()
    model = ScriptedModel(calls((works.name, {})))
    task = asyncio.create_task(run(agent(works), "hi", model=model, deps=desk, journal=journal, run_id="r"))
    await desk.begun.wait()
    await stopped(task)
    assert desk.stopped == ["t1c1"] and complaints() == []
    assert names(await journal.read("r"))[-1] == "ToolStarted", "what it did is not known, and so not written"


async def test_case_30_the_late_result_of_a_thread_goes_nowhere(caplog: pytest.LogCaptureFixture) -> None:
    begun, go_on = threading.Event(), threading.Event()

    @tool(effect="write")
    def block() -> str:
        """Block."""
        begun.set()
        go_on.wait(60)
        return "late"

    journal = MemoryJournal()
    task = asyncio.create_task(run(agent(block), "hi", model=ScriptedModel(calls(("block", {}))), journal=journal, run_id="r"))
    await asyncio.to_thread(begun.wait, 60)
    await stopped(task)
    model = ScriptedModel(says("Somebody should look."))
    outcome = done(await resume("r", agent=agent(block), model=model, journal=journal))
    before = await journal.read("r")
    note = Noted()
    logging.getLogger("handrail.tools").addHandler(note)
    go_on.set()
    await asyncio.wait_for(note.noted.wait(), 60)
    logging.getLogger("handrail.tools").removeHandler(note)
    assert "ended after it was given up" in caplog.text
    assert await journal.read("r") == before and outcome.output == "Somebody should look."
    assert "outcome of this call is unknown" in told(model.requests[0].messages)[-1]


async def test_case_30_a_run_out_of_time_stops_its_tool_and_the_next_run_is_not_touched(complaints: Any) -> None:
    desk, clock, journal = Desk(), ManualClock(), MemoryJournal()
    timed = agent(look, guards=[TimeLimit(100)])
    task = asyncio.create_task(
        run(timed, "hi", model=ScriptedModel(calls(("look", {}))), deps=desk, clock=clock, journal=journal, run_id="r")
    )
    await desk.begun.wait()
    await clock.until_waiting()
    clock.advance(100)
    outcome = done(await task)
    assert (outcome.limit, desk.stopped, others()) == ("TimeLimit(100)", ["t1c1"], set())
    history = await history_of("r", journal=journal)
    assert check_transcript(history) == []
    model = ScriptedModel(says("fresh"))
    assert done(await run(timed, "again", model=model, history=history, deps=Desk(), clock=clock)).output == "fresh"
    assert complaints() == []


async def test_case_30_a_tool_that_will_not_stop_is_left_after_a_while_with_a_note(caplog: pytest.LogCaptureFixture) -> None:
    begun, clock = asyncio.Event(), ManualClock()
    go_on = asyncio.Event()

    class Stubborn:
        async def reply(self, request: Any, **_: Any) -> Any:
            begun.set()
            while not go_on.is_set():
                try:
                    await go_on.wait()
                except asyncio.CancelledError:
                    continue
            return says("too late")

    task = asyncio.create_task(run(agent(), "hi", model=Stubborn(), clock=clock))
    await begun.wait()
    task.cancel()
    await clock.until_waiting()
    await settle()
    assert not task.done(), "it is waited for"
    with caplog.at_level(logging.WARNING):
        clock.advance(10)
        with pytest.raises(asyncio.CancelledError):
            await task
    assert "does not end although it was stopped" in caplog.text
    go_on.set()
    await settle()
    assert others() == set()


async def test_case_30_what_fails_on_its_way_out_is_noted_and_hides_nothing(caplog: pytest.LogCaptureFixture) -> None:
    gate_open = asyncio.Event()
    asked = asyncio.Event()

    async def ask(hold: Any) -> Any:
        asked.set()
        try:
            await gate_open.wait()
        except asyncio.CancelledError:
            raise RuntimeError("the window would not close") from None

    task = asyncio.create_task(run(agent(choose), "hi", model=ScriptedModel(calls(("choose", {"question": "?"}))), ask=ask))
    await asked.wait()
    with caplog.at_level(logging.WARNING):
        await stopped(task)
    assert "the window would not close" in caplog.text


async def test_case_32_a_tool_that_swallows_the_cancellation_does_not_keep_the_run_going() -> None:
    begun = asyncio.Event()

    @tool(effect="read")
    async def swallow() -> str:
        """Swallow."""
        begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return "stopped"
        return "never"

    model = ScriptedModel(calls(("swallow", {})), says("and on it goes"))
    task = asyncio.create_task(run(agent(swallow), "hi", model=model))
    await begun.wait()
    await stopped(task)
    assert len(model.requests) == 1, "no further model call"


@pytest.mark.parametrize("error", [asyncio.CancelledError, TimeoutError], ids=["cancelled", "timeout"])
async def test_case_32_a_tools_own_cancellation_is_an_error_result(error: type[BaseException]) -> None:
    @tool(effect="read")
    async def fail() -> str:
        """Fail."""
        raise error

    model = ScriptedModel(calls(("fail", {})), says("I see."))
    assert done(await asyncio.wait_for(run(agent(fail), "hi", model=model), 60)).output == "I see."
    assert '{"error":' in told(model.requests[1].messages)[-1]


CTRL_C = """
import asyncio, sys, threading
from handrail import Agent, run, tool
from handrail.testing import ScriptedModel, calls, says

kind = {"KeyboardInterrupt": KeyboardInterrupt, "SystemExit": SystemExit}[sys.argv[1]]

if sys.argv[2] == "sync":
    @tool(effect="read")
    def stop() -> str:
        "Stop."
        raise kind("by a tool")
else:
    @tool(effect="read")
    async def stop() -> str:
        "Stop."
        raise kind("by a tool")

agent = Agent(name="a", instructions="", model="m", tools=[stop])
model = ScriptedModel(calls(("stop", {})), says("never"))
try:
    asyncio.run(run(agent, "hi", model=model))
except BaseException as error:
    print(type(error).__name__, len(model.requests))
"""


@pytest.mark.slow
@pytest.mark.parametrize("how", ["sync", "async"])
@pytest.mark.parametrize("kind", ["KeyboardInterrupt", "SystemExit"])
def test_case_32_ctrl_c_inside_a_tool_ends_the_process_not_just_the_call(kind: str, how: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-W", "error", "-c", CTRL_C, kind, how],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ended.stdout.strip() == f"{kind} 1", ended.stderr
    assert "never retrieved" not in ended.stderr and "was destroyed" not in ended.stderr


async def test_case_14_a_call_left_open_by_a_crash_is_answered_before_the_user_speaks_again() -> None:
    desk, journal = Desk(), MemoryJournal()
    script = calls(("find", {"name": "a"}), ("build", {}))
    two = agent(find, build)
    task = asyncio.create_task(run(two, "hi", model=ScriptedModel(script), deps=desk, journal=journal, run_id="r"))
    await desk.begun.wait()
    await stopped(task)
    handle = RunHandle()
    handle.say("Are you there?")
    model = ScriptedModel(says("Yes."), says("I am here."))
    await resume("r", agent=two, model=model, journal=journal, deps=Desk(), handle=handle)
    lines = told(model.requests[0].messages)
    assert lines[:3] == ["user: hi", 'assistant: find({"name":"a"}) build({})', 'tool: t1c1 {"found":"a"}']
    assert "outcome of this call is unknown" in lines[3] and "did not run" not in lines[3]
    assert told(model.requests[1].messages)[-1] == "user: Are you there?"
    again = await history_of("r", journal=journal)
    assert check_transcript(again) == [] and again == await history_of("r", journal=journal)


async def test_case_14_a_cancelled_run_has_an_answer_for_each_of_its_calls() -> None:
    desk, journal, handle = Desk(), MemoryJournal(), RunHandle()
    model = ScriptedModel(calls(("find", {"name": "a"}), ("look", {})))
    task = asyncio.create_task(run(agent(find, look), "hi", model=model, deps=desk, journal=journal, run_id="r", handle=handle))
    await desk.begun.wait()
    await settle()
    handle.cancel("enough")
    assert done(await task).status is Status.CANCELLED
    history = await history_of("r", journal=journal)
    assert check_transcript(history) == []
    model = ScriptedModel(says("ok"))
    await run(agent(find, look), "next", model=model, history=history, deps=Desk())
    assert 'tool: t1c1 {"found":"a"}' in told(model.requests[0].messages)


async def test_a_cancelled_run_waits_for_a_running_write_and_keeps_its_result() -> None:
    desk, journal, handle = Desk(), MemoryJournal(), RunHandle()
    model = ScriptedModel(calls(("build", {})))
    task = asyncio.create_task(run(agent(build), "hi", model=model, deps=desk, journal=journal, run_id="r", handle=handle))
    await desk.begun.wait()
    handle.cancel()
    await settle()
    assert not task.done() and desk.stopped == []
    desk.go_on.set()
    assert done(await task).status is Status.CANCELLED
    assert "tool: t1c1 done at last" in told(await history_of("r", journal=journal))


async def test_a_run_that_was_stopped_while_a_person_thinks_asks_them_again() -> None:
    asked = asyncio.Event()

    async def ask(hold: Any) -> Any:
        asked.set()
        await asyncio.Event().wait()

    journal = MemoryJournal()
    model = ScriptedModel(calls(("choose", {"question": "?"})))
    task = asyncio.create_task(run(agent(choose), "hi", model=model, ask=ask, journal=journal, run_id="r"))
    await asked.wait()
    await stopped(task)
    person = Asked(Say("A"))
    assert done(await resume("r", agent=agent(choose), model=ScriptedModel(says("ok")), journal=journal, ask=person)).output == "ok"
    assert [hold.id for hold in person.holds] == ["t1c1"]


async def test_stopping_twice_stops_at_once() -> None:
    begun, go_on, clock = asyncio.Event(), asyncio.Event(), ManualClock()

    @tool(effect="read")
    async def slow(context: ToolContext[None]) -> str:
        """Clean up slowly."""
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            await go_on.wait()
        return ""

    task = asyncio.create_task(run(agent(slow), "hi", model=ScriptedModel(calls(("slow", {}))), clock=clock))
    await begun.wait()
    task.cancel()
    await clock.until_waiting()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    go_on.set()
    await settle(50)
    assert others() == set()


async def test_fold_of_a_stopped_run_is_a_state_that_can_be_gone_on_with() -> None:
    gate, journal = Gate(), MemoryJournal()
    task = asyncio.create_task(run(agent(), "hi", model=gate, journal=journal, run_id="r"))
    await gate.asked.wait()
    await stopped(task)
    assert fold(await journal.read("r")).phase.value == "thinking"
    assert done(await resume("r", agent=agent(), model=ScriptedModel(says("ok")), journal=journal)).output == "ok"
