"""Stories: a way through a walk, told step by step."""

from collections.abc import Iterable, Iterator

from handrail.check.sentences import happened, judged, names_in
from handrail.check.walk import Edge, Walk
from handrail.check.worlds import Move
from handrail.core.events import INPUTS, CallRefused, Event, ModelReplied, RunParked, TextRefused, TurnOpened
from handrail.core.state import RunState

SHOWN = 4
"""Things in the way that are told."""


def told(walk: Walk, node: int, *more: Edge) -> tuple[str, ...]:
    """How a run gets to a node, and on from there."""
    edges = [_again(walk, source, move, decisions) for source, move, decisions in walk.path(node)]
    sources = [source for source, _, _ in walk.path(node)]
    lines = [_line(walk.states[source], edge) for source, edge in zip(sources, edges, strict=True)]
    state: RunState = walk.states[node]
    for edge in more:
        lines.append(_line(state, edge))
        state = edge.after
    return tuple(lines)


def circling(walk: Walk, nodes: tuple[int, ...]) -> tuple[str, ...]:
    """How a run gets into a circle, once round, and that this goes on for ever."""
    edges = [_between(walk, here, there) for here, there in zip(nodes, (*nodes[1:], nodes[0]), strict=True)]
    first = len(walk.path(nodes[0])) + 1
    steps = f"step {first}" if len(edges) == 1 else f"steps {first} to {first + len(edges) - 1}"
    lines = [_line(walk.states[node], edge) for node, edge in zip(nodes, edges, strict=True)]
    return (*told(walk, nodes[0]), *lines, f"And so on for ever: {steps} can come again and again.")


def in_the_way(walk: Walk, node: int) -> tuple[str, ...]:
    """What refuses or withholds what a model could do at a node."""
    state = walk.states[node]
    found: dict[str, None] = {}
    for edge in walk.stepper.edges(state):
        if not edge.after.near:
            names = _names(state, edge.events)
            found.update((judged(event, names), None) for event in edge.events if _refuses(event))
    withheld = [f"{tool} is not offered: {guard}" for tool, guard in withholding(walk, state)]
    return (*withheld, *list(found)[:SHOWN])


def withholding(walk: Walk, state: RunState) -> Iterator[tuple[str, str]]:
    """The tools that a state does not offer, and the guards that take them away."""
    for tool in walk.stepper.agent.tools:
        if tool not in state.offer.offered:
            yield from ((tool, guard.name) for guard in walk.stepper.guards if not guard.offers(state, tool))


def refusal_of(walk: Walk, tool: str) -> tuple[int, Edge] | None:
    """The first step of a run without near limits in which arguments of the tool fit and it is refused all the same."""
    for node in sorted(set(walk.targets)):
        state = walk.states[node]
        if tool not in state.offer.offered or state.near:
            continue
        for edge in walk.stepper.edges(state):
            names = _names(state, edge.events)
            if any(
                isinstance(event, CallRefused) and names.get(event.call) == tool and event.guard != "arguments" for event in edge.events
            ):
                return node, edge
    return None


def refused_at(walk: Walk, node: int) -> Iterator[str]:
    """The tools of which every call that is tried at a node is refused."""
    state = walk.states[node]
    tried, passed = set[str](), set[str]()
    for edge in walk.stepper.edges(state):
        names = _names(state, edge.events)
        told = {event.call for event in edge.events if isinstance(event, CallRefused)}
        unfit = {event.call for event in edge.events if isinstance(event, CallRefused) and event.guard == "arguments"}
        calls = {call.id for event in edge.events if isinstance(event, ModelReplied) for call in event.calls} - unfit
        tried |= {names[call] for call in calls}
        passed |= {names[call] for call in calls - told}
    return (tool for tool in walk.stepper.agent.tools if tool in tried - passed)


def _refuses(event: Event) -> bool:
    return isinstance(event, TextRefused) or (isinstance(event, CallRefused) and event.guard != "arguments")


def _again(walk: Walk, source: int, move: Move, decisions: tuple[bool, ...]) -> Edge:
    return walk.stepper.edge(walk.states[source], move, decisions)


def _between(walk: Walk, here: int, there: int) -> Edge:
    wanted = walk.stepper.keys.key(walk.states[there])
    edges = (edge for edge in walk.stepper.edges(walk.states[here]) if not edge.move.by_person)
    return next(edge for edge in edges if edge.key == wanted)


def _line(state: RunState, edge: Edge) -> str:
    names, move = _names(state, edge.events), edge.move
    first = "; ".join(happened(event, names) for event in move.inputs)
    if move.told:
        first = f"{first} ({move.told})" if _adds(move) else move.told[:1].upper() + move.told[1:]
    inputs = (*INPUTS, RunParked)
    rest = [judged(event, names) for event in edge.events if not isinstance(event, inputs)]
    return "; ".join([first, *_without_repetition(state, edge.events, rest)]) + "."


def _adds(move: Move) -> bool:
    """Whether what a move tells goes along with its input, or stands for it."""
    return move.told.startswith("with ")


def _without_repetition(state: RunState, events: tuple[Event, ...], lines: Iterable[str]) -> Iterator[str]:
    """Leave a turn out that offers what the last one did."""
    opened = [judged(event, {}) for event in events if isinstance(event, TurnOpened) and event.offered == state.offer.offered]
    return (line for line in lines if line and line not in opened)


def _names(state: RunState, events: tuple[Event, ...]) -> dict[str, str]:
    return {call.id: call.name for call in state.calls} | names_in(events)
