"""Traces and metrics of runs: what is in them, how they hang together, and what is never in them."""

import asyncio
from typing import Any

import pytest
from opentelemetry.trace import SpanKind, StatusCode

from handrail import Agent, Say, Yes, resume, run
from handrail.guards import Approval, CallLimit, Review, TurnLimit
from handrail.service.telemetry.exporting import provider_of
from handrail.service.telemetry.names import ATTRIBUTES, CONTENTS, EVENTS, METRICS
from handrail.service.telemetry.spans import first_of
from handrail.stores.journals import MemoryJournal
from handrail.testing import ManualClock, ScriptedModel, calls, fails, refuses, says
from handrail.vocab.failures import FailureKind
from handrail.vocab.outcomes import Parked
from tests.drivers.kit import Asked, Desk, Gate, agent, broke, build, find, look, pay, submit
from tests.service.telemetry.kit import attributes, events, watched

PAY = calls(("pay", {"to": "bob-the-payee", "n": 5}))
CAPTURE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"


def nanoseconds(seconds: float, clock: ManualClock) -> int:
    return int(clock.now().timestamp() + seconds) * 1_000_000_000


async def test_a_run_is_one_span_with_a_span_for_each_model_call_and_each_tool_call() -> None:
    mini = agent(find)
    async with watched(mini) as seen:
        with ScriptedModel(calls(("find", {"name": "Ulm"})), says("It is there.")) as model:
            await run(mini, "Where?", model=model, deps=Desk(), on_event=seen.saw, run_id="run_1")
        spans = seen.spans()
        assert [span.name for span in spans] == ["chat scripted", "execute_tool find", "chat scripted", "invoke_agent mini"]
        around = spans[-1]
        assert around.parent is None
        assert (around.context.trace_id, around.context.span_id) == (first_of("run_1").trace_id, first_of("run_1").span_id)
        assert all(span.parent is not None and span.parent.span_id == around.context.span_id for span in spans[:-1])
        assert [span.kind for span in spans] == [SpanKind.CLIENT, SpanKind.INTERNAL, SpanKind.CLIENT, SpanKind.INTERNAL]
        assert attributes(spans[0]) == {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": "openai",
            "gen_ai.agent.name": "mini",
            "gen_ai.request.model": "scripted",
            "gen_ai.response.finish_reasons": ("tool_calls",),
            "gen_ai.usage.input_tokens": 10,
            "gen_ai.usage.output_tokens": 5,
        }
        assert attributes(spans[1]) == {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.provider.name": "openai",
            "gen_ai.agent.name": "mini",
            "gen_ai.tool.name": "find",
            "gen_ai.tool.call.id": "t1c1",
            "gen_ai.tool.type": "extension",
        }
        whole = attributes(around)
        assert (whole["gen_ai.usage.input_tokens"], whole["handrail.turns"], whole["handrail.outcome"]) == (20, 2, "completed")
        assert (whole["handrail.run.id"], whole["handrail.resumed"], whole["handrail.stretch.end"]) == ("run_1", False, "finished")
        assert all(span.status.status_code is StatusCode.UNSET for span in spans)


async def test_times_are_those_of_the_run() -> None:
    clock, mini, gate = ManualClock(), agent(), Gate()
    async with watched(mini) as seen:
        running = asyncio.create_task(run(mini, "Hello", model=gate, on_event=seen.saw, clock=clock))
        await gate.asked.wait()
        began = nanoseconds(0, clock)
        clock.advance(7)
        gate.open.set()
        await running
        chat = seen.named("chat scripted")
        assert (chat.start_time, chat.end_time) == (began, began + 7_000_000_000)
        (point,) = seen.metrics()["gen_ai.client.operation.duration"]
        assert (point.sum, point.count, tuple(point.explicit_bounds)) == (7.0, 1, METRICS["gen_ai.client.operation.duration"][2])


async def test_a_run_that_parks_goes_on_as_another_span_that_links_to_the_first_in_any_process() -> None:
    mini, journal = agent(pay, guards=[Approval("pay")]), MemoryJournal()
    with ScriptedModel(PAY, says("Paid.")) as model:
        async with watched(mini) as here:
            assert isinstance(await run(mini, "Pay", model=model, deps=Desk(), journal=journal, on_event=here.saw, run_id="run_2"), Parked)
            first = here.named("invoke_agent mini")
        async with watched(mini) as there:
            await resume("run_2", agent=mini, model=model, journal=journal, deps=Desk(), answer=Yes(), on_event=there.saw)
            second = there.named("invoke_agent mini")
    assert list(events(first)) == ["handrail.call.held", "handrail.parked"]
    assert events(first)["handrail.call.held"] == {
        "gen_ai.tool.call.id": "t1c1",
        "gen_ai.tool.name": "pay",
        "handrail.guard": "Approval(pay)",
        "handrail.by": "person",
    }
    assert attributes(first)["handrail.stretch.end"] == "parked" and not first.links
    assert [(link.context.trace_id, link.context.span_id) for link in second.links] == [(first.context.trace_id, first.context.span_id)]
    assert second.context.trace_id != first.context.trace_id and attributes(second)["handrail.resumed"] is True
    answered = events(second)["handrail.hold.answered"]
    assert answered == {"gen_ai.tool.call.id": "t1c1", "gen_ai.tool.name": "pay", "handrail.answer": "yes"}
    assert (attributes(first)["gen_ai.usage.input_tokens"], attributes(second)["gen_ai.usage.input_tokens"]) == (10, 10)


async def test_a_stretch_ends_with_the_task_that_drives_it() -> None:
    mini, desk = agent(build), Desk()
    async with watched(mini) as seen:
        running = asyncio.create_task(run(mini, "Build", model=ScriptedModel(calls(("build", {}))), deps=desk, on_event=seen.saw))
        await desk.begun.wait()
        running.cancel()
        await asyncio.wait({running})
        assert attributes(seen.named("invoke_agent mini"))["handrail.stretch.end"] == "left"


async def test_what_guards_say_is_an_event_with_guard_and_code() -> None:
    mini = agent(find, guards=[CallLimit("find", 1), TurnLimit(12)])
    twice = calls(("find", {"name": "Ulm"}), ("find", {"name": "Bonn"}), ("no-such-tool-made-up", {}))
    async with watched(mini) as seen:
        with ScriptedModel(twice, says("Enough.")) as model:
            await run(mini, "Where?", model=model, deps=Desk(), on_event=seen.saw)
        refused = [dict(event.attributes or {}) for event in seen.named("invoke_agent mini").events]
        assert [(each["handrail.guard"], each["handrail.code"], each["gen_ai.tool.name"]) for each in refused] == [
            ("CallLimit(find)", "call_limit", "find"),
            ("tools", "unknown_tool", "_OTHER"),
        ]
        assert "made-up" not in seen.traced()
        counted = {point.attributes["handrail.code"]: point.value for point in seen.metrics()["handrail.refusals"]}
        assert counted == {"call_limit": 1, "unknown_tool": 1}


async def test_a_landing_is_told_rung_by_rung_and_the_outcome_says_what_is_missing() -> None:
    mini = agent(find, submit, submit="submit", guards=[TurnLimit(3)], land=lambda ledger: "landed")
    replies = [calls(("find", {"name": name})) for name in ("Ulm", "Bonn", "Trier")]
    async with watched(mini) as seen:
        await run(mini, "Where?", model=ScriptedModel(*replies), deps=Desk(), on_event=seen.saw)
        span = seen.named("invoke_agent mini")
        stages = [(event.attributes or {})["handrail.landing.stage"] for event in span.events if event.name == "handrail.landing"]
        assert stages[-1] == "landed" and len(stages) > 1
        assert attributes(span)["handrail.outcome.partial"] is True and attributes(span)["handrail.limit"] == "TurnLimit(3)"


async def test_a_review_is_a_span_of_the_reviewers() -> None:
    critic = Agent(name="critic", instructions="Look for flaws.", model="critic-model")
    author = agent(submit, submit="submit", guards=[Review("submit", reviewer=critic)], land=lambda ledger: "landed")
    draft, passed = calls(("submit", {"text": "plan"})), calls(("verdict", {"passed": True, "flaws": []}))
    async with watched(author) as seen:
        with ScriptedModel(draft, passed) as model:
            await run(author, "Plan", model=model, on_event=seen.saw)
        review = attributes(seen.named("invoke_agent critic"))
        assert (review["handrail.answer"], review["gen_ai.usage.input_tokens"]) == ("passed", 10)
        assert attributes(seen.named("invoke_agent mini"))["gen_ai.usage.input_tokens"] == 20


@pytest.mark.parametrize(
    ("replies", "chat", "whole"),
    [
        ((fails(FailureKind.RATE_LIMITED, "sorry, S3NTINEL"),), "rate_limited", "rate_limited"),
        ((refuses("I will not."),), None, None),
    ],
)
async def test_a_failure_has_its_kind_and_none_of_its_words(replies: tuple[Any, ...], chat: str | None, whole: str | None) -> None:
    mini = agent()
    async with watched(mini) as seen:
        await run(mini, "Hello", model=ScriptedModel(*replies), on_event=seen.saw)
        assert attributes(seen.named("chat scripted")).get("error.type") == chat
        span = seen.named("invoke_agent mini")
        assert attributes(span).get("error.type") == whole
        assert span.status.status_code is (StatusCode.UNSET if whole is None else StatusCode.ERROR)
        assert span.status.description is None and "S3NTINEL" not in seen.traced()
        assert len(seen.metrics()["gen_ai.client.operation.duration"]) == 1


async def test_a_tool_that_fails_is_marked_and_one_whose_outcome_is_unknown_too() -> None:
    mini = agent(broke, look)
    async with watched(mini) as seen:
        with ScriptedModel(calls(("broke", {"to": "S3NTINEL"})), says("No luck.")) as model:
            await run(mini, "Try", model=model, deps=Desk(), on_event=seen.saw)
        span = seen.named("execute_tool broke")
        assert attributes(span)["error.type"] == "failed" and span.status.status_code is StatusCode.ERROR
        assert "S3NTINEL" not in seen.traced()


@pytest.mark.parametrize("wanted", [None, "false", "NO_CONTENT", "EVENT_ONLY", "true", "SPAN_ONLY"])
async def test_contents_are_in_a_span_only_where_they_are_asked_for_and_without_secrets(wanted: str | None) -> None:
    mini = agent(pay)
    environ = {"MY_API_KEY": "S3NTINEL-KEY"} | ({} if wanted is None else {CAPTURE: wanted})
    async with watched(mini, **environ) as seen:
        with ScriptedModel(PAY, says("Paid, with S3NTINEL-KEY.")) as model:
            await run(mini, "Pay bob, password=S3NTINEL", model=model, deps=Desk(), on_event=seen.saw)
        told = seen.traced()
        there = wanted in {"true", "SPAN_ONLY"}
        assert ("bob-the-payee" in told, "Pay bob" in told, "paid 5 to" in told, "Paid, with" in told) == (there,) * 4
        assert "S3NTINEL" not in told
        if there:
            first = attributes(seen.spans()[0])
            assert first["gen_ai.input.messages"] == '[{"role":"user","parts":[{"type":"text","content":"Pay bob, password=[redacted]"}]}]'
            assert attributes(seen.named("execute_tool pay"))["gen_ai.tool.call.arguments"] == '{"n":5,"to":"bob-the-payee"}'


async def test_nothing_is_emitted_that_is_in_no_table() -> None:
    mini = agent(find, pay, broke, submit, submit="submit", guards=[Approval("pay"), CallLimit("find", 1)], land=lambda ledger: "landed")
    script = [
        calls(("find", {"name": "Ulm"}), ("find", {"name": "Bonn"}), ("broke", {"to": "x"})),
        says("What shall I do? Tell me more about it, please, since I cannot know."),
        PAY,
        calls(("submit", {"text": "done"})),
    ]
    async with watched(mini, **{CAPTURE: "true"}) as seen:
        with ScriptedModel(*script) as model:
            await run(mini, "Go", model=model, deps=Desk(), ask=Asked(Say("Go on"), Yes()), on_event=seen.saw)
        used = {name for span in seen.spans() for name in attributes(span)}
        used |= {name for span in seen.spans() for event in span.events for name in event.attributes or {}}
        metrics = seen.metrics()
        used |= {name for points in metrics.values() for point in points for name in point.attributes}
        assert used <= set(ATTRIBUTES) | set(CONTENTS) and set(CONTENTS) <= used
        assert {event.name for span in seen.spans() for event in span.events} <= set(EVENTS)
        assert set(metrics) == set(METRICS)


async def test_an_event_of_an_agent_that_is_not_served_is_no_name_of_ours() -> None:
    mini = agent()
    async with watched() as seen:
        await run(mini, "Hello", model=ScriptedModel(says("Hello.")), on_event=seen.saw)
        assert [span.name for span in seen.spans()] == ["chat _OTHER", "invoke_agent _OTHER"]


def test_the_first_span_of_a_run_follows_from_its_id() -> None:
    assert first_of("run_1") == first_of("run_1") and first_of("run_1").trace_id != first_of("run_2").trace_id


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("", "openai"),
        ("https://api.openai.com/v1", "openai"),
        ("https://mine.openai.azure.com/openai", "azure.ai.openai"),
        ("https://api.groq.com/openai/v1", "groq"),
        ("https://api.mistral.ai/v1", "mistral_ai"),
        ("https://notgroq.com.evil.test/v1", "openai"),
        ("http://127.0.0.1:8091/v1", "openai"),
    ],
)
def test_a_provider_is_known_by_its_address(address: str, name: str) -> None:
    assert provider_of(address) == name
