"""openai-agents, as its documentation has it.

Used of it: `function_tool` with its strict schemas, `needs_approval` with interruptions and rejection messages, tool time-outs,
`StopAtTools`, `max_turns`, retries of model calls, and `to_input_list` for what was said. What fails is told to the model.
"""

import asyncio

from agents import (
    Agent,
    AgentsException,
    ModelRetrySettings,
    ModelSettings,
    OpenAIChatCompletionsModel,
    RunConfig,
    Runner,
    RunResult,
    StopAtTools,
    Tool,
    TResponseInputItem,
    function_tool,
    retry_policies,
)
from openai import AsyncOpenAI, OpenAIError

from benchmarks.decency.peers.kit import INSTRUCTIONS, MOST_TURNS, SUBMIT, Case, Record, Trip

TRANSIENT = (retry_policies.provider_suggested(), retry_policies.retry_after(), retry_policies.network_error())
RETRIES = ModelRetrySettings(max_retries=3, policy=retry_policies.any(*TRANSIENT))
CONFIG = RunConfig(tracing_disabled=True, tool_not_found_behavior="return_error_to_model")


async def openai_agents(case: Case, url: str, record: Record) -> None:
    """One run."""
    trip = Trip(record)
    async with AsyncOpenAI(base_url=url, api_key="rehearsal", timeout=record.limit / 3) as client:
        agent = Agent(
            name="trips",
            instructions=INSTRUCTIONS,
            model=OpenAIChatCompletionsModel(case.model, client),
            model_settings=ModelSettings(temperature=0, retry=RETRIES),
            tools=tools(trip, record.limit),
            tool_use_behavior=StopAtTools(stop_at_tool_names=[SUBMIT]),
        )
        try:
            async with asyncio.timeout(record.limit):
                await conversation(agent, trip)
        except (AgentsException, OpenAIError, TimeoutError) as error:
            trip.sorry(f"The planner could not finish: {type(error).__name__}.")


def tools(trip: Trip, seconds: float) -> list[Tool]:
    """The tools; two of them wait for the travellers."""
    return [function_tool(each.function, needs_approval=each.asks, timeout=seconds) for each in trip.tools]


async def conversation(agent: Agent[None], trip: Trip) -> None:
    """A run a message, until one has handed in a plan."""
    said: list[TResponseInputItem] = [{"role": "user", "content": trip.says}]
    while True:
        result = await answered(agent, said, trip)
        if trip.submitted():
            return
        says = trip.answer()
        if says is None:
            trip.sorry("The planner talks instead of planning.")
            return
        said = [*result.to_input_list(), {"role": "user", "content": says}]


async def answered(agent: Agent[None], said: list[TResponseInputItem], trip: Trip) -> RunResult:
    """One run, with what it asks the travellers."""
    result = await Runner.run(agent, said, max_turns=MOST_TURNS, run_config=CONFIG)
    while result.interruptions:
        state = result.to_state()
        for item in result.interruptions:
            refusal = trip.refusal(str(item.name), item.arguments or "")
            if refusal is None:
                state.approve(item)
            else:
                state.reject(item, rejection_message=refusal)
        result = await Runner.run(agent, state, run_config=CONFIG)
    return result
