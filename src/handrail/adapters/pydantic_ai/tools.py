"""Our tools as a toolset of the host's. What is called goes through the gate, whatever the host thinks of it.

- The declaration is ours, word for word, and is never made strict: that would make every argument required.
- Arguments are read by us. A result is what the model sees of it; whatever is none is a `ToolFailed`, which tells the model and costs no
  retry, where a `ModelRetry` would end the run at the second one.
"""

import json
from collections.abc import Iterable
from typing import Any

from pydantic_ai import ToolDefinition
from pydantic_ai.exceptions import ToolFailed
from pydantic_ai.tools import RunContext
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool
from pydantic_core import SchemaValidator, core_schema

from handrail.adapters.foreign import Gate
from handrail.core.ring import Callable

ANYTHING = SchemaValidator(core_schema.any_schema())


class GateToolset(AbstractToolset[Any]):
    """The tools of the gate's agent, for one run."""

    def __init__(self, gate: Gate) -> None:
        """Keep the run."""
        self._gate = gate

    @property
    def id(self) -> str:
        """The agent's name."""
        return self._gate.agent.name

    async def get_tools(self, ctx: RunContext[Any]) -> dict[str, ToolsetTool[Any]]:
        """All of them; what is not on offer is taken out by `Ring.prepare_tools`."""
        return {tool.name: self._tool(_definition(tool)) for tool in self._gate.agent.tools.values()}

    async def call_tool(self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]) -> str:
        """Run it, if the core lets it.

        Raises:
            ToolFailed: it was not run, or failed; the text says which, and why.
        """
        return await content(self._gate, ctx.tool_call_id or "")

    def strangers(self, names: Iterable[str]) -> dict[str, ToolsetTool[Any]]:
        """A place for calls of tools that are not there or not on offer, so that the ring answers them and the host counts no retry."""
        return {name: self._tool(ToolDefinition(name=name)) for name in names}

    def _tool(self, definition: ToolDefinition) -> ToolsetTool[Any]:
        return ToolsetTool(toolset=self, tool_def=definition, max_retries=0, args_validator=ANYTHING)


async def content(gate: Gate, host_id: str) -> str:
    """What the model is to see of a call.

    Raises:
        ToolFailed: it is no result.
    """
    found = await gate.result(host_id)
    if not gate.has_succeeded(host_id):
        raise ToolFailed(_reason(found))
    return found


def _reason(error: str) -> str:
    """The words in `{"error": …}`: the host puts them into such a frame itself, or says in the provider's own way that it is one."""
    try:
        read = json.loads(error)
    except ValueError:
        return error
    return str(read["error"]) if isinstance(read, dict) and list(read) == ["error"] else error


def _definition(tool: Callable) -> ToolDefinition:
    declared = tool.declaration["function"]
    return ToolDefinition(
        name=tool.name, description=declared.get("description", ""), parameters_json_schema=declared["parameters"], strict=False
    )
