"""An agent's order as a Mermaid flowchart: what comes before what, who has to say yes, and what limits it.

- A tool that ends the run has a double frame; one that a person or a reviewer looks at first has a dashed arrow from them.
- What limits the whole run is a note of its own.
"""

from collections.abc import Iterator

from handrail.core.agent import Agent
from handrail.core.ring import Silent
from handrail.guards.call_limit import CallLimit
from handrail.guards.grounded import Grounded
from handrail.guards.order import Order
from handrail.guards.prerequisite import Prerequisite
from handrail.vocab.calls import By, Where

PEOPLE = {By.PERSON: "a person", By.REVIEWER: "a reviewer"}


def drawn(agent: Agent) -> str:
    """The flowchart, as Mermaid text."""
    ids = {tool: f"t{number}" for number, tool in enumerate(agent.tools, 1)}
    notes = [guard.name for guard in agent.guards if getattr(type(guard), "limits", None) is not Silent.limits]
    lines = ["flowchart TD", *(f"    {ids[tool]}{_shape(agent, tool)}" for tool in agent.tools)]
    lines.extend(f"    {ids[before]} -->{label} {ids[tool]}" for before, tool, label in _order(agent))
    lines.extend(_holds(agent, ids))
    lines.extend(dict.fromkeys(_grounds(agent, ids)))
    if notes:
        lines.append(f'    limits>"{_text("<br/>".join(notes))}"]')
    return "\n".join(lines)


def _shape(agent: Agent, tool: str) -> str:
    limits = [guard for guard in agent.guards if isinstance(guard, CallLimit) and guard.tool == tool]
    words = [tool, *(f"at most {guard.most}{' a message' if guard.per == 'message' else ''}" for guard in limits)]
    where = agent.tools[tool].where
    if where is not Where.SERVER:
        words.append("asks a person" if where is Where.PERSON else "in the browser")
    label = _text("<br/>".join(words))
    return f'[["{label}"]]' if tool == agent.submit else f'["{label}"]'


def _order(agent: Agent) -> Iterator[tuple[str, str, str]]:
    for guard in agent.guards:
        if isinstance(guard, Order):
            yield from ((before, tool, "") for before, tool in guard.edges)
        elif isinstance(guard, Prerequisite):
            label = f'|"for each {_text(guard.per)}"|' if guard.per is not None else ""
            yield from ((before, guard.tool, label) for before in guard.of)


def _holds(agent: Agent, ids: dict[str, str]) -> Iterator[str]:
    held = [(tool, by) for guard in agent.guards for tool, by in guard.holds]
    for by in dict.fromkeys(by for _, by in held):
        yield f'    {by.value}(["{PEOPLE[by]}"])'
    yield from (f'    {by.value} -.->|"looks first"| {ids[tool]}' for tool, by in dict.fromkeys(held))


def _grounds(agent: Agent, ids: dict[str, str]) -> Iterator[str]:
    for guard in agent.guards:
        if isinstance(guard, Grounded):
            found = [name for name, tool in agent.tools.items() if guard.kind in tool.produces]
            yield from (f'    {ids[name]} -.->|"{_text(guard.kind)}"| {ids[guard.tool]}' for name in found)


def _text(text: str) -> str:
    return text.replace('"', "'")
