"""The planner on forge's `WorkflowRunner`: steps that have to come first, a terminal tool, nudges for texts and malformed calls.

From its user guide and decisions: Workflow (`required_steps`, `prerequisites`, `terminal_tool`), `ToolResolutionError` for a no that the
model is to work around, and, for new words, `cancel_event` and a second run over the first one's messages.
"""

import asyncio
from collections.abc import Awaitable, Callable
from functools import wraps
from inspect import signature
from typing import Any

import httpx
from forge import ContextManager, NoCompact, OpenAICompatClient, ToolDef, ToolSpec, Workflow, WorkflowRunner
from forge.core.messages import Message, MessageMeta, MessageRole, MessageType
from forge.errors import ForgeError, ToolResolutionError, WorkflowCancelledError
from forge.prompts.nudges import retry_nudge
from pydantic import create_model

from benchmarks.decency.peers.kit import INSTRUCTIONS, MOST_TURNS, SUBMIT, Case, Offered, Record, ToolError, Trip

REQUIRED = ["record_brief", "search_places", "estimate_drive"]
PREREQUISITES: dict[str, list[str | dict[str, str]]] = {
    "search_places": ["record_brief"],
    "search_notes": ["record_brief"],
    "estimate_drive": ["search_places"],
    "check_flights": ["search_places"],
    "check_hotels": ["search_places"],
}


async def forge(case: Case, url: str, record: Record) -> None:
    """One run."""
    trip = Trip(record)
    # The client repeats nothing, so a request may take as long as the run.
    client = OpenAICompatClient(case.model, url, api_key="rehearsal", temperature=0, timeout=record.limit)
    try:
        async with asyncio.timeout(record.limit):
            await _converse(client, trip)
    except (ForgeError, httpx.HTTPError, TimeoutError) as error:
        trip.sorry(f"{type(error).__name__}: {error}")
    finally:
        await client.aclose()


async def _converse(client: OpenAICompatClient, trip: Trip) -> None:
    """Run until there is a plan; when the travellers say something new, stop and go on with it."""
    # The budgets of three texts and two errors in a row are for models that hardly ever need more; here the iterations are what ends a run.
    runner = WorkflowRunner(
        client,
        ContextManager(NoCompact(), None),
        max_iterations=MOST_TURNS,
        max_retries_per_step=MOST_TURNS,
        max_tool_errors=MOST_TURNS,
        retry_nudge=lambda text: trip.answer() or retry_nudge(text),
    )
    seed: list[Message] | None = None
    while not trip.submitted():
        news: asyncio.Queue[str] = asyncio.Queue()
        cancel = asyncio.Event()
        try:
            await runner.run(_workflow(trip, news, cancel), trip.says, initial_messages=seed, cancel_event=cancel)
        except WorkflowCancelledError as stopped:
            seed = [*stopped.messages, Message(MessageRole.USER, news.get_nowait(), MessageMeta(MessageType.USER_INPUT))]


def _workflow(trip: Trip, news: asyncio.Queue[str], cancel: asyncio.Event) -> Workflow:
    def watched(tool: Offered) -> Callable[..., Awaitable[str]]:
        @wraps(tool.function)
        async def call(**arguments: Any) -> str:
            # There are no approvals, so a tool that needs one asks by itself.
            if tool.asks and (no := trip.refusal(tool.name, arguments)) is not None:
                raise ToolResolutionError(no)
            try:
                result = await tool.function(**arguments)
            except ToolError as error:
                raise ToolResolutionError(str(error)) from error
            if (says := trip.interjection()) is not None:
                news.put_nowait(says)
                cancel.set()
            return result

        return call

    return Workflow(
        name="trips",
        description="Plan a trip by car.",
        tools={
            each.name: ToolDef(
                ToolSpec(name=each.name, description=each.description, parameters=_parameters(each)),
                watched(each),
                PREREQUISITES.get(each.name, []),
            )
            for each in trip.tools
        },
        required_steps=REQUIRED,
        terminal_tool=SUBMIT,
        system_prompt_template=INSTRUCTIONS,
    )


def _parameters(tool: Offered) -> Any:
    fields: dict[str, Any] = {
        each.name: (each.annotation, ... if each.default is each.empty else each.default)
        for each in signature(tool.function).parameters.values()
    }
    return create_model(tool.name, **fields)
