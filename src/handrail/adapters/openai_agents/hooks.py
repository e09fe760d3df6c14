"""The SDK's `RunHooks`, with the gate behind them: the model's reply goes to the core here, before any of its calls is looked at.

Hooks of your own are told the same as without a gate, but for one thing: of tools they hear only what really ran. A call that the ring
refused, or that a person said no to, has neither a start nor an end.
"""

from typing import Any

from agents import Agent, AgentHookContext, ModelResponse, RunContextWrapper, RunHooks, Tool, TResponseInputItem
from agents.tool_context import ToolContext

from handrail.adapters.foreign import Gate
from handrail.adapters.openai_agents.ported import answer_of, ids_of

Context = RunContextWrapper[Any]


class GateHooks(RunHooks[Any]):
    """Goes to `Runner.run(hooks=…)`.

    Args:
        gate: the run.
        hooks: your own.
    """

    def __init__(self, gate: Gate, hooks: RunHooks[Any] | None = None) -> None:
        """Keep both."""
        self._gate = gate
        self._hooks: RunHooks[Any] = hooks or RunHooks()

    async def on_llm_start(
        self, context: Context, agent: Agent[Any], system_prompt: str | None, input_items: list[TResponseInputItem]
    ) -> None:
        """Pass it on."""
        await self._hooks.on_llm_start(context, agent, system_prompt, input_items)

    async def on_llm_end(self, context: Context, agent: Agent[Any], response: ModelResponse) -> None:
        """Give the reply to the core."""
        await self._gate.replied(answer_of(response), ids_of(response))
        await self._hooks.on_llm_end(context, agent, response)

    async def on_agent_start(self, context: AgentHookContext[Any], agent: Any) -> None:
        """Pass it on."""
        await self._hooks.on_agent_start(context, agent)

    async def on_agent_end(self, context: AgentHookContext[Any], agent: Any, output: Any) -> None:
        """Pass it on."""
        await self._hooks.on_agent_end(context, agent, output)

    async def on_tool_start(self, context: Context, agent: Any, tool: Tool) -> None:
        """Wait until the call may run, and pass it on if it may."""
        if isinstance(context, ToolContext) and await self._gate.may_run(context.tool_call_id):
            await self._hooks.on_tool_start(context, agent, tool)

    async def on_tool_end(self, context: Context, agent: Any, tool: Tool, result: object) -> None:
        """Pass it on if the call has run."""
        if isinstance(context, ToolContext) and self._gate.has_run(context.tool_call_id):
            await self._hooks.on_tool_end(context, agent, tool, result)
