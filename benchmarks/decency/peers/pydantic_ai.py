"""The planner on pydantic-ai: `submit_plan` is the output tool, the brief waits for an approval, and new words are queued while it runs.

From its documentation: Deferred Tools (`requires_approval`, `HandleDeferredToolCalls`), Output functions, Reporting a failed tool result,
Retries, Timeouts ("wrap `agent.run()` in `asyncio.timeout`"), Usage Limits, and Injecting messages mid-run (`enqueue`).
"""

import asyncio
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any

from openai import AsyncOpenAI
from pydantic_ai import Agent, ModelRetry, RunContext, RunUsage, Tool, ToolDenied, ToolFailed, ToolOutput, UsageLimits
from pydantic_ai.capabilities import HandleDeferredToolCalls, Hooks
from pydantic_ai.exceptions import AgentRunError
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import DeferredToolRequests, DeferredToolResults

from benchmarks.decency.peers.kit import INSTRUCTIONS, MOST_TURNS, SUBMIT, Case, Offered, Record, ToolError, Trip


async def pydantic_ai(case: Case, url: str, record: Record) -> None:
    """One run."""
    trip = Trip(record)
    # What pydantic-ai has a strict provider described by: one system message, and in the first place.
    profile = OpenAIModelProfile(supports_inline_system_prompts=False, openai_chat_supports_multiple_system_messages=False)
    # A third of the run for a request, so that there is time for the client's repetitions.
    async with AsyncOpenAI(base_url=url, api_key="rehearsal", timeout=record.limit / 3) as client:
        model = OpenAIChatModel(case.model, provider=OpenAIProvider(openai_client=client), profile=profile)
        agent = _agent(trip, model, record.limit)
        try:
            async with asyncio.timeout(record.limit):
                await _converse(agent, trip)
        except (AgentRunError, TimeoutError) as error:
            trip.sorry(f"{type(error).__name__}: {error}")


async def _converse(agent: Agent[None, str], trip: Trip) -> None:
    """Run after run over one history and one budget, until there is a plan: a text is for the travellers."""
    says: str | None = trip.says
    history, usage = None, RunUsage()
    while says is not None:
        async with agent.iter(says, message_history=history, usage=usage, usage_limits=UsageLimits(request_limit=MOST_TURNS)) as going:
            async for _ in going:
                if (more := trip.interjection()) is not None:
                    going.enqueue(more)
        if trip.submitted():
            return
        history, says = going.all_messages(), trip.answer()
    trip.sorry("The planner talks instead of planning.")


def _agent(trip: Trip, model: OpenAIChatModel, seconds: float) -> Agent[None, str]:
    tools = {tool.name: tool for tool in trip.tools}

    async def ask(_: RunContext[None], requests: DeferredToolRequests) -> DeferredToolResults:
        refusals = {call.tool_call_id: trip.refusal(call.tool_name, call.args_as_dict()) for call in requests.approvals}
        return requests.build_results(approvals={id: True if no is None else ToolDenied(no) for id, no in refusals.items()})

    async def told(_: RunContext[None], *, error: Exception, **__: Any) -> Any:
        raise ToolFailed(str(error)) if isinstance(error, ToolError) else error

    return Agent(
        model,
        instructions=INSTRUCTIONS,
        tools=[Tool(tool.function, takes_ctx=False, requires_approval=tool.asks) for name, tool in tools.items() if name != SUBMIT],
        output_type=[ToolOutput(_submitting(trip, tools[SUBMIT]), name=SUBMIT), str],
        # The default of one retry is for models that hardly ever need one; here the limit on requests is what ends a run.
        retries=MOST_TURNS,
        tool_timeout=seconds,
        model_settings=ModelSettings(temperature=0),
        capabilities=[HandleDeferredToolCalls(ask), Hooks(tool_execute_error=told)],
    )


def _submitting(trip: Trip, tool: Offered) -> Callable[..., Awaitable[str]]:
    """Approvals are for function tools, so an output function asks by itself."""

    @wraps(tool.function)
    async def submit_plan(**plan: Any) -> str:
        if (no := trip.refusal(SUBMIT, plan)) is not None:
            raise ModelRetry(no)
        try:
            return await tool.function(**plan)
        except ToolError as error:
            raise ModelRetry(str(error)) from error

    return submit_plan
