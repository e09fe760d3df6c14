"""This app under the OpenAI Agents SDK's loop. The SDK's own `RunHooks` tell our hooks, so the tools do not. Needs the extra `agents`."""

import json
from collections.abc import Iterable, Sequence
from time import perf_counter
from typing import Any

from agents import RunHooks, Tool
from agents.tool_context import ToolContext
from msgspec.structs import replace

from handrail import Agent
from handrail.apps.foodfight.conversing import Ask, Talked
from handrail.apps.foodfight.hooks import Ending, Hooks, ToolStart, ended, tell
from handrail.apps.foodfight.kitchen import Kitchen
from handrail.service import Model, OnEvent
from handrail.service.openai_agents import run

NOBODY_KNOWS = "outcome unknown"


class HooksOfOurs(RunHooks[Any]):
    """Tells our hooks of the tools that the SDK's loop runs."""

    def __init__(self, hooks: Iterable[Hooks]) -> None:
        """Keep them."""
        self._hooks = tuple(hooks)
        self._began: dict[str, float] = {}

    async def on_tool_start(self, context: Any, agent: Any, tool: Tool) -> None:
        """A tool starts."""
        if isinstance(context, ToolContext):
            self._began[context.tool_call_id] = perf_counter()
            tell(self._hooks, _start(context))

    async def on_tool_end(self, context: Any, agent: Any, tool: Tool, result: object) -> None:
        """It has ended."""
        if isinstance(context, ToolContext):
            began = self._began.pop(context.tool_call_id, perf_counter())
            tell(self._hooks, ended(_start(context), _ending(str(result)), perf_counter() - began))


async def talk(
    agent: Agent,
    message: str,
    *,
    model: Model,
    deps: Kitchen,
    history: Sequence[Any] = (),
    ask: Ask | None = None,
    on_event: OnEvent | None = None,
) -> Talked:
    """One message, with the SDK's items (`to_input_list()`) as history."""
    ran = await run(
        agent,
        message,
        model=model,
        deps=replace(deps, hooks=()),
        history=history,
        ask=ask,
        hooks=HooksOfOurs(deps.hooks),
        on_event=on_event,
    )
    return Talked(outcome=ran.outcome, history=tuple(ran.items))


def _start(context: ToolContext[Any]) -> ToolStart:
    return ToolStart(tool=context.tool_name, run_id="", call_id=context.tool_call_id)


def _ending(result: str) -> Ending:
    try:
        read = json.loads(result)
    except ValueError:
        return "returned"
    if not isinstance(read, dict) or list(read) != ["error"]:
        return "returned"
    return "unknown" if str(read["error"]).startswith(NOBODY_KNOWS) else "failed"
