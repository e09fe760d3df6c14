"""Our tools as MCP's: the declaration word for word, a title, and all four hints.

- A hint that is left away means the worst to a client, so each is said.
- A repetition over MCP is another call with another idempotency key: only reads are idempotent to a client.
- Whether a write destroys something, or where a tool reaches, is not declared: the more careful answer is given.
- What runs in a browser, or with a person, is not served: there is neither here.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mcp.types import Tool, ToolAnnotations

from handrail.core.agent import Agent
from handrail.core.ring import Callable
from handrail.vocab.calls import ToolEffect, Where


def served(agent: Agent) -> Mapping[str, Callable]:
    """The agent's tools that can be served, by name."""
    return {name: tool for name, tool in agent.tools.items() if tool.where is Where.SERVER}


def listed(tools: Mapping[str, Callable], offered: Iterable[str]) -> Sequence[Tool]:
    """Those that are on offer, in the agent's order."""
    names = frozenset(offered)
    return [_tool(tool) for name, tool in tools.items() if name in names]


def title(name: str) -> str:
    """A tool's name for people: `get_weather` is `Get weather`."""
    words = name.replace("_", " ").replace("-", " ").strip()
    return words[:1].upper() + words[1:]


def _tool(tool: Callable) -> Tool:
    declared: Mapping[str, Any] = tool.declaration["function"]
    reads = tool.effect is ToolEffect.READ
    hints = ToolAnnotations(
        title=title(tool.name), read_only_hint=reads, destructive_hint=not reads, idempotent_hint=reads, open_world_hint=True
    )
    return Tool(
        name=tool.name,
        title=title(tool.name),
        description=declared.get("description", ""),
        input_schema=declared["parameters"],
        annotations=hints,
    )
