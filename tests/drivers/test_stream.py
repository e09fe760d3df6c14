"""`stream`: the same run as an async iterator."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from handrail import Parked, resume, stream
from handrail.core.events import Event, RunFinished, ToolStarted, TurnOpened, UserSaid
from handrail.drivers.streaming import Delta, Stream
from handrail.errors import InputError
from handrail.guards import AnswerLimit
from handrail.stores.journals import MemoryJournal
from handrail.testing import ScriptedModel, calls, says
from tests.drivers.kit import Asked, Desk, Gate, agent, cart, choose, done, find, look, names, others, settle, told


def events(items: Sequence[Event | Delta]) -> list[Event]:
    return [item for item in items if not isinstance(item, Delta)]


async def everything(running: Stream) -> list[Event | Delta]:
    return [item async for item in running]


async def test_events_and_text_come_in_order_and_the_outcome_at_the_end() -> None:
    journal = MemoryJournal()
    running = stream(agent(), "hi", model=ScriptedModel(says("Hello")), journal=journal, run_id="r")
    items = await everything(running)
    assert events(items) == [*await journal.read("r")]
    assert names(events(items)) == ["RunStarted", "TurnOpened", "ModelReplied", "RunFinished"]
    assert items[2] == Delta("Hello")
    assert running.outcome is not None and done(running.outcome).output == "Hello"
    assert running.state.outcome == running.outcome


async def test_text_that_is_held_back_comes_when_it_stands() -> None:
    items = await everything(stream(agent(guards=[AnswerLimit(9)]), "hi", model=ScriptedModel(says("Hello"))))
    assert isinstance(items[-1], RunFinished) and items[-2] == Delta("Hello")


async def test_a_stream_can_be_spoken_into() -> None:
    gate = Gate(says("one"), says("two"))
    running = stream(agent(), "hi", model=gate)
    heard: list[str] = []
    async for item in running:
        if isinstance(item, TurnOpened) and not heard:
            running.say("and more")
            gate.open.set()
        if isinstance(item, UserSaid):
            heard.append(item.text)
    assert heard == ["and more"] and done(running.outcome or Parked(run_id="", holds=())).output == "two"
    assert told(gate.requests[1].messages)[-1] == "user: and more"


async def test_a_stream_that_parks_says_so() -> None:
    running = stream(agent(cart), "hi", model=ScriptedModel(calls(("cart", {}))))
    await everything(running)
    assert isinstance(running.outcome, Parked)


async def test_leaving_early_stops_the_run_and_keeps_it_resumable() -> None:
    desk, journal = Desk(), MemoryJournal()
    running = stream(agent(look), "hi", model=ScriptedModel(calls(("look", {}))), deps=desk, journal=journal, run_id="r")
    async for item in running:
        if isinstance(item, ToolStarted):
            break
    await settle(100)
    assert others() == set() and running.outcome is None
    desk.go_on.set()
    assert done(await resume("r", agent=agent(look), model=ScriptedModel(says("ok")), journal=journal, deps=desk)).output == "ok"


async def test_cancelling_whoever_reads_stops_the_run() -> None:
    desk = Desk()
    running = stream(agent(look), "hi", model=ScriptedModel(calls(("look", {}))), deps=desk)
    task = asyncio.create_task(everything(running))
    await desk.begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert desk.stopped == ["t1c1"] and others() == set()


async def test_what_goes_wrong_is_raised_to_whoever_reads() -> None:
    with pytest.raises(InputError, match="empty message"):
        await everything(stream(agent(), "", model=ScriptedModel()))
    with pytest.raises(InputError, match="nothing else counts"):
        await everything(stream(agent(choose), "hi", model=ScriptedModel(calls(("choose", {"question": "?"}))), ask=Asked("A")))


async def test_a_stream_is_gone_through_once() -> None:
    running = stream(agent(), "hi", model=ScriptedModel(says("ok")))
    await everything(running)
    with pytest.raises(InputError, match="once"):
        await everything(running)
    with pytest.raises(InputError, match="over or parked"):
        running.say("late")


async def test_who_reads_slowly_holds_nobody_up() -> None:
    journal = MemoryJournal()
    running = stream(agent(find), "hi", model=ScriptedModel(calls(("find", {"name": "a"})), says("ok")), deps=Desk(), journal=journal)
    items = aiter(running)
    await anext(items)
    await settle(200)
    assert names(await journal.read(journal.runs()[0]))[-1] == "RunFinished"
    rest = [item async for item in items]
    assert len(rest) == len(await journal.read(journal.runs()[0])) - 1 + len([item for item in rest if isinstance(item, Delta)])


async def test_a_stream_that_nobody_reads_never_begins() -> None:
    model = ScriptedModel(says("ok"))
    running: Any = stream(agent(), "hi", model=model)
    await settle()
    assert model.requests == [] and running.outcome is None
