"""The planner on Microsoft's agent-framework: approvals come back as requests of a run, and a session carries them to the next.

From its documentation: Using function tools with human in the loop approvals (`approval_mode`, `user_input_requests`), Middleware
(`MiddlewareTermination`, `MessageInjectionMiddleware`), and `FunctionInvocationConfiguration` (iterations, time, detailed errors).
"""

import asyncio
from typing import Any

from agent_framework import (
    Agent,
    AgentSession,
    Content,
    FunctionInvocationContext,
    InMemoryHistoryProvider,
    Message,
    MessageInjectionMiddleware,
    MiddlewareTermination,
    enqueue_messages,
    function_middleware,
    tool,
)
from agent_framework.exceptions import AgentFrameworkException
from agent_framework.openai import OpenAIChatCompletionClient
from openai import AsyncOpenAI, OpenAIError

from benchmarks.decency.peers.kit import INSTRUCTIONS, MOST_TURNS, Case, Record, Trip


async def agent_framework(case: Case, url: str, record: Record) -> None:
    """One run."""
    trip = Trip(record)
    # A third of the run for a request, so that there is time for the client's repetitions.
    async with AsyncOpenAI(base_url=url, api_key="rehearsal", timeout=record.limit / 3) as client:
        model = OpenAIChatCompletionClient(
            model=case.model,
            async_client=client,
            function_invocation_configuration={
                "max_iterations": MOST_TURNS,
                "max_duration_seconds": record.limit,
                "include_detailed_errors": True,
            },
        )
        try:
            async with asyncio.timeout(record.limit):
                await _converse(model, trip)
        except (AgentFrameworkException, OpenAIError, TimeoutError) as error:
            trip.sorry(f"{type(error).__name__}: {error}")


async def _converse(model: OpenAIChatCompletionClient, trip: Trip) -> None:
    """Answer what a run asks for, and texts, until there is a plan."""
    session = AgentSession()
    agent = _agent(model, trip, session)
    given: list[Message] | None = [Message("user", [trip.says])]
    while given is not None:
        response = await agent.run(given, session=session)
        if trip.submitted():
            return
        if response.user_input_requests:
            given = _decided(trip, response.user_input_requests, session)
        else:
            given = [Message("user", [says])] if (says := trip.answer()) is not None else None
    trip.sorry("The planner talks instead of planning.")


def _agent(model: OpenAIChatCompletionClient, trip: Trip, session: AgentSession) -> Agent[Any]:
    async def watch(context: FunctionInvocationContext, call_next: Any) -> None:
        await call_next()
        if trip.plan is not None:
            raise MiddlewareTermination("There is a plan.")
        if (says := trip.interjection()) is not None:
            enqueue_messages(session, [Message("user", [says])])

    return Agent(
        model,
        INSTRUCTIONS,
        tools=[
            tool(
                each.function,
                approval_mode="always_require" if each.asks else "never_require",
                max_invocations=4 if each.name == "search_notes" else None,
            )
            for each in trip.tools
        ],
        middleware=[function_middleware(watch), MessageInjectionMiddleware()],
        default_options={"temperature": 0},
        # As in the framework's own harness: without it, messages that are queued while a run goes on reach one request and are forgotten.
        context_providers=[InMemoryHistoryProvider()],
        require_per_service_call_history_persistence=True,
    )


def _decided(trip: Trip, requests: list[Content], session: AgentSession) -> list[Message]:
    """A yes or no has no place for a reason, so that is queued."""
    asking = {each.name for each in trip.tools if each.asks}
    answers: list[Content] = []
    reasons: list[str] = []
    for request in requests:
        call: Any = request.function_call
        no = trip.refusal(call.name, call.arguments) if call.name in asking else None
        answers.append(request.to_function_approval_response(approved=no is None))
        reasons += [no] if no is not None else []
    enqueue_messages(session, [Message("user", ["\n\n".join(reasons)])] if reasons else [])
    return [Message("user", answers)]
