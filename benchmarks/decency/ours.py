"""Handrail's planner: inside its ring, with an empty ring, and with one thing of the ring taken out."""

import asyncio
import json
from collections.abc import Sequence
from functools import partial
from typing import Any

from benchmarks.decency.answers import Answers
from benchmarks.decency.cases import Case, System
from benchmarks.decency.record import Record
from benchmarks.decency.watching import Watched
from handrail import Agent, No, Outcome, RunState, Say, Yes, run
from handrail.apps.trips.agent import agent as planner
from handrail.core.ring import Guard
from handrail.drivers.handle import RunHandle
from handrail.models import OpenAIChat
from handrail.models.traits import OPENAI
from handrail.models.wire import Wire
from handrail.tools import Tool
from handrail.vocab.answers import PersonAnswer
from handrail.vocab.messages import Message
from handrail.vocab.outcomes import HoldKind, OpenHold
from handrail.vocab.requests import ModelRequest

ALL_AT_ONCE = frozenset({"Grounded"})
"""Kinds of guards that stand in for each other, so one alone would not be missed."""


async def handrail(case: Case, url: str, record: Record) -> None:
    """The planner inside its ring."""
    await _run(planner(seconds=record.limit, model=case.model), url, record)


async def no_ring(case: Case, url: str, record: Record) -> None:
    """The same runtime with an empty ring, and what every peer has from outside: a time-out, and an apology where there is no plan."""
    try:
        async with asyncio.timeout(record.limit):
            await _run(planner(model=case.model).but(guards=()), url, record)
    except TimeoutError:
        record.sorry("The planner could not finish in time.")
    if not isinstance(record.output, dict):
        record.sorry("The planner has not come to a plan.")


def without(part: str) -> System:
    """The planner inside its ring but for one of its `parts`."""

    async def system(case: Case, url: str, record: Record) -> None:
        agent = planner(seconds=record.limit, model=case.model)
        await _run(agent.but(guards=[guard for guard in agent.guards if part_of(guard) != part]), url, record)

    return system


def parts() -> list[str]:
    """What can be taken out of the ring, in its order."""
    return list(dict.fromkeys(map(part_of, planner().guards)))


def part_of(guard: Guard) -> str:
    """The name under which a guard is taken out: its own but for what is its value, or its kind's."""
    kind = type(guard).__name__
    return kind if kind in ALL_AT_ONCE or kind.endswith("Limit") or kind == "NoProgress" else guard.name


async def _run(agent: Agent, url: str, record: Record) -> None:
    agent = agent.but(tools=[Watched(tool, record) for tool in agent.tools.values() if isinstance(tool, Tool)])
    handle = RunHandle()
    answers = Answers(record)
    last: list[RunState] = []

    def on_event(event: Any, state: RunState) -> None:
        last[:] = [state]
        if (says := answers.changed()) is not None and not handle.over:
            handle.say(says)

    model = OpenAIChat(base_url=url, api_key="rehearsal")
    try:
        ended = await run(agent, record.task.says, model=model, ask=partial(_answered, answers), on_event=on_event, handle=handle)
    finally:
        await model.close()
        if last:
            record.messages = _on_the_wire(last[0].transcript)
    if isinstance(ended, Outcome):
        record.ended, record.output, record.unread = str(ended.status), ended.output, ended.unread
        record.partial, record.unconfirmed = ended.partial, ended.unconfirmed


async def _answered(answers: Answers, hold: OpenHold) -> PersonAnswer:
    if hold.kind is not HoldKind.APPROVAL:
        return Say(answers.to_question())
    wrong = answers.to_call(str(hold.tool), json.loads(hold.arguments or "{}"), str(hold.show))
    return Yes(by="traveller") if wrong is None else No(comment=wrong)


def _on_the_wire(transcript: Sequence[Message]) -> list[dict[str, Any]]:
    """The transcript as a provider is sent it."""
    if not transcript:
        return []
    body = json.loads(Wire(OPENAI).body(ModelRequest(model="any", system="", messages=tuple(transcript))))
    messages: list[dict[str, Any]] = body["messages"]
    return messages
