"""The same script under each host, and what came of it. Each host is the real package, driven as its users drive it."""

import json
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from mcp.types import ElicitResult

from handrail import Agent, No, Outcome, Parked, RunState, Yes, resume, run
from handrail.adapters import openai_agents, pydantic_ai
from handrail.core.events import Event
from handrail.service.surfaces.mcp.reviewing import Reviewing
from handrail.stores.journals import MemoryJournal
from handrail.testing import ManualClock, ScriptedModel
from handrail.vocab.answers import PersonAnswer
from handrail.vocab.requests import AnsweredCall, ModelAnswer
from tests.adapters.desk import Desk
from tests.adapters.mcp.kit import AWAY, NO, YES, wired

VERDICT = "verdict"


@dataclass
class Game:
    """One script for one agent.

    Attributes:
        answers: what the person says, one after the other; `None` is that nobody is there now.
        offered: the tools that the model was shown, for each time that it was asked.
        told: what it was told of each call, by the run and the call.
    """

    agent: Agent
    script: tuple[ModelAnswer, ...]
    answers: tuple[PersonAnswer | None, ...] = ()
    desk: Desk = field(default_factory=Desk)
    clock: ManualClock = field(default_factory=ManualClock)
    offered: list[list[str]] = field(default_factory=list)
    told: dict[tuple[str, str], str] = field(default_factory=dict)
    asked: int = 0
    states: list[RunState] = field(default_factory=list)
    came: Outcome | Parked | None = None

    def __post_init__(self) -> None:
        self.model = ScriptedModel(*self.script)
        self._left = iter(self.answers)

    async def ask(self, hold: Any) -> PersonAnswer | None:
        self.asked += 1
        return next(self._left, No())

    def watch(self, event: Event, state: RunState) -> None:
        self.states.append(state)
        self.told.update({(state.run_id, call.id): call.content or "" for call in state.calls if call.over})

    @property
    def results(self) -> list[str]:
        return list(self.told.values())

    @property
    def outcome(self) -> Outcome | None:
        """How the first run ended that did."""
        return next((state.outcome for state in self.states if state.outcome is not None), None)

    def shown(self) -> None:
        self.offered = [[tool["function"]["name"] for tool in request.tools] for request in self.model.requests]


async def under_handrail(game: Game) -> None:
    """Whoever is not there is so once: the run is gone on with afterwards."""
    journal = MemoryJournal()
    more: dict[str, Any] = {
        "model": game.model, "deps": game.desk, "ask": game.ask, "journal": journal, "on_event": game.watch, "clock": game.clock,
    }  # fmt: skip
    game.came = await run(game.agent, "Do it.", run_id="run_1", **more)
    if isinstance(game.came, Parked):
        game.came = await resume("run_1", agent=game.agent, **more)
    game.shown()


async def under_openai_agents(game: Game) -> None:
    ran = await openai_agents.run(
        game.agent, "Do it.", model=game.model, deps=game.desk, ask=game.ask, on_event=game.watch, now=game.clock.now
    )
    game.came = ran.outcome
    game.shown()


async def under_pydantic_ai(game: Game) -> None:
    ran = await pydantic_ai.run(
        game.agent, "Do it.", model=game.model, deps=game.desk, ask=game.ask, on_event=game.watch, now=game.clock.now
    )
    game.came = ran.outcome
    game.shown()


async def under_mcp(game: Game) -> None:
    """The client makes the script's calls, and keeps its texts for itself; the reviewer's verdicts come from a model of ours."""
    verdicts = [reply for reply in game.script if _judges(reply)]
    game.model = ScriptedModel(*verdicts)
    review = Reviewing(game.agent, game.model, deps=game.desk, clock=game.clock)
    answers = [_answer(answer) for answer in game.answers]
    more: dict[str, Any] = {"work": game.desk, "clock": game.clock, "review": review, "on_event": game.watch}
    async with wired(game.agent, answers=answers or None, **more) as made:
        for call in _calls(game.script):
            game.offered.append(await made.names())
            await made.client.call_tool(call.name, _arguments(call))
        game.asked = len(made.asked)


HOSTS: Mapping[str, Callable[[Game], Awaitable[None]]] = {
    "handrail": under_handrail,
    "openai_agents": under_openai_agents,
    "pydantic_ai": under_pydantic_ai,
    "mcp": under_mcp,
}


def _judges(reply: ModelAnswer) -> bool:
    return any(call.name == VERDICT for call in reply.calls)


def _calls(script: tuple[ModelAnswer, ...]) -> Iterator[AnsweredCall]:
    for reply in script:
        if not _judges(reply):
            yield from reply.calls


def _arguments(call: AnsweredCall) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(call.arguments or "{}")
    return found


def _answer(answer: PersonAnswer | None) -> ElicitResult:
    match answer:
        case None:
            return AWAY
        case Yes():
            return YES
        case _:
            return NO
