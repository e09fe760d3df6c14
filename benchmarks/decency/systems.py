"""The two systems: the planner inside its ring, and the same tools and instructions in a plain loop.

- Both get the same task, the same travellers, the same model at the same address, and 6 seconds.
- The plain loop is what one writes by hand: arguments are validated and errors go back to the model, each call to the provider may take
  as long as the limit, and it ends after 40 turns. What it does not have is the ring.
- A run that is not back after `GIVEN_UP` times its limit is stopped from outside, and counts as late.
"""

import asyncio
import json
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any

import msgspec
from openai import AsyncOpenAI

from benchmarks.decency.record import Agreed, Changed, Record
from benchmarks.decency.travellers import Travellers, task_for
from benchmarks.decency.watching import Watched
from handrail import Agent, Fact, Ledger, No, Outcome, RunState, Say, ToolContext, Yes, run
from handrail.apps.trips.agent import agent as planner
from handrail.core.ring import Unfit
from handrail.drivers.handle import RunHandle
from handrail.models import OpenAIChat
from handrail.models.traits import OPENAI
from handrail.models.wire import Wire
from handrail.tools import Failed, Lost, Returned, Tool
from handrail.vocab.answers import PersonAnswer
from handrail.vocab.calls import Where
from handrail.vocab.messages import Message
from handrail.vocab.outcomes import HoldKind, OpenHold
from handrail.vocab.requests import ModelRequest

LIMIT = 6.0
GIVEN_UP = 3
MOST_TURNS = 40


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """One run: how the model behaves, and the seed of everything."""

    temperament: str
    seed: int

    @property
    def model(self) -> str:
        """The model's name, by which the server knows how to behave."""
        return f"{self.temperament}:{self.seed}"


System = Callable[[Case, str, Record], Coroutine[Any, Any, None]]
"""Runs a case against the model at an address, and fills the record in."""


async def measured(system: System, case: Case, url: str, *, limit: float = LIMIT, given_up: float = GIVEN_UP) -> Record:
    """One run from the beginning to the end, whatever happens."""
    record = Record(task=task_for(case.seed), limit=limit, steps=[])
    begun = time.monotonic()
    going = asyncio.create_task(system(case, url, record))
    done, _ = await asyncio.wait({going}, timeout=given_up * limit)
    record.seconds = time.monotonic() - begun
    going.cancel()
    await asyncio.wait({going})
    error = going.exception() if done else None
    if error is not None:
        record.raised = f"{type(error).__name__}: {error}"[:300]
    return record


async def handrail(case: Case, url: str, record: Record) -> None:
    """The planner inside its ring."""
    agent = planner(seconds=record.limit, model=case.model)
    agent = agent.but(tools=[Watched(tool, record) for tool in _tools(agent)])
    handle = RunHandle()
    answers = _Answers(record)
    last: list[RunState] = []

    def on_event(event: Any, state: RunState) -> None:
        last[:] = [state]
        if (says := answers.changed()) is not None and not handle.over:
            handle.say(says)

    model = OpenAIChat(base_url=url, api_key="rehearsal")
    try:
        ended = await run(agent, record.task.says, model=model, ask=answers.to, on_event=on_event, handle=handle)
    finally:
        await model.close()
        if last:
            record.messages = _on_the_wire(last[0].transcript)
    if isinstance(ended, Outcome):
        record.ended, record.output, record.unread = str(ended.status), ended.output, ended.unread
        record.partial, record.unconfirmed = ended.partial, ended.unconfirmed
        record.model_calls, record.tokens = ended.usage.calls, ended.usage.total


async def no_ring(case: Case, url: str, record: Record) -> None:
    """The plain loop."""
    agent = planner(model=case.model)
    loop = _PlainLoop(agent, {tool.name: Watched(tool, record) for tool in _tools(agent)}, _Answers(record), record)
    async with AsyncOpenAI(base_url=url, api_key="rehearsal", timeout=record.limit) as client:
        await loop.run(client)


SYSTEMS: Mapping[str, System] = {"handrail": handrail, "no-ring": no_ring}


class _Answers:
    """Asks the travellers, and notes down what they agree to and when they change their mind."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._travellers = Travellers(record.task)
        self._has_changed = False

    async def to(self, hold: OpenHold) -> PersonAnswer | None:
        """The answer to a hold."""
        if hold.kind is not HoldKind.APPROVAL:
            return Say(self._travellers.in_words())
        wrong = self._travellers.on_brief(str(hold.show)) if hold.tool == "record_brief" else self._travellers.on_outline()
        if wrong is not None:
            return No(comment=wrong)
        self._record.steps.append(Agreed(tool=str(hold.tool), arguments=json.loads(hold.arguments or "{}")))
        return Yes(by="traveller")

    def in_words(self) -> str:
        """The answer to a question."""
        return self._travellers.in_words()

    def changed(self) -> str | None:
        """What they say when they change their mind: once, when it is time."""
        change, done = self._record.task.change, sum(getattr(step, "ok", False) for step in self._record.steps)
        if change is None or self._has_changed or done < change.after:
            return None
        self._has_changed = True
        self._travellers.change(change)
        self._record.steps.append(Changed(said=change.says, wants=change.wants))
        return change.says


class _PlainLoop:
    """Ask the model, run what it calls, send the results back, until it submits or talks."""

    def __init__(self, agent: Agent, tools: Mapping[str, Watched], answers: _Answers, record: Record) -> None:
        self._agent = agent
        self._tools = tools
        self._answers = answers
        self._record = record
        self._facts: list[Fact] = []
        self._messages: list[dict[str, Any]] = [
            {"role": "system", "content": agent.instructions},
            {"role": "user", "content": record.task.says},
        ]
        record.messages = self._messages

    async def run(self, client: AsyncOpenAI) -> None:
        """The loop."""
        declarations: Any = [tool.declaration for tool in self._tools.values()]
        messages: Any = self._messages
        for _ in range(MOST_TURNS):
            completion = await client.chat.completions.create(model=self._agent.model, messages=messages, tools=declarations)
            self._record.model_calls += 1
            self._record.tokens += completion.usage.total_tokens if completion.usage is not None else 0
            message = completion.choices[0].message
            self._messages.append(message.model_dump(include={"role", "content", "tool_calls"}, exclude_none=True))
            if not message.tool_calls:
                self._record.ended, self._record.output = "completed", message.content or ""
                return
            for call in message.tool_calls:
                function: Any = getattr(call, "function", None)
                content, submitted = await self._called(function.name, function.arguments)
                self._messages.append({"role": "tool", "tool_call_id": call.id, "content": content})
                if submitted:
                    self._record.ended, self._record.output = "completed", json.loads(content)
                    self._answer_the_rest(message.tool_calls, call.id)
                    return
            if (says := self._answers.changed()) is not None:
                self._messages.append({"role": "user", "content": says})
        self._record.ended = f"no end after {MOST_TURNS} turns"

    async def _called(self, name: str, arguments: str) -> tuple[str, bool]:
        """What a call leads to, and whether it was the plan."""
        tool = self._tools.get(name)
        if tool is None:
            return _error(f"there is no tool {name!r}"), False
        parsed = tool.parse(arguments)
        if isinstance(parsed, Unfit):
            return _error(parsed.reason), False
        if tool.where is Where.PERSON:
            return self._answers.in_words(), False
        match await tool.run(parsed.canonical, ToolContext(deps=None, ledger=Ledger().adding(self._facts))):
            case Returned() as returned:
                self._facts += returned.facts
                submitted = name == self._agent.submit
                return returned.content if submitted or returned.shown is None else returned.shown, submitted
            case Failed(error=error) | Lost(error=error):
                return _error(error), False

    def _answer_the_rest(self, calls: Sequence[Any], last: str) -> None:
        ids = [call.id for call in calls]
        self._messages += [{"role": "tool", "tool_call_id": id, "content": _error("not run")} for id in ids[ids.index(last) + 1 :]]


def _tools(agent: Agent) -> list[Tool]:
    return [tool for tool in agent.tools.values() if isinstance(tool, Tool)]


def _error(what: str) -> str:
    return json.dumps({"error": what})


def _on_the_wire(transcript: tuple[Message, ...]) -> list[dict[str, Any]]:
    """The transcript as a provider is sent it."""
    if not transcript:
        return []
    body = json.loads(Wire(OPENAI).body(ModelRequest(model="any", system="", messages=transcript)))
    messages: list[dict[str, Any]] = body["messages"]
    return messages
