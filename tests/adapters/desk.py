"""A clerk with a desk: the tools and the agent that the tests of every host use."""

import asyncio
from typing import Any

from handrail import Agent, Fact, Result, ToolContext, ToolError, tool
from handrail.guards.base import BaseGuard
from handrail.testing import ScriptedModel
from handrail.vocab.messages import ToolMessage

KNOW: Any = {"city": "Oslo"}


class Desk:
    """What the tools below work with, and what became of it."""

    def __init__(self) -> None:
        self.did: list[str] = []
        self.keys: list[str] = []
        self.gate = asyncio.Event()
        self.gate.set()
        self.asked = asyncio.Event()


@tool(effect="read", produces={"city"})
async def weather(context: ToolContext[Desk], city: str) -> Result:
    """Look the weather up."""
    context.deps.did.append(f"asking {city}")
    context.deps.asked.set()
    await context.deps.gate.wait()
    context.deps.did.append(f"knows {city}")
    return Result({"city": city, "weather": "fair"}, facts=[Fact("city", city)])


@tool(effect="write")
async def send(context: ToolContext[Desk], to: str) -> str:
    """Send a card."""
    context.deps.did.append(f"sending {to}")
    context.deps.keys.append(context.idempotency_key)
    if to == "nowhere":
        raise ToolError("there is no such place")
    if to == "the void":
        raise RuntimeError("the line broke")
    context.deps.did.append(f"sent {to}")
    return "sent"


@tool(effect="read", where="person")
def question(text: str) -> str:
    """Ask."""
    return text


@tool(effect="idempotent")
def submit(text: str) -> str:
    """Hand it in."""
    return text


def clerk(*guards: BaseGuard, **changes: Any) -> Agent:
    declared: dict[str, Any] = {
        "name": "clerk",
        "instructions": "Be kind.",
        "model": "some-model",
        "tools": [weather, send],
        "guards": guards,
    }
    return Agent(**(declared | changes))


def results(model: ScriptedModel, request: int = -1) -> list[str]:
    return [message.content for message in model.requests[request].messages if isinstance(message, ToolMessage)]
