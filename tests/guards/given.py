"""What the tests of guards share: states made by hand, judged calls, a masked reading, and a small driver of the core.

The masked reading is as strict as the one of `handrail check`: it raises on whatever a guard reads and has not declared, and shows counts
only up to their caps.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

import msgspec

from handrail.core.agent import Agent
from handrail.core.effects import RunTool, StartTool
from handrail.core.events import Event, HoldAnswered, Input, LandingStage, ModelReplied, RunStarted, ToolFailed, ToolReturned, ToolStarted
from handrail.core.outstanding import outstanding
from handrail.core.react import step
from handrail.core.ring import Guard, JudgedCall, Parsed, Unfit
from handrail.core.state import Count, Done, OpenCall, RunState
from handrail.core.table import Stage
from handrail.vocab.calls import ProposedCall, ToolEffect, Where, call_id
from handrail.vocab.canonical import canonical, digest
from handrail.vocab.facts import Fact, Ledger
from handrail.vocab.reviews import Answer
from handrail.vocab.usage import Usage
from handrail.vocab.verdicts import Lens

E = TypeVar("E", bound=Event)
FIRST = datetime(2026, 11, 2, 9, tzinfo=UTC)


def a_state(
    *,
    succeeded: Iterable[tuple[str, Mapping[str, Any]]] = (),
    cleared: Mapping[str, int] | None = None,
    facts: Iterable[Fact] = (),
    open_calls: Iterable[tuple[str, Stage]] = (),
    **fields: Any,
) -> RunState:
    """A state in which those calls have succeeded, and so many more were cleared."""
    done = tuple(Done(tool=tool, call=f"t1c{index}", arguments=canonical(values)) for index, (tool, values) in enumerate(succeeded, 1))
    counts: dict[str, Count] = {}
    for tool in dict.fromkeys([*(each.tool for each in done), *(cleared or {})]):
        ok = sum(each.tool == tool for each in done)
        used = ok + (cleared or {}).get(tool, 0)
        counts[tool] = Count(cleared=used, succeeded=ok, cleared_since=used, succeeded_since=ok)
    calls = tuple(
        OpenCall(proposed=ProposedCall(id=call_id(2, index), name=tool, arguments="{}"), stage=stage)
        for index, (tool, stage) in enumerate(open_calls, 1)
    )
    return RunState(turn=2, counts=counts, done=done, ledger=Ledger(tuple(facts)), calls=calls, **fields)


def a_call(tool: str, *, id: str = "t2c9", effect: ToolEffect = ToolEffect.READ, **arguments: Any) -> JudgedCall:
    """A call as a guard sees it; `t2c1` is the first of the open turn."""
    return JudgedCall(id=id, tool=tool, effect=effect, arguments=arguments)


class Undeclared(AssertionError):
    """A guard has read what it did not declare."""


class Masked:
    """A reading that shows only what the lenses declare."""

    def __init__(self, state: RunState, looks: Iterable[Lens]) -> None:
        self._state = state
        self._caps = {(lens.what, lens.name): lens.cap for lens in looks}
        self.read: set[tuple[str, str]] = set()

    def _look(self, what: str, name: str = "") -> int | None:
        if (what, name) not in self._caps:
            raise Undeclared(f"it reads {what}({name}), and declares {sorted(self._caps)!r}")
        self.read.add((what, name))
        return self._caps[what, name]

    def _count(self, what: str, name: str, count: int) -> int:
        cap = self._look(what, name)
        return count if cap is None else min(count, cap)

    @property
    def ledger(self) -> Ledger:
        self._look("ledger")
        return self._state.ledger

    @property
    def fruitless(self) -> int:
        return self._count("fruitless", "", self._state.fruitless)

    @property
    def last_tools(self) -> tuple[str, ...]:
        self._look("last_tools")
        return self._state.last_tools

    @property
    def turns_left(self) -> int | None:
        cap, left = self._look("turns_left"), self._state.turns_left
        return left if left is None or cap is None else min(left, cap)

    @property
    def landing(self) -> LandingStage:
        self._look("landing")
        return self._state.landing

    def used(self, tool: str, *, per: str = "run") -> int:
        return self._count("used", tool, self._state.used(tool, per=per))

    def ok(self, tool: str, *, per: str = "run") -> int:
        return self._count("ok", tool, self._state.ok(tool, per=per))

    def computed(self, tool: str) -> tuple[Mapping[str, Any], ...]:
        self._look("computed", tool)
        return self._state.computed(tool)

    def facts(self, kind: str) -> tuple[Fact, ...]:
        self._look("facts", kind)
        return self._state.facts(kind)

    def rounds(self, tool: str) -> int:
        return self._count("rounds", tool, self._state.rounds(tool))

    def refused_texts(self, guard: str) -> int:
        return self._count("refused_texts", guard, self._state.refused_texts(guard))

    def waits_for(self, call: str, tool: str) -> str | None:
        self._look("waits_for", tool)
        return self._state.waits_for(call, tool)


class FakeTool(msgspec.Struct, frozen=True, kw_only=True):
    """A tool as far as the core needs it; any JSON object fits."""

    name: str
    effect: ToolEffect = ToolEffect.READ
    where: Where = Where.SERVER
    timeout: float = 30.0
    produces: frozenset[str] = frozenset()

    @property
    def declaration(self) -> dict[str, Any]:
        return {"type": "function", "function": {"name": self.name, "description": "", "parameters": {"type": "object"}}}

    @property
    def digest(self) -> str:
        return digest(self.declaration)

    def parse(self, arguments: str | None) -> Parsed | Unfit:
        values = msgspec.json.decode(arguments or "{}")
        return Parsed(canonical(values), values)


def an_agent(*guards: Guard, tools: Iterable[str] = ("search", "drive", "submit"), submit: str | None = "submit", **fields: Any) -> Agent:
    """An agent of reads, with a write named `submit`."""
    made = [FakeTool(name=name, effect=ToolEffect.WRITE if name == "submit" else ToolEffect.READ) for name in tools]
    declared: dict[str, Any] = {"name": "mini", "instructions": "Be brief.", "model": "m"} | fields
    return Agent(tools=made, submit=submit, guards=guards, **declared)


Works = Callable[[str, dict[str, Any]], tuple[Any, tuple[Fact, ...]] | None]


class Run:
    """Drives the real core: says what the model replies, runs what is cleared, keeps all events."""

    def __init__(self, agent: Agent, works: Works = lambda tool, values: ({"tool": tool, **values}, ()), *, can_ask: bool = True) -> None:
        self.agent = agent
        self.works = works
        self.state = RunState()
        self.events: list[Event] = []
        self.at = FIRST
        self.put(RunStarted(at=FIRST, run_id="r", agent=agent.name, fingerprint=agent.fingerprint, message="Go.", can_ask=can_ask))

    def put(self, event: Input) -> tuple[Event, ...]:
        """One input, and what it led to."""
        events, self.state = step(self.agent, self.state, event)
        self.events += events
        return events

    def later(self, **delta: float) -> datetime:
        """Let time pass."""
        self.at += timedelta(**delta)
        return self.at

    def reply(self, *calls: tuple[str, dict[str, Any]], text: str | None = None, tokens: int = 0) -> list[Event]:
        """A model's reply, and everything until people or the model are next."""
        before = len(self.events)
        turn = self.state.turn
        proposed = tuple(
            ProposedCall(id=call_id(turn, index), name=tool, arguments=canonical(values)) for index, (tool, values) in enumerate(calls, 1)
        )
        self.put(ModelReplied(at=self.at, turn=turn, text=text, calls=proposed, usage=Usage(output_tokens=tokens, calls=1)))
        self.work()
        return self.events[before:]

    def work(self) -> None:
        """Run what is cleared until nothing is."""
        while acts := [effect for effect in outstanding(self.state) if isinstance(effect, StartTool | RunTool)]:
            for act in acts:
                if isinstance(act, StartTool):
                    self.put(ToolStarted(at=self.at, call=act.call))
                else:
                    self._run(act)

    def answer(self, answer: Answer, comment: str = "", flaws: tuple[str, ...] = ()) -> list[Event]:
        """Answer the one open hold."""
        before = len(self.events)
        held = next(call.held for call in self.state.calls if call.held is not None)
        self.put(HoldAnswered(at=self.at, hold=held.id, digest=held.digest, answer=answer, comment=comment, flaws=flaws))
        self.work()
        return self.events[before:]

    def _run(self, act: RunTool) -> None:
        worked = self.works(act.tool, msgspec.json.decode(act.arguments))
        if worked is None:
            self.put(ToolFailed(at=self.at, call=act.call, error="not found"))
            return
        value, facts = worked
        self.put(ToolReturned(at=self.at, call=act.call, content=msgspec.json.encode(value).decode(), facts=facts))


def the_one(events: Iterable[Event], kind: type[E]) -> E:
    """The only event of that kind."""
    (found,) = [event for event in events if isinstance(event, kind)]
    return found
