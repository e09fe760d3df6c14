"""Our tools as the SDK's `FunctionTool`s. What is called goes through the gate, whatever the SDK thinks of it.

- The declaration is ours, word for word: the SDK's strict mode would make every argument required.
- A tool that the ring does not offer in this turn is not enabled, so the model does not see it.
- Arguments are read by us; a result is what the model sees of it, an error `{"error": "…"}`.
"""

from typing import Any

from agents import AgentBase, FunctionTool, RunContextWrapper, Tool
from agents.tool_context import ToolContext

from handrail.adapters.foreign import Gate
from handrail.core.ring import Callable


def function_tools(gate: Gate) -> list[Tool]:
    """The tools of the gate's agent, for one run."""
    return [_function_tool(gate, tool) for tool in gate.agent.tools.values()]


def _function_tool(gate: Gate, tool: Callable) -> Tool:
    declared = tool.declaration["function"]

    async def invoke(context: ToolContext[Any], arguments: str) -> str:
        return await gate.result(context.tool_call_id)

    def enabled(context: RunContextWrapper[Any], agent: AgentBase[Any]) -> bool:
        return gate.offers(tool.name)

    return FunctionTool(
        name=tool.name,
        description=declared.get("description", ""),
        params_json_schema=declared["parameters"],
        on_invoke_tool=invoke,
        strict_json_schema=False,
        is_enabled=enabled,
    )
