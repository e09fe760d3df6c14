"""The planner on langchain's `create_agent` and its middleware: approvals pause the run, which a checkpointer keeps, and go on with it.

From its documentation: Human-in-the-loop (`HumanInTheLoopMiddleware`, `Command(resume=...)`), Prebuilt middleware (limits, retries, tool
errors), and Custom middleware (`before_model`, which may add messages and jump to the end).
"""

import asyncio
from typing import Any

from langchain.agents import AgentState, create_agent
from langchain.agents.middleware import (
    HumanInTheLoopMiddleware,
    ModelCallLimitMiddleware,
    ModelRetryMiddleware,
    ToolCallLimitMiddleware,
    ToolErrorMiddleware,
    before_model,
)
from langchain.agents.middleware.model_call_limit import ModelCallLimitExceededError
from langchain_core.messages import HumanMessage
from langchain_core.tools import StructuredTool
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from openai import OpenAIError

from benchmarks.decency.peers.kit import INSTRUCTIONS, MOST_TURNS, Case, Record, ToolError, Trip


async def langchain(case: Case, url: str, record: Record) -> None:
    """One run."""
    trip = Trip(record)
    # A third of the run for a request, so that there is time for the client's repetitions.
    model = ChatOpenAI(model=case.model, base_url=url, api_key="rehearsal", timeout=record.limit / 3, temperature=0)
    try:
        async with asyncio.timeout(record.limit):
            await _converse(_agent(trip, model), trip)
    except (ModelCallLimitExceededError, OpenAIError, TimeoutError) as error:
        trip.sorry(f"{type(error).__name__}: {error}")


async def _converse(agent: Any, trip: Trip) -> None:
    """Answer what the run pauses for, and texts, until there is a plan."""
    config = {"configurable": {"thread_id": "1"}}
    given: Any = _user(trip.says)
    while given is not None:
        result = await agent.ainvoke(given, config, version="v2")
        if result.interrupts:
            given = Command(resume={each.id: _decision(trip, each.value) for each in result.interrupts})
        elif trip.submitted():
            return
        else:
            given = _user(says) if (says := trip.answer()) is not None else None
    trip.sorry("The planner talks instead of planning.")


def _agent(trip: Trip, model: ChatOpenAI) -> Any:
    """The agent; its plan comes from a tool and not as `ToolStrategy`, since structured output cannot wait for an approval."""
    asking = {tool.name: {"allowed_decisions": ["approve", "reject"]} for tool in trip.tools if tool.asks}

    def listen(state: AgentState[Any], runtime: Any) -> dict[str, Any] | None:
        # `return_direct` would end the run with a plan that was refused, too.
        if trip.plan is not None:
            return {"jump_to": "end"}
        says = trip.interjection()
        return {"messages": [HumanMessage(says)]} if says is not None else None

    return create_agent(
        model,
        tools=[StructuredTool.from_function(coroutine=tool.function, parse_docstring=True) for tool in trip.tools],
        system_prompt=INSTRUCTIONS,
        middleware=[
            before_model(can_jump_to=["end"])(listen),
            ModelCallLimitMiddleware(thread_limit=MOST_TURNS, exit_behavior="error"),
            ToolCallLimitMiddleware(tool_name="search_notes", thread_limit=4),
            ModelRetryMiddleware(on_failure="error", initial_delay=0.1),
            HumanInTheLoopMiddleware(asking, interrupt_mode="per_call"),
            ToolErrorMiddleware(lambda error, _: str(error) if isinstance(error, ToolError) else None),
        ],
        checkpointer=InMemorySaver(),
    )


def _decision(trip: Trip, call: dict[str, Any]) -> dict[str, str]:
    no = trip.refusal(call["name"], call["args"])
    return {"type": "approve"} if no is None else {"type": "reject", "message": no}


def _user(says: str) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": says}]}
