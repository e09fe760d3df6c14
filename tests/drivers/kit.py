"""What the tests of the drivers share: small tools, agents, and a model that waits until it is told to go on."""

import asyncio
from collections.abc import Sequence
from typing import Any

from handrail import Agent, Fact, Outcome, Parked, Result, ToolContext, ToolError, tool
from handrail.core.events import Event
from handrail.ports import OnDelta
from handrail.testing import says
from handrail.vocab.messages import AssistantMessage, Message, ToolMessage, UserMessage
from handrail.vocab.outcomes import OpenHold
from handrail.vocab.requests import ModelAnswer, ModelRequest


class Desk:
    """What the tools act on (`deps`)."""

    def __init__(self) -> None:
        self.paid: list[str] = []
        self.keys: list[str] = []
        self.begun = asyncio.Event()
        self.go_on = asyncio.Event()
        self.stopped: list[str] = []


@tool(effect="read", produces={"place"})
async def find(name: str, context: ToolContext[Desk]) -> Result:
    """Find a place.

    Args:
        name: of the place.
        context: the desk.
    """
    return Result({"found": name}, facts=[Fact("place", name)])


@tool(effect="write")
async def pay(to: str, n: int, context: ToolContext[Desk]) -> str:
    """Pay somebody.

    Args:
        to: whom.
        n: how much.
        context: the desk.
    """
    context.deps.paid.append(f"{to} {n}")
    context.deps.keys.append(context.idempotency_key)
    return f"paid {n} to {to}"


@tool(effect="write")
async def broke(to: str) -> str:
    """Never works, and nothing happens.

    Args:
        to: whom.
    """
    raise ToolError(f"no account for {to}")


async def _held(context: ToolContext[Desk]) -> str:
    context.deps.begun.set()
    try:
        await context.deps.go_on.wait()
    except asyncio.CancelledError:
        context.deps.stopped.append(context.call_id)
        raise
    return "done at last"


@tool(effect="read")
async def look(context: ToolContext[Desk]) -> str:
    """Look for as long as it takes."""
    return await _held(context)


@tool(effect="write")
async def build(context: ToolContext[Desk]) -> str:
    """Build for as long as it takes."""
    return await _held(context)


@tool(effect="read", where="person")
async def choose(question: str) -> str:
    """Ask the user to choose.

    Args:
        question: what to choose between.
    """
    return question


@tool(effect="read", where="client")
async def cart() -> str:
    """Look into the cart in the browser."""
    return ""


@tool(effect="write")
async def submit(text: str) -> dict[str, str]:
    """Hand in.

    Args:
        text: the result.
    """
    return {"handed in": text}


def agent(*tools: Any, **fields: Any) -> Agent:
    declared = {"name": "mini", "instructions": "You help.", "model": "scripted", "tools": tools}
    return Agent(**(declared | fields))


class Gate:
    """A model that waits at each call until it is let through; `stopped` counts calls that were cancelled."""

    def __init__(self, *answers: ModelAnswer) -> None:
        self.answers = list(answers) or [says("done")]
        self.asked = asyncio.Event()
        self.open = asyncio.Event()
        self.stopped = 0
        self.requests: list[ModelRequest] = []

    async def reply(self, request: ModelRequest, *, on_delta: OnDelta | None = None) -> ModelAnswer:
        self.requests.append(request)
        self.asked.set()
        try:
            await self.open.wait()
        except asyncio.CancelledError:
            self.stopped += 1
            raise
        return self.answers.pop(0)


class Asked:
    """A person with answers, one after the other; what they were asked is kept."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.holds: list[OpenHold] = []

    async def __call__(self, hold: OpenHold) -> Any:
        self.holds.append(hold)
        return self.answers.pop(0)


def done(ended: Outcome | Parked) -> Outcome:
    assert isinstance(ended, Outcome), f"the run waits: {ended!r}"
    return ended


def parked(ended: Outcome | Parked) -> Parked:
    assert isinstance(ended, Parked), f"the run has ended: {ended!r}"
    return ended


def names(events: Sequence[Event]) -> list[str]:
    return [type(event).__name__ for event in events]


def told(messages: Sequence[Message]) -> list[str]:
    """A transcript in short: `user: …`, `assistant: …`, `tool: …`."""
    lines: list[str] = []
    for message in messages:
        match message:
            case UserMessage(said=said):
                lines.append("user: " + " | ".join(f"[{part.text}]" if part.ours else part.text for part in said))
            case AssistantMessage(text=text, calls=calls):
                lines.append("assistant: " + " ".join([*([text] if text else []), *(f"{call.name}({call.arguments})" for call in calls)]))
            case ToolMessage(call=call, content=content):
                lines.append(f"tool: {call} {content}")
    return lines


async def settle(rounds: int = 20) -> None:
    """Let everything run that can run without waiting."""
    for _ in range(rounds):
        await asyncio.sleep(0)


def others() -> set[asyncio.Task[Any]]:
    """Tasks beside the one that asks."""
    current = asyncio.current_task()
    return {task for task in asyncio.all_tasks() if task is not current}
