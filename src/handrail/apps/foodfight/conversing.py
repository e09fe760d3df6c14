"""`talk`: one message and what came of it, under the loop that HANDRAIL_FOODFIGHT_LOOP names, without anything of a surface's.

The history is the loop's own affair: give back what came with the answer before, to the same loop.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import msgspec

from handrail import Agent, No, Outcome, Parked, RunState, Say, Yes, run
from handrail.apps.foodfight.foodfight_agent import made
from handrail.apps.foodfight.kitchen import Kitchen
from handrail.apps.foodfight.settings import FoodFightSettings, Loop, read_settings
from handrail.service import Model, OnEvent
from handrail.service.apps import OtherLoop, named

Ask = Callable[[Any], Awaitable[Yes | No | Say | None]]
"""Asks a person about an open hold; `None` where nobody can be asked now."""

OTHERS = {
    Loop.OPENAI_AGENTS: ("the OpenAI Agents SDK", "handrail.apps.foodfight.agents_loop:talk"),
    Loop.PYDANTIC_AI: ("pydantic-ai", "handrail.apps.foodfight.pydantic_loop:talk"),
}
"""What people call each, and where it is; imported when it is asked for, since each needs an extra."""


class Talked(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a message.

    Args:
        outcome: how the run ended; parked, where it waits for a person (never under another loop than handrail's).
        history: for the next message.
    """

    outcome: Outcome | Parked
    history: tuple[Any, ...]

    @property
    def text(self) -> str:
        """The answer in words."""
        if isinstance(self.outcome, Parked):
            return "This waits for a person's answer."
        return str(self.outcome.output or self.outcome.reason or "")


Under = Callable[..., Awaitable[Talked]]


async def talk(
    message: str,
    *,
    model: Model,
    kitchen: Kitchen,
    history: Sequence[Any] = (),
    ask: Ask | None = None,
    on_event: OnEvent | None = None,
    settings: FoodFightSettings | None = None,
) -> Talked:
    """One message.

    Args:
        message: what the user says.
        model: answers.
        kitchen: what the tools work with.
        history: what the answer before came with.
        ask: asks a person for their yes to a call that writes.
        on_event: sees every event of the run, under whatever loop.
        settings: else those of the environment.
    """
    settings = settings or read_settings()
    under: Under = named(OTHERS[settings.loop][1]) if settings.loop in OTHERS else _ours
    return await under(made(writes=settings.writes), message, model=model, deps=kitchen, history=history, ask=ask, on_event=on_event)


def other_loop() -> OtherLoop | None:
    """Whose loop the setting names; `None` for handrail's own."""
    loop = read_settings().loop
    if loop not in OTHERS:
        return None
    name, talk = OTHERS[loop]
    return OtherLoop(name=name, setting="HANDRAIL_FOODFIGHT_LOOP", talk=talk)


async def _ours(
    agent: Agent,
    message: str,
    *,
    model: Model,
    deps: Kitchen,
    history: Sequence[Any],
    ask: Ask | None,
    on_event: OnEvent | None,
) -> Talked:
    last = RunState()

    async def watch(event: Any, state: RunState) -> None:
        nonlocal last
        last = state
        if on_event is not None:
            told = on_event(event, state)
            if isinstance(told, Awaitable):
                await told

    outcome = await run(agent, message, model=model, deps=deps, history=history, ask=ask, on_event=watch)
    return Talked(outcome=outcome, history=last.transcript)
