"""One task, run by one system: the person's messages one after the other, and how things stand in the end.

- The loop, the tools and the ring are the real ones, and so are the rows that they work on.
- A task that takes too long is stopped, and was not done. What the model used until then is counted.
"""

import asyncio
import json
import time
from collections import Counter
from typing import Any

import msgspec

from benchmarks.weak_model.places import Place, place_of
from benchmarks.weak_model.tasks import Task
from handrail import Agent, RunState
from handrail.core.events import CallRefused, Event, FactsNoted, ModelFailed, ModelReplied, RunStarted, TextRefused, ToolReturned
from handrail.drivers.clock import SystemClock
from handrail.drivers.handle import RunHandle
from handrail.drivers.loop import Loop
from handrail.drivers.watching import Watch
from handrail.ports import Model
from handrail.stores.journals import MemoryJournal
from handrail.vocab.messages import Message
from handrail.vocab.outcomes import Outcome, Parked, Status

MOST_SECONDS = 900.0
LOOKUP = "lookup_orders"


class Done(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a task.

    Args:
        faults: what is wrong in the end; nothing where it was done right.
        calls: of the model.
        refusals: how often each guard refused something.
        answers: the last words of each run.
        called: what the model asked for, in order.
    """

    task: str
    faults: list[str]
    seconds: float
    calls: int
    tokens: int
    refusals: dict[str, int]
    answers: list[str]
    called: list[str] = []


async def done(task: Task, agent: Agent, model: Model, *, most_seconds: float = MOST_SECONDS) -> Done:
    """Run the task from the beginning to the end."""
    begun = time.monotonic()
    async with place_of(task) as place:
        talk = Talk(agent, model, place)
        late = []
        try:
            async with asyncio.timeout(most_seconds):
                await _talked(task, talk)
        except TimeoutError:
            late.append(f"it was not done after {most_seconds:g} s")
        faults = task.faults(await place.ended(talk.answers, talk.looked_up))
    return Done(
        task=task.id,
        faults=[*late, *faults],
        seconds=round(time.monotonic() - begun, 2),
        calls=talk.calls,
        tokens=talk.tokens,
        refusals=dict(sorted(talk.refusals.items())),
        answers=talk.answers,
        called=talk.called,
    )


async def _talked(task: Task, talk: "Talk") -> None:
    for message in task.person:
        await talk.say(message)
    asked = task.if_asked and "?" in talk.answers[-1]
    if asked and task.faults(await talk.place.ended(talk.answers, talk.looked_up)):
        await talk.say(task.if_asked)


class Talk:
    """A conversation, a run a message.

    Attributes:
        place: where it takes place.
        answers: the last words of each run; empty where it failed.
        looked_up: addresses whose orders were looked up.
        calls, tokens, refusals, called: of all runs.
    """

    def __init__(self, agent: Agent, model: Model, place: Place) -> None:
        """Nothing was said yet."""
        self.place = place
        self.answers: list[str] = []
        self.looked_up: list[str] = []
        self.calls = 0
        self.tokens = 0
        self.refusals: Counter[str] = Counter()
        self.called: list[str] = []
        self._agent = agent
        self._model = model
        self._history: tuple[Message, ...] = ()

    async def say(self, text: str) -> None:
        """One message, from asking to finish."""
        clock, handle, watch = SystemClock(), RunHandle(), Watch(self._saw)
        along = await self.place.beside(len(self.answers))
        world = self.place.world(
            handle,
            agent=self._agent,
            model=self._model,
            deps=self.place.deps,
            ask=self.place.ask,
            clock=clock,
            watch=watch,
            review=_nobody,
        )
        loop = Loop(agent=self._agent, world=world, journal=MemoryJournal(), clock=clock, watch=watch, handle=handle)
        started = RunStarted(
            at=clock.now(),
            run_id=f"run-{len(self.answers) + 1}",
            agent=self._agent.name,
            fingerprint=self._agent.fingerprint,
            message=text,
            history=self._history,
            notes=tuple(along.notes),
        )
        state, _ = await loop.apply(RunState(), started)
        for noted in along.facts:
            event = FactsNoted(at=clock.now(), source=noted.source, facts=noted.facts, replaces=noted.replaces)
            state, _ = await loop.apply(state, event)
        state = await loop.go(state)
        self._history = state.transcript
        self.answers.append(_answer(state.outcome))

    def _saw(self, event: Event, state: RunState) -> None:
        match event:
            case ModelReplied():
                self.calls += 1
                self.tokens += event.usage.total
                self.called += [f"{call.name} {call.arguments}" for call in event.calls]
            case ModelFailed():
                self.calls += 1
                self.refusals[f"model failed: {event.kind}"] += 1
            case CallRefused() | TextRefused():
                self.refusals[event.guard] += 1
            case ToolReturned():
                call = state.call(event.call)
                if call is not None and call.name == LOOKUP:
                    self.looked_up.append(json.loads(call.arguments or "{}")["customer_email"])
            case _:
                pass


def _answer(outcome: Outcome | None) -> str:
    """What the user reads; a run that failed says nothing to them."""
    if outcome is None or outcome.status is not Status.COMPLETED:
        return ""
    return str(outcome.output or "")


async def _nobody(*_: Any) -> Parked:
    raise AssertionError("no agent of these has a reviewer")
