"""The walk: breadth first over everything that can happen, through the real `step`.

- A node is the first state found with its key; the way to it is a shortest one.
- `ToolStarted` follows at once where a call on the server is cleared: between the two nothing can happen that cannot happen later.
- A step is run once for each way in which its assumed verdicts can fall.
"""

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import msgspec
from msgspec.structs import replace

from handrail.check.candidates import Candidates
from handrail.check.invariants import Invariants
from handrail.check.keys import Key, Keys
from handrail.check.masking import Masked
from handrail.check.notebook import ENDS_BY_ITSELF, Notebook, WalkState
from handrail.check.sights import Reader, Sight
from handrail.check.worlds import AGAIN, Move, World
from handrail.core.agent import Agent
from handrail.core.attempt import attempt
from handrail.core.effects import StartTool
from handrail.core.events import Event, ToolReturned, ToolStarted
from handrail.core.evolve import evolve
from handrail.core.outstanding import outstanding
from handrail.core.react import step
from handrail.core.ring import Callable, Parsed, Unfit
from handrail.core.state import RunState
from handrail.core.table import Phase
from handrail.errors import AgentError
from handrail.vocab.calls import ToolEffect, Where
from handrail.vocab.canonical import digest
from handrail.vocab.facts import Ledger
from handrail.vocab.verdicts import Limit

BY_PERSON = 1
GAINS = 2


class Edge(msgspec.Struct, frozen=True):
    """One step of the walk: what happened, what was made of it, and where it leads."""

    move: Move
    decisions: tuple[bool, ...]
    events: tuple[Event, ...]
    after: WalkState
    key: Key


class Broken(msgspec.Struct, frozen=True):
    """An invariant that does not hold: which, what is wrong, and where."""

    name: str
    wrong: str
    node: int
    edge: Edge


class Begun(Exception):  # not an error: the walk has learnt something and begins again
    """Something was read that states have not been told apart by so far."""


class Known:
    """A tool whose answers about arguments are remembered."""

    def __init__(self, tool: Callable) -> None:
        self.name = tool.name
        self.effect: ToolEffect = tool.effect
        self.where: Where = tool.where
        self.timeout = tool.timeout
        self.produces = tool.produces
        self.declaration: Mapping[str, Any] = tool.declaration
        self.digest = tool.digest
        self._tool = tool
        self._parsed: dict[str | None, Parsed | Unfit] = {}

    def parse(self, arguments: str | None) -> Parsed | Unfit:
        """What the tool says, asked once."""
        found = self._parsed.get(arguments)
        if found is None:
            found = self._parsed[arguments] = self._tool.parse(arguments)
        return found


class Stepper:
    """Steps of one walk, and what they are judged by."""

    def __init__(self, agent: Agent, candidates: Candidates, notebook: Notebook, *, batch: int, exact: bool) -> None:
        self.notebook = notebook
        self.reader = Reader(_repeats(agent, candidates))
        self.guards = tuple(Masked(guard, notebook, self.reader, candidates.made_up) for guard in agent.guards)
        self.made_up = candidates.made_up & candidates.looked_at
        self.agent = agent.but(
            tools=[Known(tool) for tool in agent.tools.values()],
            guards=self.guards,
            land=_landed if agent.land is not None else None,
            invariants=(),
        )
        self.agent.offering = tuple(guard for guard in self.guards if "offers" in guard.asked)
        self.agent.judging = tuple(guard for guard in self.guards if "judges" in guard.asked)
        self.agent.limiting = tuple(guard for guard in self.guards if "limits" in guard.asked)
        self.invariants = Invariants(agent, self.agent, self.guards, notebook, self.reader)
        self.world = World(self.agent, candidates, batch=batch, horizon=notebook.sights.get(Sight("turns_left")) or 0)
        self.keys = Keys(self.reader, notebook, self.agent, self.guards, exact=exact)
        self._far = self._limits()
        self._kinds = frozenset(sight.name for sight in notebook.sights if sight.what == "facts")
        self._again = Sight("fruitless") in notebook.sights

    def _limits(self) -> tuple[Limit, ...] | None:
        """The limits while they are far, where they do not depend on the state."""
        found = [guard.limits_now() for guard in self.guards if "limits" in guard.asked]
        return tuple(limit for limit, _ in found if limit is not None) if all(fixed for _, fixed in found) else None

    def survey(self) -> None:
        """Ask every guard about everything once, so that most of what is read is known before the walk begins."""
        state = WalkState()
        for tool in self.agent.tools.values():
            for guard in self.agent.offering:
                attempt(guard.offers, state, tool.name)
            for guard, call in product(self.agent.judging, self.world.calls(tool)):
                attempt(guard.judges, state, call)
        for guard, text in product(self.guards, self.world.texts):
            if guard.refuses_text:
                attempt(guard.accepts, state, text)
        self.check()

    def begins(self) -> Iterator[Edge]:
        """How a run begins."""
        for move in self.world.begins(tuple(self.notebook.limits.values())):
            yield from self._edges(WalkState(), move)

    def edges(self, state: WalkState) -> Iterator[Edge]:
        """Everything that can happen in a state."""
        for move in self.world.moves(state, limits=self.notebook.limits, kinds=self._kinds, again=self._again):
            yield from self._edges(state, move)

    def edge(self, state: WalkState, move: Move, decisions: tuple[bool, ...]) -> Edge:
        """One step, with its assumed verdicts decided."""
        self.notebook.begin(decisions)
        self.agent.limits = None if state.near or move.nears else self._far
        if self.agent.limits is not None:
            self.notebook.bounded = any(limit.measure in ENDS_BY_ITSELF for limit in self.agent.limits)
        events, after = self._stepped(state, move)
        return Edge(move, decisions, events, after, self.keys.key(after))

    def _edges(self, state: WalkState, move: Move) -> Iterator[Edge]:
        pending: list[tuple[bool, ...]] = [()]
        while pending:
            decisions = pending.pop()
            edge = self.edge(state, move, decisions)
            choices = self.notebook.choices
            yield edge
            pending.extend((*decisions, *(False,) * (place - len(decisions)), True) for place in range(len(decisions), choices))

    def _stepped(self, state: WalkState, move: Move) -> tuple[tuple[Event, ...], WalkState]:
        if move.nears:
            horizon = state.horizon if move.horizon is None else move.horizon
            state = replace(state, soft=state.soft or move.soft, hard=state.hard or move.hard, horizon=horizon)
        events: tuple[Event, ...] = ()
        after: RunState = state
        for event in move.inputs:
            more, after = self._started(*step(self.agent, after, event))
            events = (*events, *more)
            if after.phase is Phase.DONE:
                break
        return events, self._checked(after)

    def _started(self, events: tuple[Event, ...], state: RunState) -> tuple[tuple[Event, ...], RunState]:
        """Let the calls that were cleared start."""
        while state.phase is Phase.ACTING and state.clock is not None:
            effect = next((effect for effect in outstanding(state) if isinstance(effect, StartTool)), None)
            if effect is None:
                break
            more, state = step(self.agent, state, ToolStarted(at=state.clock.at, call=effect.call))
            events = (*events, *more)
        return events, state

    def check(self) -> None:
        """Stop where a guard has read too much, or something for the first time."""
        if self.notebook.wrong is not None:
            raise AgentError(self.notebook.wrong)
        if self.notebook.news:
            raise Begun

    def _checked(self, state: RunState) -> WalkState:
        self.check()
        if not isinstance(state, WalkState):
            raise TypeError(f"a step made a {type(state).__name__} of a WalkState")
        return replace(state, denied={}, questions=0, empties=0) if state.denied or state.questions or state.empties else state

    def broken(self, state: RunState, edge: Edge) -> tuple[str, str] | None:
        """The first invariant that an edge breaks."""
        if not self.invariants.concerned(edge.events):
            return None
        for event in edge.events:
            broken = self.invariants.broken(state, event)
            if self.notebook.news:
                raise Begun
            if broken is not None:
                return broken
            state = evolve(state, event)
        return None


class Walk:
    """All nodes, and (of runs that no limit is near) all edges.

    Args:
        stepper: makes the steps.
        most_states: nodes after which it is given up.
    """

    def __init__(self, stepper: Stepper, *, most_states: int) -> None:
        self.stepper = stepper
        self.states: list[WalkState] = [WalkState()]
        self.ways: list[tuple[int, Move, tuple[bool, ...]] | None] = [None]
        self.sources: list[int] = []
        self.targets: list[int] = []
        self.kinds: list[int] = []
        self.cleared: set[str] = set()
        self.unbounded = False
        self.broken: Broken | None = None
        self.complete = True
        self._places: dict[Key, int] = {}
        self._most = most_states

    def go(self) -> None:
        """Walk until everything has been seen, an invariant is broken, or it is too much."""
        self.stepper.survey()
        place = 0
        while place < len(self.states) and self.complete:
            state = self.states[place]
            for edge in self.stepper.begins() if place == 0 else self.stepper.edges(state):
                if not self._take(place, state, edge):
                    return
            place += 1

    def _take(self, source: int, state: WalkState, edge: Edge) -> bool:
        """Note an edge, and say whether to go on."""
        target = self._places.get(edge.key)
        if target is None:
            target = self._places[edge.key] = len(self.states)
            self.states.append(edge.after)
            self.ways.append((source, edge.move, edge.decisions))
            self.complete = len(self.states) <= self._most
        broken = self.stepper.broken(state, edge)
        if broken is not None:
            self.broken = Broken(*broken, source, edge)
        if not edge.after.near:
            self._note(source, target, state, edge)
        return broken is None

    def _note(self, source: int, target: int, state: WalkState, edge: Edge) -> None:
        gains = any(isinstance(event, ToolReturned) and event.content != AGAIN for event in edge.events)
        self.sources.append(source)
        self.targets.append(target)
        self.kinds.append((BY_PERSON if edge.move.by_person else 0) | (GAINS if gains else 0))
        if edge.after.counts is not state.counts:
            self.cleared.update(name for name, count in edge.after.counts.items() if count.cleared > state.used(name))
        if edge.after.phase is Phase.THINKING and not self.stepper.notebook.bounded:
            self.unbounded = True

    def path(self, node: int) -> list[tuple[int, Move, tuple[bool, ...]]]:
        """The steps from the beginning to a node, each with the node that it starts from."""
        steps = []
        way = self.ways[node]
        while way is not None:
            steps.append(way)
            way = self.ways[way[0]]
        return steps[::-1]


def _landed(ledger: Ledger) -> dict[str, Any]:
    return {}


def _repeats(agent: Agent, candidates: Candidates) -> frozenset[str]:
    return frozenset(digest(tool, arguments, AGAIN) for tool in agent.tools for arguments in candidates.arguments[tool])
