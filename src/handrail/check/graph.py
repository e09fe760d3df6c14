"""An agent's order as edges, and as a Mermaid flowchart: what comes before what, who has to say yes, and what limits it.

- A tool that ends the run has a double frame; one that a person or a reviewer looks at first has a dashed arrow from them.
- What limits the whole run is a note of its own.
- An edge that two guards draw is there once.
"""

from collections.abc import Iterator
from enum import StrEnum

import msgspec

from handrail.core.agent import Agent
from handrail.core.ring import Silent
from handrail.guards.call_limit import CallLimit
from handrail.guards.grounded import Grounded
from handrail.guards.order import Order
from handrail.guards.prerequisite import Prerequisite
from handrail.vocab.calls import By, Where

PEOPLE = {By.PERSON: "a person", By.REVIEWER: "a reviewer"}


class Relation(StrEnum):
    """What an edge says."""

    ORDER = "order"
    FACT = "fact"
    LOOK = "look"


class Edge(msgspec.Struct, frozen=True):
    """One arrow.

    Args:
        source: a tool; for a look, who looks (`person` or `reviewer`).
        target: a tool.
        relation: it comes before, gives it a fact for an argument, or looks at the call first.
        label: the argument that it is bound to, or the kind of fact.
    """

    source: str
    target: str
    relation: Relation
    label: str = ""


def edges(agent: Agent) -> tuple[Edge, ...]:
    """All arrows: the order, who looks, and where arguments come from."""
    return tuple(dict.fromkeys((*_order(agent), *_looks(agent), *_grounds(agent))))


def limits(agent: Agent) -> tuple[str, ...]:
    """The guards that limit the whole run."""
    return tuple(guard.name for guard in agent.guards if getattr(type(guard), "limits", None) is not Silent.limits)


def notes(agent: Agent, tool: str) -> tuple[str, ...]:
    """What there is to say under a tool's name: how often, and where it runs."""
    counted = [guard for guard in agent.guards if isinstance(guard, CallLimit) and guard.tool == tool]
    words = [f"at most {guard.most}{' a message' if guard.per == 'message' else ''}" for guard in counted]
    where = agent.tools[tool].where
    if where is not Where.SERVER:
        words.append("asks a person" if where is Where.PERSON else "in the browser")
    return tuple(words)


def drawn(agent: Agent) -> str:
    """The flowchart, as Mermaid text."""
    ids = {tool: f"t{number}" for number, tool in enumerate(agent.tools, 1)}
    found = edges(agent)
    by = {relation: [edge for edge in found if edge.relation is relation] for relation in Relation}
    lines = ["flowchart TD", *(f"    {ids[tool]}{_shape(agent, tool)}" for tool in agent.tools)]
    lines.extend(f"    {ids[edge.source]} -->{_for_each(edge)} {ids[edge.target]}" for edge in by[Relation.ORDER])
    lines.extend(f'    {who}(["{PEOPLE[By(who)]}"])' for who in dict.fromkeys(edge.source for edge in by[Relation.LOOK]))
    lines.extend(f'    {edge.source} -.->|"looks first"| {ids[edge.target]}' for edge in by[Relation.LOOK])
    lines.extend(f'    {ids[edge.source]} -.->|"{_text(edge.label)}"| {ids[edge.target]}' for edge in by[Relation.FACT])
    if limits(agent):
        lines.append(f'    limits>"{_text("<br/>".join(limits(agent)))}"]')
    return "\n".join(lines)


def _shape(agent: Agent, tool: str) -> str:
    label = _text("<br/>".join((tool, *notes(agent, tool))))
    return f'[["{label}"]]' if tool == agent.submit else f'["{label}"]'


def _for_each(edge: Edge) -> str:
    return f'|"for each {_text(edge.label)}"|' if edge.label else ""


def _order(agent: Agent) -> Iterator[Edge]:
    for guard in agent.guards:
        if isinstance(guard, Order):
            yield from (Edge(before, tool, Relation.ORDER) for before, tool in guard.edges)
        elif isinstance(guard, Prerequisite):
            yield from (Edge(before, guard.tool, Relation.ORDER, guard.per or "") for before in guard.of)


def _looks(agent: Agent) -> Iterator[Edge]:
    for guard in agent.guards:
        yield from (Edge(by.value, tool, Relation.LOOK) for tool, by in guard.holds)


def _grounds(agent: Agent) -> Iterator[Edge]:
    for guard in agent.guards:
        if isinstance(guard, Grounded):
            found = [name for name, tool in agent.tools.items() if guard.kind in tool.produces]
            yield from (Edge(name, guard.tool, Relation.FACT, guard.kind) for name in found)


def _text(text: str) -> str:
    return text.replace('"', "'")
