"""pydantic-ai as the loop: our ring decides about every call, the host keeps the history, and what it cannot hold is refused."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pydantic_ai
import pytest
from openai import AsyncOpenAI
from pydantic_ai import RunContext, UsageLimits
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import ToolFailedError, UsageLimitExceeded
from pydantic_ai.messages import ImageUrl, ModelMessagesTypeAdapter, ModelRequest, SystemPromptPart, ToolReturnPart
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.native_tools import WebSearchTool
from pydantic_ai.providers.openai import OpenAIProvider

from handrail import Agent, Fact, ModelSettings, No, Result, RunState, Say, ToolContext, Yes, resume, tool
from handrail.adapters.pydantic_ai import PortedModel, Ran, Ring, RunOver, hosted, run
from handrail.adapters.pydantic_ai.messages import answer_of, messages_of, response_of
from handrail.core.events import CallRefused, Event, ToolLost, ToolReturned, ToolStarted
from handrail.core.evolve import fold
from handrail.errors import AgentError, InputError
from handrail.guards import AnswerLimit, Approval, CallLimit, Prerequisite, Review, TimeLimit, TokenLimit, TurnLimit
from handrail.guards.base import BaseGuard
from handrail.stores.journals import MemoryJournal
from handrail.testing import ScriptedModel, calls, check_request, cut, fails, refuses, says
from handrail.vocab.messages import AssistantMessage, Message, ToolMessage, UserMessage
from handrail.vocab.outcomes import OpenHold, Outcome, Status
from handrail.vocab.requests import AnsweredCall, ModelAnswer
from handrail.vocab.usage import Usage
from tests.adapters.desk import KNOW, Desk, clerk, question, results, send, weather
from tests.models.providing import Provider, replies, serving, whole
from tests.models.providing import fails as provider_fails

AT = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)
WORK: list[type[Message]] = [UserMessage, AssistantMessage, ToolMessage, AssistantMessage]


async def ran(model: ScriptedModel, *guards: BaseGuard, desk: Desk | None = None, **more: Any) -> Ran:
    with model:
        return await run(clerk(*guards), "Do it.", model=model, deps=desk or Desk(), **more)


def kinds(ended: Ran) -> list[type[Message]]:
    return [type(message) for message in messages_of(ended.messages)]


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        (clerk(tools=[weather, question]), "its tool 'question' runs in the person"),
        (clerk(Review("send", reviewer=clerk(name="critic", tools=[]))), "Review(send) needs a reviewer"),
    ],
    ids=["a person's tool", "a reviewer"],
)
async def test_what_this_host_cannot_hold_is_refused_by_name(agent: Agent, words: str) -> None:
    with pytest.raises(AgentError) as refused:
        await run(agent, "Do it.", model=ScriptedModel())
    assert words in str(refused.value) and "handrail.run" in str(refused.value)
    with pytest.raises(AgentError, match="under a foreign loop"):
        hosted(agent, ScriptedModel())


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


async def test_a_tool_that_is_used_up_is_not_offered_and_calls_to_it_are_refused_and_never_end_the_run() -> None:
    """The host knows no such tool any more; its own answer to a second call of an unknown tool is an exception."""
    again = [calls(("weather", {"city": city})) for city in ("Oslo", "Voss", "Bergen", "Tromso")]
    model = ScriptedModel(*again, calls(("nothing", {})), says("Fair."))
    ended = await ran(model, CallLimit("weather", 1))
    offered = [[declared["function"]["name"] for declared in request.tools] for request in model.requests]
    assert offered == [["weather", "send"], *[["send"]] * 5]
    assert "weather" in json.loads(results(model, 2)[1])["error"] and "nothing" in json.loads(results(model)[-1])["error"]
    assert ended.outcome.output == "Fair."


async def test_bad_arguments_never_end_the_run() -> None:
    """The host's own reading of them would end it at the second refusal."""
    broken = [calls(("send", given)) for given in ({}, {"to": 5}, {"to": "Oslo", "by": "air"})]
    desk = Desk()
    ended = await ran(ScriptedModel(*broken, calls(("send", {"to": "Oslo"})), says("Sent.")), desk=desk)
    assert ended.outcome.output == "Sent." and desk.did == ["sending Oslo", "sent Oslo"]


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


async def test_an_answer_that_is_none_is_raised_and_nothing_is_run() -> None:
    async def person(hold: OpenHold) -> Any:
        return True

    desk = Desk()
    with pytest.raises(InputError, match=r"Yes\(\), No\(\) or Say"):
        await run(
            clerk(Approval("send")), "Do it.", model=ScriptedModel(calls(("send", {"to": "Oslo"})), says("Done.")), deps=desk, ask=person
        )
    assert desk.did == []


async def test_a_tool_that_says_nothing_happened_and_one_that_broke_are_two_things() -> None:
    events: list[Event] = []
    model = ScriptedModel(calls(("send", {"to": "nowhere"})), calls(("send", {"to": "the void"})), says("Hm."))
    ended = await ran(model, on_event=lambda event, state: events.append(event))
    assert json.loads(results(model)[0]) == {"error": "there is no such place"}
    assert "it may have happened, so check before repeating it" in results(model)[1]
    assert len([event for event in events if isinstance(event, ToolLost)]) == 1
    requests = [message for message in ended.messages if isinstance(message, ModelRequest)]
    assert [part.outcome for each in requests for part in each.parts if isinstance(part, ToolReturnPart)] == ["failed", "failed"]


async def test_case_17_only_a_reply_that_was_not_cut_runs_its_calls() -> None:
    desk = Desk()
    await ran(ScriptedModel(cut(calls(("send", {"to": "Oslo"}))), says("Sorry.")), desk=desk)
    assert desk.did == []


async def test_more_calls_than_anybody_handles_are_kept_from_the_host() -> None:
    desk = Desk()
    model = ScriptedModel(calls(*[("weather", {"city": str(number)}) for number in range(34)]), says("Many."))
    await ran(model, desk=desk)
    assert len([line for line in desk.did if line.startswith("asking")]) == len(results(model)) == 32
    assert "the last 2 calls were dropped" in repr(model.requests[1].messages[-1])


async def test_a_text_that_a_guard_refuses_is_sent_back_with_the_reason_as_often_as_the_ring_says() -> None:
    """The host's own way to send a text back ends the run at the second one."""
    model = ScriptedModel(says("word " * 30 + "."), says(""), says("Short."))
    ended = await ran(model, AnswerLimit(10))
    assert ended.outcome.output == "Short."
    assistant, note = model.requests[1].messages[-2:]
    assert isinstance(assistant, AssistantMessage) and isinstance(note, UserMessage)
    assert note.said[0].ours and "[note] " not in note.said[0].text
    assert "was empty" in repr(model.requests[2].messages[-1])


async def test_an_answer_that_the_ring_has_cut_is_the_hosts_too() -> None:
    long = "One two three. " * 5
    host = hosted(clerk(AnswerLimit(6)), ScriptedModel(says(long), says(long)))
    assert (await host.run("Do it.", deps=Desk())).output == "One two three. One two three."


async def test_an_empty_answer_that_is_wanted_ends_the_run() -> None:
    ended = await run(clerk(empty_reply="accept"), "Do it.", model=ScriptedModel(says("")), deps=Desk())
    assert (ended.outcome.status, ended.outcome.output) == (Status.COMPLETED, "")


async def test_case_23_a_refusal_is_an_outcome_and_its_words_are_kept() -> None:
    ended = await ran(ScriptedModel(refuses("I will not.")))
    assert (ended.outcome.status, ended.outcome.output) == (Status.REFUSED, "I will not.")
    assert kinds(ended) == [UserMessage, AssistantMessage] and "I will not." in repr(ended.messages[-1])


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
    kept = messages_of(ended.messages)
    called = [call.id for message in kept if isinstance(message, AssistantMessage) for call in message.calls]
    assert called and called == [message.call for message in kept if isinstance(message, ToolMessage)]
    assert isinstance(kept[-1], AssistantMessage) and "I had to stop" in str(kept[-1].text)


@pytest.mark.slow
async def test_the_hosts_own_bound_of_fifty_requests_is_not_the_rings() -> None:
    ended = await ran(ScriptedModel(*[calls(("weather", {"city": str(number)})) for number in range(60)], says("Done.")))
    assert ended.outcome.output == "Done."


async def test_a_model_failure_is_an_outcome_and_keeps_the_work() -> None:
    ended = await ran(ScriptedModel(calls(("weather", KNOW)), fails(detail="down")))
    assert ended.outcome.status is Status.FAILED and "down" in str(ended.outcome.reason)
    assert kinds(ended) == WORK


async def test_history_is_what_the_host_keeps_and_the_next_run_begins_with_it() -> None:
    first = await ran(ScriptedModel(calls(("weather", KNOW)), says("Fair.")))
    kept = ModelMessagesTypeAdapter.validate_json(ModelMessagesTypeAdapter.dump_json(first.messages))  # plain data: it can be stored
    model = ScriptedModel(says("As I said."))
    second = await ran(model, history=kept)
    assert [type(message) for message in model.requests[0].messages] == [*WORK, UserMessage]
    assert kinds(second) == [*WORK, UserMessage, AssistantMessage]


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
    both = [hosted(agent, model).run("Do it.", deps=desk) for model, desk in zip(models, desks, strict=True)]
    assert [ended.output for ended in await asyncio.gather(*both)] == ["Fair.", "Fair."]
    assert [desk.did for desk in desks] == [["asking Oslo", "knows Oslo"]] * 2


class Hearing(AbstractCapability[Any]):
    """A capability of one's own, as somebody would write it."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    async def wrap_tool_execute(self, ctx: RunContext[Any], *, call: Any, tool_def: Any, args: Any, handler: Any) -> Any:
        self.heard.append(f"start {call.tool_name}")
        try:
            result = await handler(args)
        except ToolFailedError as failed:
            self.heard.append(f"failed {failed.tool_failed.content}")
            raise
        self.heard.append(f"end {call.tool_name} {result}")
        return result


async def test_capabilities_of_ones_own_hear_of_tools_that_really_run() -> None:
    hearing = Hearing()
    model = ScriptedModel(
        calls(("send", {"to": "Oslo"}), ("send", {})), calls(("send", {"to": "nowhere"})), calls(("nothing", {})), says("Done.")
    )
    await ran(model, capabilities=[hearing])
    assert hearing.heard == ["start send", "end send sent", "start send", "failed there is no such place"]


async def test_the_ring_is_outermost_wherever_it_stands() -> None:
    hearing = Hearing()
    model = ScriptedModel(calls(("send", {})), calls(("send", {"to": "Oslo"})), says("Done."))
    agent = pydantic_ai.Agent(PortedModel(model, "some-model"), capabilities=[hearing, Ring(clerk())])
    await agent.run("Do it.", deps=Desk())
    assert hearing.heard == ["start send", "end send sent"]


async def test_a_capability_that_answers_in_the_tools_place_is_found_out() -> None:
    class Caching(AbstractCapability[Any]):
        async def wrap_tool_execute(self, ctx: RunContext[Any], **given: Any) -> str:
            return "as last time"

    with pytest.raises(AgentError, match="in the tool's place"):
        await ran(ScriptedModel(calls(("weather", KNOW))), capabilities=[Caching()])


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
    """The host's run is gone with its process. What was running is repeated where that is safe, and told as unknown where it is not."""
    journal, desk, stuck = MemoryJournal(), Desk(), asyncio.Event()

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
        ended = await resume("run_1", agent=agent, model=model, journal=journal, deps=desk)
    assert isinstance(ended, Outcome) and ended.output == "Gone on."
    assert desk.did == (["paying"] if writes else ["looking", "looking"])
    assert ("outcome of this call is unknown" in results(model)[0]) is writes


async def test_the_journal_is_one_of_ours_and_has_what_was_said_before() -> None:
    journal, events = MemoryJournal(), list[Event]()
    first = await ran(ScriptedModel(calls(("weather", KNOW)), says("Fair.")))
    ended = await ran(
        ScriptedModel(calls(("weather", {"city": "Voss"})), says("Fair.")),
        history=first.messages,
        journal=journal,
        run_id="run_2",
        on_event=lambda event, state: events.append(event),
    )
    kept = await journal.read("run_2")
    assert list(kept) == events and fold(kept).outcome == ended.outcome
    assert [type(event) for event in kept if isinstance(event, ToolStarted | ToolReturned)] == [ToolStarted, ToolReturned]
    assert [type(message) for message in fold(kept).transcript] == [*WORK, *WORK]


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


def own(ring: Ring, *replies: Any, **more: Any) -> pydantic_ai.Agent[Any, Any]:
    """An agent of somebody's own, with the ring in it."""
    return pydantic_ai.Agent(PortedModel(ScriptedModel(*replies), "some-model"), capabilities=[ring, *more.pop("capabilities", [])], **more)


async def test_the_ring_goes_into_an_agent_of_ones_own_for_any_number_of_runs() -> None:
    model = ScriptedModel(calls(("send", {"to": "Oslo"})), says("First the weather."), says("Hello."))
    agent = pydantic_ai.Agent(
        PortedModel(model, "some-model"), instructions="Mine.", capabilities=[Ring(clerk(Prerequisite("send", of="weather")))]
    )
    first = await agent.run("Do it.", deps=Desk())
    second = await agent.run("Hello!", deps=Desk(), message_history=first.all_messages())
    assert (first.output, second.output) == ("First the weather.", "Hello.")
    assert "weather" in json.loads(results(model, 1)[0])["error"] and model.requests[0].system == "Mine.\n\nBe kind."


async def test_in_an_agent_of_ones_own_an_end_that_is_no_answer_is_raised() -> None:
    agent = own(Ring(clerk(TurnLimit(1))), calls(("weather", KNOW)))
    with pytest.raises(RunOver, match=r"failed.*TurnLimit\(1\)") as over:
        await agent.run("Do it.", deps=Desk())
    assert over.value.outcome.limit == "TurnLimit(1)"


async def test_a_bound_of_the_hosts_own_ends_our_run_too() -> None:
    journal, states = MemoryJournal(), list[RunState]()
    agent = own(Ring(clerk(), journal=journal, on_event=lambda event, state: states.append(state)), calls(("weather", KNOW)))
    with pytest.raises(UsageLimitExceeded):
        await agent.run("Do it.", deps=Desk(), usage_limits=UsageLimits(request_limit=1))
    assert states[-1].outcome is not None and states[-1].outcome.status is Status.CANCELLED
    assert "pydantic-ai gave the run up (UsageLimitExceeded)" in str(states[-1].outcome.reason)


async def test_a_tool_that_no_guard_knows_is_refused_before_the_model_is_asked() -> None:
    agent = own(Ring(clerk()))

    @agent.tool_plain
    def wipe() -> str:
        return "wiped"

    with pytest.raises(AgentError, match=r"\['wipe'\] are none of the agent 'clerk'"):
        await agent.run("Do it.", deps=Desk())


async def test_what_would_be_called_beside_the_ring_is_refused_before_the_model_is_asked() -> None:
    for agent, words in [
        (own(Ring(clerk()), output_type=list[int]), "final_result"),
        (own(Ring(clerk()), capabilities=[pydantic_ai.capabilities.NativeTool(WebSearchTool())]), "web_search"),
    ]:
        with pytest.raises(AgentError, match=words):
            await agent.run("Do it.", deps=Desk())


async def test_nothing_is_streamed_under_the_ring() -> None:
    with pytest.raises(InputError, match="nothing is streamed"):
        async with own(Ring(clerk()), says("Hello.")).run_stream("Do it.", deps=Desk()):
            pass


async def test_a_message_that_is_no_text_is_refused() -> None:
    prompts: list[Any] = [["Look:", ImageUrl("https://example.org/a.png")], None]
    for prompt in prompts:
        with pytest.raises(InputError, match="text"):
            await own(Ring(clerk())).run(prompt, deps=Desk())


def test_a_reply_is_the_same_there_and_back() -> None:
    for answer in (
        ModelAnswer(text="Hello.", finish="length", extra={"reasoning_content": "Hm."}),
        ModelAnswer(text="I look.", calls=(AnsweredCall(provider_id="a", name="weather", arguments='{"city'),), finish="tool_calls"),
        ModelAnswer(refusal="No.", finish="stop"),
    ):
        assert answer_of(response_of(answer, "some-model")) == msgspec.structs.replace(answer, usage=Usage(calls=1))


async def test_the_reasoning_of_a_model_goes_back_to_it() -> None:
    thought = {"reasoning_content": "Oslo is far."}
    call = AnsweredCall(provider_id="a", name="weather", arguments='{"city": "Oslo"}')
    model = ScriptedModel(ModelAnswer(calls=(call,), extra=thought), says("Fair."))
    await ran(model)
    assert [message.extra for message in model.requests[1].messages if isinstance(message, AssistantMessage)] == [thought]


def test_system_prompts_in_a_history_are_no_messages() -> None:
    assert messages_of([ModelRequest(parts=[SystemPromptPart("Be brief.")])]) == ()


@asynccontextmanager
async def host_model(*played: Any) -> AsyncIterator[tuple[OpenAIChatModel, Provider]]:
    """The host's own model on the official client, and a provider that keeps what it was asked."""
    provider = Provider(*played)
    async with serving(provider.app) as url, AsyncOpenAI(base_url=url, api_key="sk-test", max_retries=0) as client:
        yield OpenAIChatModel("some-model", provider=OpenAIProvider(openai_client=client)), provider


def asks(*wanted: tuple[str, str, str], finish: str = "tool_calls") -> Any:
    """A completion with calls: id, tool, arguments."""
    made = [{"id": id, "type": "function", "function": {"name": name, "arguments": arguments}} for id, name, arguments in wanted]
    return replies(whole({"content": None, "tool_calls": made}, finish=finish))


async def test_the_hosts_own_model_works_as_well_and_every_request_is_one_that_a_strict_provider_takes() -> None:
    events: list[Event] = []
    desk = Desk()
    played = (
        asks(("a", "weather", '{"city": "Oslo"}'), ("b", "nothing", "{}"), ("c", "send", '{"to": 5}'), ("d", "send", '{"to": ')),
        asks(("e", "send", '{"to": "Oslo"}')),
        replies(whole({"content": ""})),
        replies(whole({"content": "Done."})),
    )
    async with host_model(*played) as (model, provider):
        ended = await run(
            clerk(Prerequisite("send", of="weather")),
            "Do it.",
            model=model,
            deps=desk,
            on_event=lambda event, state: events.append(event),
        )
    assert ended.outcome.output == "Done." and desk.did == ["asking Oslo", "knows Oslo", "sending Oslo", "sent Oslo"]
    assert [event.code for event in events if isinstance(event, CallRefused)] == ["unknown_tool", "arguments", "arguments"]
    assert [wrong for body in provider.bodies for wrong in check_request(body)] == []
    told = [message["content"] for message in provider.bodies[1]["messages"] if message["role"] == "tool"]
    assert [list(json.loads(text)) for text in told] == [["city", "weather"], ["error"], ["error"], ["error"]]
    functions = [declared["function"] for declared in provider.bodies[0]["tools"]]
    assert [function["parameters"] for function in functions] == [each.declaration["function"]["parameters"] for each in (weather, send)]
    assert not any(function.get("strict") for function in functions)


async def test_case_17_the_hosts_own_model_says_that_it_was_cut_so_nothing_runs() -> None:
    desk = Desk()
    async with host_model(asks(("a", "send", '{"to": "Oslo"}'), finish="length"), replies(whole({"content": "Sorry."}))) as (model, _):
        await run(clerk(), "Do it.", model=model, deps=desk)
    assert desk.did == []


async def test_case_34_a_provider_that_refuses_the_hosts_own_model_is_a_failed_run() -> None:
    async with host_model(asks(("a", "weather", '{"city": "Oslo"}')), provider_fails(401, "sk-test-hunter2 is not known")) as (model, _):
        ended = await run(clerk(), "Do it.", model=model, deps=Desk())
    assert ended.outcome.status is Status.FAILED and "unauthorised" in str(ended.outcome.reason)
    assert "hunter2" not in str(ended.outcome.reason)
    assert kinds(ended) == WORK


async def test_where_every_model_of_several_fails_the_run_has_failed_with_the_last_ones_reason() -> None:
    async with host_model(provider_fails(500, "down"), provider_fails(401, "sk-test-hunter2")) as (model, provider):
        ended = await run(clerk(), "Do it.", model=FallbackModel(model, model), deps=Desk())
    assert ended.outcome.status is Status.FAILED and "unauthorised" in str(ended.outcome.reason)
    assert len(provider.bodies) == 2


async def test_a_provider_that_is_not_there_is_a_failed_run() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # nobody else gets it, and nobody listens
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        async with AsyncOpenAI(base_url=url, api_key="sk-test", max_retries=0) as client:
            model = OpenAIChatModel("some-model", provider=OpenAIProvider(openai_client=client))
            ended = await run(clerk(), "Do it.", model=model, deps=Desk())
    assert ended.outcome.status is Status.FAILED and "could not be reached" in str(ended.outcome.reason)
