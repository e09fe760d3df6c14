"""The OpenAI Agents SDK as the loop: our ring decides about every call, the SDK keeps the history, and what it cannot hold is refused."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import agents
import pytest
from agents import OpenAIChatCompletionsModel, RunHooks, Runner
from agents.tool_context import ToolContext as SdkContext
from openai import AsyncOpenAI

from handrail import Agent, Fact, ModelSettings, No, Result, RunState, Say, ToolContext, Yes, resume, tool
from handrail.adapters.openai_agents import Gate, GateHooks, PortedModel, Ran, function_tools, hosted, run, run_config
from handrail.adapters.openai_agents.ported import messages_of
from handrail.core.events import CallRefused, Event, ToolLost, ToolReturned, ToolStarted
from handrail.core.evolve import fold
from handrail.errors import AgentError, InputError
from handrail.guards import AnswerLimit, Approval, CallLimit, Prerequisite, Review, TimeLimit, TokenLimit, TurnLimit
from handrail.guards.base import BaseGuard
from handrail.stores.journals import MemoryJournal
from handrail.testing import ScriptedModel, calls, check_request, cut, fails, says
from handrail.vocab.messages import AssistantMessage, ToolMessage, UserMessage
from handrail.vocab.outcomes import OpenHold, Outcome, Status
from tests.adapters.desk import KNOW, Desk, clerk, question, results, send, submit, weather
from tests.models.providing import Provider, replies, serving, whole
from tests.models.providing import fails as provider_fails

AT = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)


async def ran(model: ScriptedModel, *guards: BaseGuard, desk: Desk | None = None, **more: Any) -> Ran:
    with model:
        return await run(clerk(*guards), "Do it.", model=model, deps=desk or Desk(), **more)


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        (clerk(tools=[weather, submit], submit="submit"), "submits with 'submit'"),
        (clerk(tools=[weather, question]), "its tool 'question' runs in the person"),
        (clerk(Review("send", reviewer=clerk(name="critic", tools=[]))), "Review(send) needs a reviewer"),
    ],
    ids=["landing", "a person's tool", "a reviewer"],
)
async def test_what_this_host_cannot_hold_is_refused_by_name(agent: Agent, words: str) -> None:
    with pytest.raises(AgentError) as refused:
        await run(agent, "Do it.", model=ScriptedModel())
    assert words in str(refused.value) and "handrail.run" in str(refused.value)


async def test_an_empty_message_asks_for_nothing() -> None:
    with pytest.raises(InputError):
        await run(clerk(), " ", model=ScriptedModel())


async def test_a_run_ends_with_the_models_text_and_our_usage() -> None:
    ended = await ran(ScriptedModel(calls(("weather", KNOW)), says("Fair.")))
    assert (ended.outcome.status, ended.outcome.output) == (Status.COMPLETED, "Fair.")
    assert (ended.outcome.usage.calls, ended.outcome.usage.total) == (2, 30)


async def test_a_write_waits_for_the_reads_before_it_and_the_reads_after_it_wait_for_the_write() -> None:
    desk = Desk()
    desk.gate.clear()
    model = ScriptedModel(calls(("weather", KNOW), ("send", {"to": "Bergen"}), ("weather", {"city": "Voss"})), says("Done."))
    running = asyncio.create_task(ran(model, desk=desk))
    await desk.asked.wait()
    for _ in range(50):  # were anything else to begin, it would have by now: nothing here waits for time
        await asyncio.sleep(0)
    assert desk.did == ["asking Oslo"]
    desk.gate.set()
    await running
    assert desk.did == ["asking Oslo", "knows Oslo", "sending Bergen", "sent Bergen", "asking Voss", "knows Voss"]
    assert [json.loads(text)["city"] if text != "sent" else text for text in results(model)] == ["Oslo", "sent", "Voss"]


async def test_a_tool_that_is_used_up_is_not_offered_and_a_call_to_it_is_refused() -> None:
    model = ScriptedModel(calls(("weather", KNOW)), calls(("weather", {"city": "Voss"})), says("Fair."))
    await ran(model, CallLimit("weather", 1))
    offered = [[declared["function"]["name"] for declared in request.tools] for request in model.requests]
    assert offered == [["weather", "send"], ["send"], ["send"]]
    assert "weather" in json.loads(results(model)[1])["error"]


async def test_a_prerequisite_holds_within_one_reply_too() -> None:
    desk = Desk()
    model = ScriptedModel(calls(("send", {"to": "Oslo"})), calls(("weather", KNOW), ("send", {"to": "Oslo"})), says("Sent."))
    await ran(model, Prerequisite("send", of="weather"), desk=desk)
    assert desk.did == ["asking Oslo", "knows Oslo", "sending Oslo", "sent Oslo"]


async def test_a_person_is_asked_one_question_at_a_time_with_the_document() -> None:
    asked: list[OpenHold] = []
    open_ = 0

    async def person(hold: OpenHold) -> Yes:
        nonlocal open_
        open_ += 1
        assert open_ == 1
        await asyncio.sleep(0)
        asked.append(hold)
        open_ -= 1
        return Yes(by="me")

    model = ScriptedModel(calls(("send", {"to": "Oslo"}), ("send", {"to": "Bergen"})), says("Both."))
    desk = Desk()
    await ran(model, Approval("send"), desk=desk, ask=person)
    assert [(hold.tool, hold.show) for hold in asked] == [("send", {"to": "Oslo"}), ("send", {"to": "Bergen"})]
    assert desk.did == ["sending Oslo", "sent Oslo", "sending Bergen", "sent Bergen"]
    assert [key.rpartition("/")[2] for key in desk.keys] == ["t1c1", "t1c2"]


@pytest.mark.parametrize("answer", [No("not today"), Say("not today")], ids=["no", "words"])
async def test_a_no_reaches_the_model_in_the_persons_words(answer: No | Say) -> None:
    async def person(hold: OpenHold) -> No | Say:
        return answer

    desk = Desk()
    model = ScriptedModel(calls(("send", {"to": "Oslo"})), says("Not sent."))
    await ran(model, Approval("send"), desk=desk, ask=person)
    assert desk.did == [] and "not today" in results(model)[0]


async def test_where_nobody_can_be_asked_the_model_is_told_so() -> None:
    model = ScriptedModel(calls(("send", {"to": "Oslo"})), says("Nobody is there."))
    await ran(model, Approval("send"))
    assert "Nobody can be asked where this runs" in results(model)[0]


async def test_a_yes_that_comes_too_late_is_none() -> None:
    times = [AT]

    async def slow(hold: OpenHold) -> Yes:
        times.append(AT + timedelta(hours=2))
        return Yes()

    desk = Desk()
    model = ScriptedModel(calls(("send", {"to": "Oslo"})), says("Too late."))
    await ran(model, Approval("send", expires=timedelta(hours=1)), desk=desk, ask=slow, now=lambda: times[-1])
    assert desk.did == [] and "Nobody answered in time" in results(model)[0]


async def test_a_tool_that_says_nothing_happened_and_one_that_broke_are_two_things() -> None:
    events: list[Event] = []
    model = ScriptedModel(calls(("send", {"to": "nowhere"})), calls(("send", {"to": "the void"})), says("Hm."))
    await ran(model, on_event=lambda event, state: events.append(event))
    assert json.loads(results(model)[0]) == {"error": "there is no such place"}
    assert "it may have happened, so check before repeating it" in results(model)[1]
    assert len([event for event in events if isinstance(event, ToolLost)]) == 1


async def test_case_17_only_a_reply_that_was_not_cut_runs_its_calls() -> None:
    desk = Desk()
    await ran(ScriptedModel(cut(calls(("send", {"to": "Oslo"}))), says("Sorry.")), desk=desk)
    assert desk.did == []


async def test_more_calls_than_anybody_handles_are_answered_and_not_run() -> None:
    desk = Desk()
    model = ScriptedModel(calls(*[("weather", {"city": str(number)}) for number in range(34)]), says("Many."))
    await ran(model, desk=desk)
    assert len([line for line in desk.did if line.startswith("asking")]) == len(results(model)) == 32
    assert "the last 2 calls were dropped" in repr(model.requests[1].messages[-1])


async def test_the_sdks_own_model_has_no_such_bound_so_the_rest_is_answered() -> None:
    desk = Desk()
    many = [(f"c{number}", "weather", json.dumps({"city": str(number)})) for number in range(34)]
    async with sdk_model(asks(*many), replies(whole({"content": "Many."}))) as (model, provider):
        await run(clerk(), "Do it.", model=model, deps=desk)
    told = [message["content"] for message in provider.bodies[1]["messages"] if message["role"] == "tool"]
    assert len([line for line in desk.did if line.startswith("asking")]) == 32
    assert ["32 calls" in text for text in told] == [False] * 32 + [True] * 2


async def test_a_text_that_a_guard_refuses_is_sent_back_with_the_reason() -> None:
    long = "word " * 30 + "."
    model = ScriptedModel(says(long), says("Short."))
    ended = await ran(model, AnswerLimit(10))
    assert ended.outcome.output == "Short."
    *_, assistant, note = model.requests[-1].messages
    assert isinstance(assistant, AssistantMessage) and isinstance(note, UserMessage)
    assert note.said[0].text.startswith("[note] ")


@pytest.mark.parametrize(
    ("guard", "limit"),
    [(TurnLimit(2), "TurnLimit(2)"), (TokenLimit(20), "TokenLimit(20)"), (TimeLimit(60), "TimeLimit(60)")],
)
async def test_case_29_a_limit_ends_the_run_before_the_next_model_call(guard: BaseGuard, limit: str) -> None:
    minutes = iter(range(1000))
    model = ScriptedModel(*[calls(("weather", {"city": str(number)})) for number in range(3)])
    ended = await run(
        clerk(guard), "Do it.", model=model, deps=Desk(), now=lambda: AT + timedelta(seconds=10 * next(minutes)) if "Time" in limit else AT
    )
    assert (ended.outcome.status, ended.outcome.limit) == (Status.FAILED, limit)
    assert ended.items[0] == {"role": "user", "content": "Do it."}
    kept = messages_of(ended.items)
    called = [call.id for message in kept if isinstance(message, AssistantMessage) for call in message.calls]
    assert called and called == [message.call for message in kept if isinstance(message, ToolMessage)]
    assert isinstance(kept[-1], AssistantMessage) and "I had to stop" in str(kept[-1].text)


async def test_a_model_failure_is_an_outcome_and_keeps_the_work() -> None:
    ended = await ran(ScriptedModel(calls(("weather", KNOW)), fails(detail="down")))
    assert ended.outcome.status is Status.FAILED and "down" in str(ended.outcome.reason)
    assert [type(message) for message in messages_of(ended.items)] == [UserMessage, AssistantMessage, ToolMessage, AssistantMessage]


async def test_a_run_that_was_stopped_after_a_refused_text_has_a_history_that_a_strict_provider_takes() -> None:
    first = await ran(ScriptedModel(says("word " * 30 + "."), fails(detail="down")), AnswerLimit(10))
    assert first.outcome.status is Status.FAILED
    assert (await ran(ScriptedModel(says("Yes.")), history=first.items)).outcome.output == "Yes."


async def test_a_reply_that_the_sdk_cannot_read_ends_the_run() -> None:
    class Odd(PortedModel):
        async def get_response(self, *given: Any, **more: Any) -> Any:
            raise agents.ModelBehaviorError("odd")

    ended = await run(clerk(), "Do it.", model=Odd(ScriptedModel(), "some-model"), deps=Desk())
    assert ended.outcome.status is Status.CANCELLED and ended.outcome.reason == "the SDK could not read the reply"


async def test_history_is_what_the_sdk_keeps_and_the_next_run_begins_with_it() -> None:
    first = await ran(ScriptedModel(calls(("weather", KNOW)), says("Fair.")))
    model = ScriptedModel(says("As I said."))
    second = await ran(model, history=first.items)
    assert [type(message) for message in model.requests[0].messages] == [
        UserMessage,
        AssistantMessage,
        ToolMessage,
        AssistantMessage,
        UserMessage,
    ]
    assert second.items[: len(first.items)] == first.items
    json.dumps(second.items)  # plain data, so that it can be stored


async def test_case_15_ids_that_a_provider_repeats_are_told_apart() -> None:
    model = ScriptedModel(
        calls(("weather", KNOW), ("weather", {"city": "Voss"}), ids=("x", "x")),
        calls(("weather", {"city": "Bergen"}), ids=("x",)),
        says("Fair."),
    )
    await ran(model)
    assert [json.loads(text)["city"] for text in results(model)] == ["Oslo", "Voss", "Bergen"]


async def test_two_runs_of_one_agent_know_nothing_of_each_other() -> None:
    agent, desks = clerk(CallLimit("weather", 1)), (Desk(), Desk())
    models = [ScriptedModel(calls(("weather", KNOW)), says("Fair.")) for _ in desks]
    both = [run(agent, "Do it.", model=model, deps=desk) for model, desk in zip(models, desks, strict=True)]
    assert [ended.outcome.output for ended in await asyncio.gather(*both)] == ["Fair.", "Fair."]
    assert [desk.did for desk in desks] == [["asking Oslo", "knows Oslo"]] * 2


async def test_hooks_of_ones_own_hear_of_tools_that_really_run() -> None:
    heard: list[str] = []

    class Hearing(RunHooks[Any]):
        async def on_llm_start(self, *given: Any) -> None:
            heard.append("asks")

        async def on_llm_end(self, *given: Any) -> None:
            heard.append("replied")

        async def on_agent_start(self, *given: Any) -> None:
            heard.append("begins")

        async def on_agent_end(self, context: Any, agent: Any, output: Any) -> None:
            heard.append(f"ends {output}")

        async def on_tool_start(self, context: Any, agent: Any, tool: Any) -> None:
            assert isinstance(context, SdkContext)
            heard.append(f"start {tool.name}")

        async def on_tool_end(self, context: Any, agent: Any, tool: Any, result: object) -> None:
            heard.append(f"end {tool.name} {result}")

    model = ScriptedModel(calls(("send", {"to": "Oslo"}), ("send", {})), calls(("nothing", {})), says("Done."))
    await ran(model, hooks=Hearing())
    assert heard == ["begins", *["asks", "replied"], "start send", "end send sent", *["asks", "replied"] * 2, "ends Done."]


async def test_what_people_confirmed_is_restated_in_the_instructions() -> None:
    @tool(effect="write", produces={"seat"})
    async def book(seat: str) -> Result:
        """Book a seat."""
        return Result("booked", facts=[Fact("seat", seat, key="seat")])

    async def person(hold: OpenHold) -> Yes:
        return Yes()

    model = ScriptedModel(calls(("book", {"seat": "12A"})), says("Booked."))
    await run(clerk(Approval("book"), tools=[book]), "Book 12A.", model=model, ask=person)
    assert model.requests[0].system == "Be kind." and '- seat (seat): "12A"' in model.requests[1].system


async def test_a_watcher_that_raises_is_logged_and_one_that_waits_is_waited_for(caplog: pytest.LogCaptureFixture) -> None:
    async def watch(event: Event, state: RunState) -> None:
        await asyncio.sleep(0)
        raise RuntimeError("no")

    assert (await ran(ScriptedModel(says("Fair.")), on_event=watch)).outcome.output == "Fair."
    assert "on_event raised on RunFinished" in caplog.text


@pytest.mark.parametrize("writes", [False, True])
async def test_case_42_after_a_crash_our_own_loop_goes_on_from_the_journal(writes: bool) -> None:
    """The SDK's run is gone with its process. What was running is repeated where that is safe, and told as unknown where it is not."""
    journal, desk, events = MemoryJournal(), Desk(), list[Event]()
    stuck = asyncio.Event()

    @tool(effect="write")
    async def pay(context: ToolContext[Desk]) -> str:
        """Pay."""
        context.deps.did.append("paying")
        stuck.set()
        await asyncio.Event().wait()
        return "paid"

    @tool(effect="read")
    async def look(context: ToolContext[Desk]) -> str:
        """Look."""
        context.deps.did.append("looking")
        if stuck.is_set():
            return "seen"
        stuck.set()
        await asyncio.Event().wait()
        return "never"

    agent = clerk(tools=[pay, look])
    first = ScriptedModel(calls(("pay" if writes else "look", {})))
    running = asyncio.create_task(run(agent, "Do it.", model=first, deps=desk, journal=journal, run_id="run_1"))
    await stuck.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    with ScriptedModel(says("Gone on.")) as model:
        ended = await resume(
            "run_1", agent=agent, model=model, journal=journal, deps=desk, on_event=lambda event, state: events.append(event)
        )
    assert isinstance(ended, Outcome) and ended.output == "Gone on."
    assert desk.did == (["paying"] if writes else ["looking", "looking"])
    assert ("outcome of this call is unknown" in results(model)[0]) is writes


async def test_the_journal_is_one_of_ours() -> None:
    journal, events = MemoryJournal(), list[Event]()
    model = ScriptedModel(calls(("weather", KNOW)), says("Fair."))
    ended = await ran(model, journal=journal, run_id="run_1", on_event=lambda event, state: events.append(event))
    kept = await journal.read("run_1")
    assert list(kept) == events and fold(kept).outcome == ended.outcome
    assert [type(event) for event in kept if isinstance(event, ToolStarted | ToolReturned)] == [ToolStarted, ToolReturned]


async def test_the_journal_has_what_was_said_before_as_well() -> None:
    journal = MemoryJournal()
    first = await ran(ScriptedModel(calls(("weather", KNOW)), says("Fair.")))
    await ran(ScriptedModel(says("As I said.")), history=first.items, journal=journal, run_id="run_2")
    said = [type(message) for message in fold(await journal.read("run_2")).transcript]
    assert said == [UserMessage, AssistantMessage, ToolMessage, AssistantMessage, UserMessage, AssistantMessage]


async def test_the_parts_go_into_a_runner_of_ones_own() -> None:
    """What `run` joins, joined by hand: an agent of the SDK's with our tools, our hooks and our settings of the run."""
    gate = Gate(clerk(Prerequisite("send", of="weather")), deps=Desk())
    await gate.begin("Do it.")
    model = ScriptedModel(calls(("send", {"to": "Oslo"})), says("First the weather."))
    own = agents.Agent[Any](name="mine", instructions="Mine.", model=PortedModel(model, "some-model"), tools=[*function_tools(gate)])
    result = await Runner.run(own, "Do it.", hooks=GateHooks(gate), run_config=run_config(gate), max_turns=5)
    assert result.final_output == "First the weather." and gate.outcome is not None
    assert "weather" in json.loads(results(model)[0])["error"]
    assert [event.name for event in hosted(gate, PortedModel(model, "m")).tools] == ["weather", "send"]


async def test_without_the_hooks_nothing_runs() -> None:
    """The core has not heard of the reply, so its calls are none that it let through."""
    desk = Desk()
    gate = Gate(clerk(), deps=desk)
    await gate.begin("Do it.")
    model = ScriptedModel(calls(("send", {"to": "Oslo"})), says("Hm."))
    own = agents.Agent[Any](name="mine", model=PortedModel(model, "some-model"), tools=[*function_tools(gate)])
    await Runner.run(own, "Do it.", run_config=run_config(gate))
    assert desk.did == [] and list(json.loads(results(model)[0])) == ["error"]


def test_results_come_in_the_order_of_their_calls_whatever_the_sdk_does() -> None:
    def call(number: int) -> Any:
        return {"type": "function_call", "call_id": f"c{number}", "name": "weather", "arguments": "{}"}

    def output(number: int) -> Any:
        return {"type": "function_call_output", "call_id": f"c{number}", "output": str(number)}

    items = [{"role": "user", "content": "Hi"}, call(1), call(2), call(3), output(3), output(1), output(2)]
    assert [message.content for message in messages_of(items) if isinstance(message, ToolMessage)] == ["1", "2", "3"]


def test_items_with_parts_are_read() -> None:
    items: Any = [
        {"role": "user", "content": [{"type": "input_text", "text": "Hi"}, {"type": "input_text", "text": "there"}]},
        {"role": "assistant", "content": "Hello."},
        {"role": "user", "content": "Bye"},
    ]
    first, second, third = messages_of(items)
    assert isinstance(first, UserMessage) and first.said[0].text == "Hi\n\nthere"
    assert isinstance(second, AssistantMessage) and second.text == "Hello."
    assert isinstance(third, UserMessage)


def test_a_model_of_ours_does_not_stream_there() -> None:
    with pytest.raises(InputError, match=r"Runner\.run"):
        PortedModel(ScriptedModel(), "some-model").stream_response()


async def test_a_tool_that_chat_completions_do_not_know_is_refused() -> None:
    own = agents.Agent[Any](name="mine", model=PortedModel(ScriptedModel(), "some-model"), tools=[agents.WebSearchTool()])
    with pytest.raises(InputError, match="only functions can be offered"):
        await Runner.run(own, "Do it.", run_config=agents.RunConfig(tracing_disabled=True))


async def test_settings_reach_the_model() -> None:
    settings = ModelSettings(temperature=0.5, max_tokens=100, top_p=0.9, seed=7, parallel_tool_calls=False, extra={"user": "u1"})
    model = ScriptedModel(says("Fair."))
    await run(clerk(settings=settings), "Do it.", model=model, deps=Desk())
    assert model.requests[0].settings == {
        "user": "u1",
        "seed": 7,
        "temperature": 0.5,
        "top_p": 0.9,
        "max_tokens": 100,
        "parallel_tool_calls": False,
    }


@asynccontextmanager
async def sdk_model(*played: Any) -> AsyncIterator[tuple[OpenAIChatCompletionsModel, Provider]]:
    """The SDK's own model on the official client, and a provider that keeps what it was asked."""
    provider = Provider(*played)
    async with serving(provider.app) as url, AsyncOpenAI(base_url=url, api_key="sk-test") as client:
        yield OpenAIChatCompletionsModel("some-model", client), provider


def asks(*wanted: tuple[str, str, str]) -> Any:
    """A completion with calls: id, tool, arguments."""
    made = [{"id": id, "type": "function", "function": {"name": name, "arguments": arguments}} for id, name, arguments in wanted]
    return replies(whole({"content": None, "tool_calls": made}, finish="tool_calls"))


async def test_the_sdks_own_model_works_as_well_and_every_request_is_one_that_a_strict_provider_takes() -> None:
    events: list[Event] = []
    desk = Desk()
    played = (
        asks(("a", "weather", '{"city": "Oslo"}'), ("b", "nothing", "{}"), ("c", "send", '{"to": 5}')),
        asks(("d", "send", '{"to": "Oslo"}')),
        replies(whole({"content": "Done."})),
    )
    async with sdk_model(*played) as (model, provider):
        ended = await run(
            clerk(Prerequisite("send", of="weather")),
            "Do it.",
            model=model,
            deps=desk,
            on_event=lambda event, state: events.append(event),
        )
    assert ended.outcome.output == "Done." and desk.did == ["asking Oslo", "knows Oslo", "sending Oslo", "sent Oslo"]
    assert [event.code for event in events if isinstance(event, CallRefused)] == ["unknown_tool", "arguments"]
    assert [wrong for body in provider.bodies for wrong in check_request(body)] == []
    functions = [declared["function"] for declared in provider.bodies[0]["tools"]]
    assert [function["parameters"] for function in functions] == [each.declaration["function"]["parameters"] for each in (weather, send)]
    assert set(provider.paths) == {"/v1/chat/completions"}, "nothing goes to anybody's tracing"


async def test_case_34_a_provider_that_refuses_the_sdks_own_model_is_a_failed_run() -> None:
    async with sdk_model(asks(("a", "weather", '{"city": "Oslo"}')), provider_fails(401, "sk-test-hunter2 is not known")) as (model, _):
        ended = await run(clerk(), "Do it.", model=model, deps=Desk())
    assert ended.outcome.status is Status.FAILED and "unauthorised" in str(ended.outcome.reason)
    assert "hunter2" not in str(ended.outcome.reason)
    assert [type(message) for message in messages_of(ended.items)] == [UserMessage, AssistantMessage, ToolMessage, AssistantMessage]
