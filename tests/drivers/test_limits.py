"""Limits and foolish models, from the first message to the outcome."""

from typing import Any

import pytest

from handrail import run, stream
from handrail.core.events import Event
from handrail.drivers.in_process import history_of
from handrail.guards import CallLimit, TurnLimit
from handrail.stores.journals import MemoryJournal
from handrail.testing import ScriptedModel, calls, check_transcript, says
from handrail.vocab.messages import AssistantMessage, Message
from handrail.vocab.outcomes import Status
from tests.drivers.kit import Desk, agent, done, find, submit, told

NOTHING = [says(None), says(""), says("  \n"), says(None, extra={"reasoning_content": "hm"})]


def empty_replies(messages: tuple[Message, ...]) -> list[Message]:
    return [message for message in messages if isinstance(message, AssistantMessage) and not message.text and not message.calls]


@pytest.mark.parametrize("nothing", NOTHING, ids=repr)
async def test_case_18_silence_after_a_tool_gets_one_nudge_and_then_a_visible_failure(nothing: Any) -> None:
    journal = MemoryJournal()
    with ScriptedModel(calls(("find", {"name": "a"})), nothing, nothing) as model:
        outcome = done(await run(agent(find), "hi", model=model, deps=Desk(), journal=journal, run_id="r"))
    assert (outcome.status, outcome.reason) == (Status.FAILED, "the model replied with nothing, twice")
    assert "[Your last reply was empty" in told(model.requests[2].messages)[-1]
    history = await history_of("r", journal=journal)
    assert empty_replies(history) == [] and check_transcript(history) == []
    assert "I had to stop" in told(history)[-1]


@pytest.mark.parametrize("nothing", NOTHING, ids=repr)
async def test_case_18_silence_on_the_first_turn_is_a_visible_failure_too(nothing: Any) -> None:
    with ScriptedModel(nothing, nothing) as model:
        assert done(await run(agent(), "hi", model=model)).status is Status.FAILED


async def test_case_18_an_answer_after_the_nudge_is_the_answer() -> None:
    with ScriptedModel(says(None), says("sorry")) as model:
        assert done(await run(agent(), "hi", model=model)).output == "sorry"


async def test_case_18_where_silence_is_accepted_it_is_a_clean_end_and_no_message() -> None:
    journal = MemoryJournal()
    with ScriptedModel(calls(("find", {"name": "a"})), says(None)) as model:
        accepts = agent(find, empty_reply="accept")
        outcome = done(await run(accepts, "hi", model=model, deps=Desk(), journal=journal, run_id="r"))
    assert (outcome.status, outcome.output) == (Status.COMPLETED, "")
    assert empty_replies(await history_of("r", journal=journal)) == []


async def test_case_28_a_tool_is_only_forced_for_the_one_reply_in_which_a_run_lands() -> None:
    talks = [calls(("find", {"name": str(number)})) for number in range(4)]
    limited = agent(find, submit, submit="submit", guards=[TurnLimit(5)], land=lambda ledger: "landed")
    with ScriptedModel(*talks, calls(("submit", {"text": "done"}))) as model:
        outcome = done(await run(limited, "hi", model=model, deps=Desk()))
    assert outcome.output == {"handed in": "done"} and outcome.partial
    assert [request.choice for request in model.requests] == ["auto", "auto", "auto", "auto", "submit"]


async def test_case_28_a_tool_whose_own_limit_is_used_up_is_not_forced_but_gone() -> None:
    with ScriptedModel(calls(("find", {"name": "a"})), calls(("find", {"name": "b"})), says("I am done.")) as model:
        outcome = done(await run(agent(find, guards=[CallLimit("find", most=1)]), "hi", model=model, deps=Desk()))
    assert outcome.output == "I am done."
    assert [(len(request.tools), request.choice) for request in model.requests] == [(1, "auto"), (0, "auto"), (0, "auto")]


async def as_stream(*arguments: Any, **more: Any) -> Any:
    running = stream(*arguments, **more)
    async for _ in running:
        pass
    return running.outcome


@pytest.mark.parametrize("runs", [run, as_stream], ids=["run", "stream"])
async def test_case_29_a_turn_limit_keeps_what_was_done_and_the_next_message_sees_it(runs: Any) -> None:
    journal = MemoryJournal()
    limited = agent(find, guards=[TurnLimit(2)])
    model = ScriptedModel(calls(("find", {"name": "a"})), calls(("find", {"name": "b"}), ("find", {"name": "c"})))
    outcome = done(await runs(limited, "hi", model=model, deps=Desk(), journal=journal, run_id="r"))
    assert (outcome.status, outcome.limit) == (Status.FAILED, "TurnLimit(2)")
    history = await history_of("r", journal=journal)
    assert check_transcript(history) == []
    assert told(history) == [
        "user: hi",
        'assistant: find({"name":"a"})',
        'tool: t1c1 {"found":"a"}',
        'assistant: find({"name":"b"}) find({"name":"c"})',
        'tool: t2c1 {"error":"No turn is left to use the result; this was not run."}',
        'tool: t2c2 {"error":"No turn is left to use the result; this was not run."}',
        "assistant: I had to stop before this was done: limit reached: TurnLimit(2).",
    ]
    again = ScriptedModel(says("I found a."))
    assert done(await runs(limited, "and?", model=again, history=history, deps=Desk())).output == "I found a."
    assert 'tool: t1c1 {"found":"a"}' in told(again.requests[0].messages)


async def test_case_29_both_ways_of_running_write_the_same() -> None:
    kept: list[list[Event]] = []
    for runs in (run, as_stream):
        journal = MemoryJournal()
        model = ScriptedModel(calls(("find", {"name": "a"})), calls(("find", {"name": "b"})))
        await runs(agent(find, guards=[TurnLimit(2)]), "hi", model=model, deps=Desk(), journal=journal, run_id="r")
        kept.append([*await journal.read("r")])
    assert [type(event) for event in kept[0]] == [type(event) for event in kept[1]]
