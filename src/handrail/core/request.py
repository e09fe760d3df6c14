"""`request(agent, state)`: what the model call of the open turn carries."""

from collections.abc import Iterable
from typing import Any

import msgspec

from handrail.core.agent import Agent
from handrail.core.judging_text import may_say
from handrail.core.state import RunState
from handrail.vocab.facts import Fact
from handrail.vocab.requests import ModelRequest


def request(agent: Agent, state: RunState) -> ModelRequest:
    """The request: the agent's text with what people have confirmed, the transcript, and the tools on offer."""
    offered = [agent.tools[name] for name in state.offer.offered if name in agent.tools]
    choice = state.offer.choice
    settings: dict[str, Any] = msgspec.to_builtins(agent.settings)
    return ModelRequest(
        model=agent.model,
        system=agent.instructions + confirmed_block(state),
        messages=state.transcript,
        tools=tuple(tool.declaration for tool in offered),
        choice="auto" if choice in state.offer.offered and choice not in agent.tools else choice,
        settings={**settings.pop("extra", {}), **settings},
        text=may_say(agent, state),
        declared=agent.declared,
        examples=agent.examples,
    )


def confirmed_block(state: RunState) -> str:
    """What people have said or said yes to, re-stated by code before every call, so that no compaction loses it."""
    parts = (
        ("Confirmed by the user earlier in this conversation; what they say later holds instead:", state.confirmed_before),
        ("Confirmed by the user, in the order in which it became known; it holds:", state.ledger.confirmed()),
    )
    return "".join(f"\n\n{heading}\n{_listed(facts)}" for heading, facts in parts if facts)


def _listed(facts: Iterable[Fact]) -> str:
    lines = (f"- {fact.kind}{f' ({fact.key})' if fact.key else ''}: {msgspec.json.encode(fact.value).decode()}" for fact in facts)
    return "\n".join(lines)
