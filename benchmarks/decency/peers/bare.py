"""By hand on the official client, as somebody careful writes it in an afternoon.

Arguments are validated and errors go back to the model; the travellers are asked for the two calls that need a yes; requests that fail are
repeated twice, and none may take longer than leaves time for that; forty turns at most; whatever the provider does, there is an answer.
"""

import asyncio
import json
from typing import Any

from openai import AsyncOpenAI, OpenAIError

from benchmarks.decency.peers.kit import INSTRUCTIONS, MOST_TURNS, Case, Offered, Record, ToolError, Trip


async def bare(case: Case, url: str, record: Record) -> None:
    """One run."""
    trip = Trip(record)
    async with AsyncOpenAI(base_url=url, api_key="rehearsal", timeout=record.limit / 3) as client:
        try:
            async with asyncio.timeout(record.limit):
                await loop(trip, client, case.model)
        except (OpenAIError, TimeoutError) as error:
            trip.sorry(f"The planner could not finish: {type(error).__name__}.")


async def loop(trip: Trip, client: AsyncOpenAI, model: str) -> None:
    """Ask the model, run what it calls, send the results back, until there is a plan."""
    tools: Any = [{"type": "function", "function": declared(tool)} for tool in trip.tools]
    messages: Any = [{"role": "system", "content": INSTRUCTIONS}, {"role": "user", "content": trip.says}]
    for _ in range(MOST_TURNS):
        completion = await client.chat.completions.create(model=model, messages=messages, tools=tools)
        message = completion.choices[0].message
        messages.append(message.model_dump(include={"role", "content", "tool_calls"}, exclude_none=True))
        for call in message.tool_calls or ():
            messages.append({"role": "tool", "tool_call_id": call.id, "content": await called(trip, call)})
        if trip.submitted():
            return
        says = trip.interjection() if message.tool_calls else trip.answer()
        if says is not None:
            messages.append({"role": "user", "content": says})
        elif not message.tool_calls:
            trip.sorry("The planner talks instead of planning.")
            return
    trip.sorry(f"There is no plan after {MOST_TURNS} turns.")


def declared(tool: Offered) -> dict[str, Any]:
    """A tool as the API takes it."""
    return {"name": tool.name, "description": tool.description, "parameters": tool.schema}


async def called(trip: Trip, call: Any) -> str:
    """The result of a call, or what is wrong with it."""
    tool = next((tool for tool in trip.tools if tool.name == call.function.name), None)
    if tool is None:
        return json.dumps({"error": f"there is no tool {call.function.name!r}"})
    try:
        arguments = json.loads(call.function.arguments)
        if tool.asks and (refusal := trip.refusal(tool.name, arguments)) is not None:
            return json.dumps({"error": refusal})
        return await tool.function(**arguments)
    except (ValueError, TypeError, ToolError) as error:
        return json.dumps({"error": str(error)})
