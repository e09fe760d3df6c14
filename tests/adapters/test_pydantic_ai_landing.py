"""pydantic-ai as the loop of an agent that submits: the ring ends its run, near a limit too, and what is kept can be gone on from."""

import json
from typing import Any

import pytest
from pydantic_ai import ModelResponse

from handrail import Agent
from handrail.adapters.pydantic_ai import hosted, run
from handrail.adapters.pydantic_ai.messages import messages_of
from handrail.guards import AnswerLimit, TurnLimit
from handrail.guards.base import BaseGuard
from handrail.testing import ScriptedModel, calls, fails, says
from handrail.vocab.messages import ToolMessage
from handrail.vocab.outcomes import Status
from tests.adapters.desk import KNOW, Desk, clerk, submit, weather


def reporter(*guards: BaseGuard, **changes: Any) -> Agent:
    """An agent that hands a report in, and can compose one."""
    declared: dict[str, Any] = {"tools": [weather, submit], "submit": "submit", "land": lambda ledger: {"found": len(ledger.facts)}}
    return clerk(*guards, **(declared | changes))


async def test_what_is_submitted_ends_the_run_and_the_rest_of_the_reply_is_not_run() -> None:
    desk = Desk()
    model = ScriptedModel(says("I think it is fair."), calls(("submit", {"text": "fair"}), ("weather", KNOW)))
    host = hosted(reporter(), model)
    ended = await host.run("Do it.", deps=desk)
    assert ended.output == "fair" and desk.did == []
    returned, refused = [message.content for message in messages_of(ended.all_messages()) if isinstance(message, ToolMessage)]
    assert returned == "fair" and list(json.loads(refused)) == ["error"]
    assert "submit" in repr(model.requests[1].messages[-1])
    with ScriptedModel(says("Yes.")) as model:
        again = await run(clerk(), "Sure?", model=model, deps=desk, history=ended.all_messages())
    assert again.outcome.output == "Yes."


async def test_a_run_near_its_limit_is_offered_less_then_forced_then_landed_without_the_model() -> None:
    looks = [calls(("weather", {"city": str(number)})) for number in range(4)]
    model = ScriptedModel(*looks)
    ended = await run(reporter(TurnLimit(4)), "Do it.", model=model, deps=Desk())
    assert ended.outcome.partial and (ended.outcome.status, ended.outcome.output) == (Status.COMPLETED, {"found": 2})
    offered = [[declared["function"]["name"] for declared in request.tools] for request in model.requests]
    assert offered == [["weather", "submit"], ["weather", "submit"], ["submit"], ["submit"]]
    assert [request.choice for request in model.requests] == ["auto", "auto", "auto", "submit"]
    assert isinstance(ended.messages[-1], ModelResponse) and '{"found":2}' in repr(ended.messages[-1])


@pytest.mark.parametrize("last", [says("No."), fails(detail="down")], ids=["a text", "a failure"])
async def test_whatever_the_last_reply_is_the_landing_is_the_hosts_output(last: Any) -> None:
    model = ScriptedModel(calls(("weather", KNOW)), *[says("Hm.")] * 2, last)
    host = hosted(reporter(TurnLimit(4)), model)
    ended = await host.run("Do it.", deps=Desk())
    assert ended.output == {"found": 1}
    with ScriptedModel(says("Yes.")) as model:  # it refuses a history that a strict provider would refuse
        await run(clerk(), "Sure?", model=model, deps=Desk(), history=ended.all_messages())


async def test_a_run_that_was_stopped_after_a_refused_text_has_a_history_that_a_strict_provider_takes() -> None:
    first = await run(clerk(AnswerLimit(10)), "Do it.", model=ScriptedModel(says("word " * 30 + "."), fails(detail="down")), deps=Desk())
    assert first.outcome.status is Status.FAILED
    with ScriptedModel(says("Yes.")) as model:
        await run(clerk(), "Sure?", model=model, deps=Desk(), history=first.messages)
