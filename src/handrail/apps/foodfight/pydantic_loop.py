"""This app under pydantic-ai's loop. The tools tell our hooks themselves, as they do under our own loop. Needs the extra `pydantic-ai`."""

from collections.abc import Sequence
from typing import Any

from handrail import Agent
from handrail.apps.foodfight.conversing import Ask, Talked
from handrail.apps.foodfight.kitchen import Kitchen
from handrail.service import Model, OnEvent
from handrail.service.pydantic_ai import run


async def talk(
    agent: Agent,
    message: str,
    *,
    model: Model,
    deps: Kitchen,
    history: Sequence[Any] = (),
    ask: Ask | None = None,
    on_event: OnEvent | None = None,
) -> Talked:
    """One message, with the host's messages (`all_messages()`) as history."""
    ran = await run(agent, message, model=model, deps=deps, history=history, ask=ask, on_event=on_event)
    return Talked(outcome=ran.outcome, history=tuple(ran.messages))
