"""`run`: a message in, an outcome out, and everything on the way seen."""

import asyncio
import logging
from typing import Any

import pytest

from handrail import Outcome, Parked, RunState, run, tool
from handrail.core.events import Event, ModelFailed, ModelReplied, RunStarted, ToolLost, ToolReturned
from handrail.core.evolve import fold
from handrail.drivers.handle import RunHandle
from handrail.drivers.in_process import history_of
from handrail.errors import InputError
from handrail.guards import AnswerLimit, CallLimit, Prerequisite, TimeLimit, TurnLimit
from handrail.stores.journals import MemoryJournal
from handrail.testing import ManualClock, ScriptedModel, calls, check_transcript, fails, says
from handrail.vocab.messages import AssistantMessage, user
from handrail.vocab.outcomes import Status
from handrail.vocab.requests import AnsweredCall, ModelAnswer, ModelRequest
from handrail.vocab.usage import Usage
from tests.drivers.kit import Desk, Gate, agent, broke, cart, done, find, names, others, parked, pay, settle, submit, told


async def test_a_text_is_an_outcome() -> None:
    with ScriptedModel(says("Hello!")) as model:
        outcome = await run(agent(), "Hi", model=model)
    assert outcome == Outcome(status=Status.COMPLETED, output="Hello!", usage=Usage(input_tokens=10, output_tokens=5, calls=1))
    assert model.requests[0].system == "You help."
    assert told(model.requests[0].messages) == ["user: Hi"]


async def test_a_tool_runs_and_its_result_goes_back_to_the_model() -> None:
    desk = Desk()
    with ScriptedModel(calls(("pay", {"to": "ann", "n": 5})), says("Paid.")) as model:
        outcome = done(await run(agent(pay), "Pay Ann 5", model=model, deps=desk))
    assert (outcome.output, desk.paid) == ("Paid.", ["ann 5"])
    assert told(model.requests[1].messages) == ["user: Pay Ann 5", 'assistant: pay({"to":"ann","n":5})', "tool: t1c1 paid 5 to ann"]


async def test_calls_have_ids_of_ours_and_the_providers_beside_them() -> None:
    model = ScriptedModel(calls(("find", {"name": "a"}), ("find", {"name": "b"}), ids=("x", "x")), says("ok"))
    await run(agent(find), "hi", model=model, deps=Desk())
    reply = model.requests[1].messages[1]
    assert isinstance(reply, AssistantMessage)
    assert [(call.id, call.provider_id) for call in reply.calls] == [("t1c1", "x"), ("t1c2", "x")]


async def test_reads_run_together() -> None:
    barrier = asyncio.Barrier(2)

    @tool(effect="read")
    async def meet() -> str:
        """Wait for another one."""
        await barrier.wait()
        return "met"

    with ScriptedModel(calls(("meet", {}), ("meet", {})), says("ok")) as model:
        assert done(await run(agent(meet), "hi", model=model)).output == "ok"


async def test_what_a_tool_says_did_not_happen_is_an_error_result() -> None:
    model = ScriptedModel(calls(("broke", {"to": "bob"})), says("sorry"))
    await run(agent(broke), "hi", model=model)
    assert told(model.requests[1].messages)[-1] == 'tool: t1c1 {"error":"no account for bob"}'


async def test_a_write_that_raises_anything_else_is_lost() -> None:
    @tool(effect="write")
    def explode() -> str:
        """Explode."""
        raise ZeroDivisionError("boom")

    events: list[Event] = []
    model = ScriptedModel(calls(("explode", {})), says("sorry"))
    await run(agent(explode), "hi", model=model, on_event=lambda event, _: events.append(event))
    assert [type(event) for event in events if isinstance(event, ToolLost | ToolReturned)] == [ToolLost]
    assert "outcome unknown" in told(model.requests[1].messages)[-1]


async def test_an_empty_message_is_the_callers_mistake() -> None:
    with pytest.raises(InputError, match="empty message"):
        await run(agent(), "", model=ScriptedModel())


async def test_the_history_goes_in_front() -> None:
    journal = MemoryJournal()
    await run(agent(), "one", model=ScriptedModel(says("first")), journal=journal, run_id="run_1")
    model = ScriptedModel(says("second"))
    await run(agent(), "two", model=model, history=await history_of("run_1", journal=journal), journal=journal, run_id="run_2")
    assert told(model.requests[0].messages) == ["user: one", "assistant: first", "user: two"]
    assert told(await history_of("run_2", journal=journal)) == ["user: one", "assistant: first", "user: two", "assistant: second"]


async def test_a_history_that_is_not_ours_or_not_valid_is_refused() -> None:
    wrong: Any = [{"role": "user", "content": "hi"}]
    with pytest.raises(InputError, match=r"history\[0\] is a dict"):
        await run(agent(), "hi", model=ScriptedModel(), history=wrong)
    with pytest.raises(InputError, match="two neighbouring user messages"):
        await run(agent(), "hi", model=ScriptedModel(), history=[user("a"), user("b")])
    with pytest.raises(InputError, match="knows no run 'run_9'"):
        await history_of("run_9", journal=MemoryJournal())


async def test_a_run_has_a_name_that_nobody_can_guess_or_the_one_it_is_given() -> None:
    journal = MemoryJournal()
    for run_id in (None, None, "mine"):
        await run(agent(), "hi", model=ScriptedModel(says("x")), journal=journal, run_id=run_id)
    one, two, three = journal.runs()
    assert one != two and len(one) == len(two) == len("run_") + 32
    assert one.startswith("run_") and three == "mine"
    before = await journal.read("mine")
    with pytest.raises(InputError, match=r"has a run 'mine' already; use resume\(\)"):
        await run(agent(), "hi", model=ScriptedModel(), journal=journal, run_id="mine")
    assert await journal.read("mine") == before


async def test_events_are_told_in_order_each_with_the_state_after_it() -> None:
    journal, seen = MemoryJournal(), list[tuple[Event, RunState]]()
    model = ScriptedModel(calls(("find", {"name": "a"})), says("ok"))
    await run(
        agent(find), "hi", model=model, deps=Desk(), journal=journal, run_id="r", on_event=lambda event, state: seen.append((event, state))
    )
    events = await journal.read("r")
    assert tuple(event for event, _ in seen) == events
    assert names(events)[:5] == ["RunStarted", "TurnOpened", "ModelReplied", "CallCleared", "ToolStarted"]
    assert names(events)[5:] == ["ToolReturned", "TurnOpened", "ModelReplied", "RunFinished"]
    assert [state for _, state in seen] == [fold(events[: number + 1]) for number in range(len(events))]


async def test_the_journal_has_an_event_before_anybody_is_told_and_before_anything_is_acted_on() -> None:
    journal = MemoryJournal()

    async def told(event: Event, state: RunState) -> None:
        assert (await journal.read("r"))[state.seq - 1] == event

    class Careful(ScriptedModel):
        async def reply(self, request: ModelRequest, **kwargs: Any) -> ModelAnswer:
            assert names(await journal.read("r"))[-1] == "TurnOpened"
            return await super().reply(request, **kwargs)

    with Careful(says("ok")) as model:
        outcome = await run(agent(), "hi", model=model, journal=journal, run_id="r", on_event=told)
    assert done(outcome).status is Status.COMPLETED


async def test_what_a_watcher_raises_is_logged_and_ends_nothing(caplog: pytest.LogCaptureFixture) -> None:
    def bad(*_: Any) -> None:
        raise RuntimeError("the printer is on fire")

    async def bad_too(*_: Any) -> None:
        raise RuntimeError("the other printer as well")

    with caplog.at_level(logging.ERROR):
        for on_event in (bad, bad_too):
            outcome = done(await run(agent(), "hi", model=ScriptedModel(says("ok")), on_event=on_event, on_delta=bad))
            assert outcome.output == "ok"
    assert "printer is on fire" in caplog.text and "other printer" in caplog.text and "on_delta" in caplog.text


async def test_streamed_text_goes_to_whoever_watches() -> None:
    deltas: list[str] = []
    await run(agent(), "hi", model=ScriptedModel(says("Hello")), on_delta=deltas.append)
    assert deltas == ["Hello"]


async def test_text_that_can_be_refused_is_held_back_until_it_stands() -> None:
    deltas: list[str] = []
    guarded = agent(guards=[AnswerLimit(3)])
    with ScriptedModel(says("much too long for that"), says("short")) as model:
        outcome = done(await run(guarded, "hi", model=model, on_delta=deltas.append))
    assert (outcome.output, deltas) == ("short", ["short"])


async def test_text_that_was_amended_is_shown_as_amended() -> None:
    deltas: list[str] = []
    with ScriptedModel(says("one two three four"), says("one two three four")) as model:
        outcome = done(await run(agent(guards=[AnswerLimit(3)]), "hi", model=model, on_delta=deltas.append))
    assert deltas == [outcome.output] and outcome.output != "one two three four"


async def test_without_a_watcher_the_model_need_not_stream() -> None:
    class Whole(ScriptedModel):
        async def reply(self, request: ModelRequest, **kwargs: Any) -> ModelAnswer:
            assert kwargs["on_delta"] is None
            return await super().reply(request, **kwargs)

    await run(agent(), "hi", model=Whole(says("ok")))


async def test_a_model_failure_is_an_outcome() -> None:
    outcome = done(await run(agent(), "hi", model=ScriptedModel(fails(detail="the server is down"))))
    assert outcome.status is Status.FAILED
    assert outcome.reason is not None and "the server is down" in outcome.reason


async def test_anything_else_that_a_model_raises_is_a_failure_too(caplog: pytest.LogCaptureFixture) -> None:
    class Odd:
        def __init__(self, error: BaseException) -> None:
            self.error = error

        async def reply(self, request: ModelRequest, **_: Any) -> ModelAnswer:
            raise self.error

    for error, detail in ((ValueError("x" * 5000), "ValueError: xxx"), (asyncio.CancelledError(), "cancelled its own call")):
        journal = MemoryJournal()
        outcome = done(await run(agent(), "hi", model=Odd(error), journal=journal, run_id="r"))
        failed = next(event for event in await journal.read("r") if isinstance(event, ModelFailed))
        assert (failed.kind, outcome.status) == ("other", Status.FAILED)
        assert detail in failed.detail and len(failed.detail) <= 300
    assert "ModelError" in caplog.text


async def test_everything_of_an_answer_is_in_the_journal() -> None:
    usage = Usage(input_tokens=1, output_tokens=2)
    call = AnsweredCall(provider_id="p", name="find", arguments=None)
    answer = ModelAnswer(text="t", calls=(call,), finish="length", extra={"a": 1}, usage=usage)
    events: list[Event] = []
    await run(agent(find), "hi", model=ScriptedModel(answer, says("ok")), on_event=lambda event, _: events.append(event))
    replied = next(event for event in events if isinstance(event, ModelReplied))
    assert (replied.text, replied.finish, replied.extra, replied.usage) == ("t", "length", {"a": 1}, usage)
    assert [(call.id, call.name, call.arguments, call.provider_id) for call in replied.calls] == [("t1c1", "find", None, "p")]


async def test_a_message_can_enter_a_running_run() -> None:
    gate, handle = Gate(says("one"), says("two")), RunHandle()
    task = asyncio.create_task(run(agent(), "first", model=gate, handle=handle))
    await gate.asked.wait()
    handle.say("and second")
    await settle()
    gate.open.set()
    assert done(await task).output == "two"
    assert told(gate.requests[1].messages) == ["user: first", "assistant: one", "user: and second"]


async def test_a_handle_is_for_one_run_and_for_real_words() -> None:
    handle = RunHandle()
    with pytest.raises(InputError, match="give say"):
        handle.say("  ")
    handle.say("said before it began")
    model = ScriptedModel(says("ok"), says("really"))
    assert done(await run(agent(), "hi", model=model, handle=handle)).output == "really"
    with pytest.raises(InputError, match="over or parked"):
        handle.say("late")
    with pytest.raises(InputError, match="over or parked"):
        handle.land()
    with pytest.raises(InputError, match="over or parked"):
        handle.cancel()
    with pytest.raises(InputError, match="another run"):
        await run(agent(), "hi", model=ScriptedModel(), handle=handle)


async def test_a_wish_to_land_ends_a_running_run() -> None:
    gate, handle = Gate(), RunHandle()
    landing = agent(submit, submit="submit", land=lambda ledger: f"{len(ledger)} facts")
    task = asyncio.create_task(run(landing, "hi", model=gate, handle=handle))
    await gate.asked.wait()
    handle.land()
    outcome = done(await task)
    assert (outcome.status, outcome.output, outcome.partial, outcome.limit) == (Status.COMPLETED, "0 facts", True, "requested")
    assert gate.stopped == 1


async def test_a_wish_to_cancel_ends_it_without_a_result() -> None:
    gate, handle = Gate(), RunHandle()
    task = asyncio.create_task(run(agent(), "hi", model=gate, handle=handle))
    await gate.asked.wait()
    handle.cancel("enough")
    outcome = done(await task)
    assert (outcome.status, outcome.reason, gate.stopped) == (Status.CANCELLED, "enough", 1)


async def test_time_is_the_clocks() -> None:
    gate, clock = Gate(), ManualClock()
    task = asyncio.create_task(run(agent(guards=[TimeLimit(300)]), "hi", model=gate, clock=clock))
    await gate.asked.wait()
    await clock.until_waiting()
    clock.advance(299)
    await settle()
    assert not task.done()
    clock.advance(1)
    outcome = done(await task)
    assert (outcome.status, outcome.limit, gate.stopped) == (Status.FAILED, "TimeLimit(300)", 1)


async def test_what_runs_in_the_browser_parks_the_run_here() -> None:
    journal = MemoryJournal()
    waiting = parked(await run(agent(cart), "hi", model=ScriptedModel(calls(("cart", {}))), journal=journal))
    assert waiting == Parked(run_id=journal.runs()[0], holds=())


async def test_guards_are_asked() -> None:
    model = ScriptedModel(calls(("pay", {"to": "a", "n": 1})), says("no"))
    desk = Desk()
    guarded = agent(find, pay, guards=[Prerequisite("pay", of="find"), CallLimit("find", most=1), TurnLimit(5)])
    await run(guarded, "hi", model=model, deps=desk)
    assert desk.paid == [] and "find" in told(model.requests[1].messages)[-1]


async def test_transcripts_are_valid_and_nothing_is_left_running() -> None:
    journal = MemoryJournal()
    before = others()
    model = ScriptedModel(calls(("find", {"name": "a"}), ("find", {"name": 7}), ("nope", None)), says("ok"))
    await run(agent(find, guards=[TimeLimit(300)]), "hi", model=model, deps=Desk(), journal=journal, run_id="r")
    assert check_transcript(await history_of("r", journal=journal)) == []
    assert others() == before


def test_case_47_one_runtime_object_serves_several_event_loops() -> None:
    journal, desk_agent = MemoryJournal(), agent(find)
    model = ScriptedModel(*[reply for _ in range(3) for reply in (calls(("find", {"name": "a"})), says("ok"))])

    def once(run_id: str) -> Any:
        return asyncio.run(run(desk_agent, "hi", model=model, deps=None, journal=journal, run_id=run_id))

    assert [once(run_id).output for run_id in ("a", "b")] == ["ok", "ok"]

    async def from_a_thread_while_a_loop_runs() -> Any:
        return await asyncio.to_thread(once, "c")

    assert asyncio.run(from_a_thread_while_a_loop_runs()).output == "ok"
    model.assert_used()


async def test_text_that_no_store_can_keep_never_reaches_the_state() -> None:
    journal, seen = MemoryJournal(), list[RunState]()
    model = ScriptedModel(says("a\x00b\ud800"))
    outcome = done(await run(agent(), "hi\x00", model=model, journal=journal, run_id="r", on_event=lambda event, state: seen.append(state)))
    assert outcome.output == "a\ufffdb\ufffd"
    started = (await journal.read("r"))[0]
    assert isinstance(started, RunStarted) and started.message == "hi\ufffd"
    assert fold(await journal.read("r")) == seen[-1]
