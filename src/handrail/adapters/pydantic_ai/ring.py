"""The ring as a capability of the host's: what its loop asks before a tool runs, and tells after the model has replied.

- The model's reply goes to the core before any of its calls is looked at; calls beyond those that anybody handles are kept from the host.
- The ring stands outermost: other capabilities hear of a tool only when it really runs.
- A text that the ring refuses, or an empty reply, leads to another model request with the ring's note. The host's retries are not touched.
- Every call is the ring's: an agent with tools of another origin, with output tools or with the provider's own is refused by name.
- A submit, and a landing, end the host's loop with what was submitted or composed. An end without an answer is raised as `RunOver`, and
  whatever the host itself raises ends our run as well.
"""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from pydantic_ai import ModelRequest, ModelResponse, RunContext, ToolDefinition
from pydantic_ai.agent import CallToolsNode, ModelRequestNode
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.capabilities.abstract import CapabilityOrdering
from pydantic_ai.exceptions import AgentRunError
from pydantic_ai.messages import ModelResponsePart, TextPart, ToolCallPart
from pydantic_ai.models import ModelRequestContext
from pydantic_ai.result import FinalResult
from pydantic_ai.run import AgentRunResult
from pydantic_ai.settings import ModelSettings
from pydantic_graph import End

from handrail.adapters.foreign import Gate, OnEvent, now
from handrail.adapters.pydantic_ai.failures import FAILURES, failure_of
from handrail.adapters.pydantic_ai.messages import answer_of, last_words, messages_of, note, text_of
from handrail.adapters.pydantic_ai.tools import GateToolset, content
from handrail.core.agent import Agent
from handrail.errors import AgentError, InputError
from handrail.ports import Journal, Person
from handrail.vocab.calls import MOST_CALLS
from handrail.vocab.outcomes import Outcome, Status


class RunOver(AgentRunError):
    """Raised out of the host's loop: the core has ended the run without an answer; `outcome` says how."""

    def __init__(self, outcome: Outcome) -> None:
        """Keep the outcome."""
        super().__init__(f"the run is over ({outcome.status.value}): {outcome.reason or outcome.output}")
        self.outcome = outcome


class Ring(AbstractCapability[Any]):
    """Our agent for an `Agent(capabilities=[…])` of one's own: its instructions, settings, tools, guards; the host's deps are the tools'.

    Args:
        agent: what the ring is of; one without reviewers, and without tools that run elsewhere.
        ask: asks a person; where it is missing, or gives `None`, the answer to an approval is a no.
        journal: keeps our events of each run.
        on_event: called with each event and the state after it.
        now: the time.
    """

    def __init__(
        self,
        agent: Agent,
        *,
        ask: Person | None = None,
        journal: Journal | None = None,
        on_event: OnEvent | None = None,
        now: Callable[[], datetime] = now,
    ) -> None:
        """Check that this host can hold the agent's ring.

        Raises:
            AgentError: it cannot; the text says what of it.
        """
        self._agent = agent
        self._more: dict[str, Any] = {"ask": ask, "journal": journal, "on_event": on_event, "now": now}
        self._gate()

    async def for_run(self, ctx: RunContext[Any]) -> AbstractCapability[Any]:
        """The ring of one run."""
        return GateCapability(self._gate(ctx.deps))

    def _gate(self, deps: Any = None) -> Gate:
        return Gate(self._agent, deps=deps, lands=True, **self._more)


class GateCapability(AbstractCapability[Any]):
    """The ring of one run.

    Args:
        gate: the run.
    """

    def __init__(self, gate: Gate) -> None:
        """Keep the run."""
        self._gate = gate
        self._tools = GateToolset(gate)
        self._noted = 0

    def get_ordering(self) -> CapabilityOrdering:
        """Outside of all others, wherever it stands in the list."""
        return CapabilityOrdering(position="outermost")

    def get_toolset(self) -> GateToolset:
        """Our tools."""
        return self._tools

    def get_instructions(self) -> Callable[[RunContext[Any]], str]:
        """The agent's text, with what people have confirmed."""
        return lambda ctx: self._gate.instructions

    def get_model_settings(self) -> Callable[[RunContext[Any]], ModelSettings]:
        """What goes along with a model call, and the one tool that it has to call, where the run lands."""
        return lambda ctx: settings_of(self._gate)

    async def before_run(self, ctx: RunContext[Any]) -> None:
        """Tell the core what the user says."""
        await self._gate.begin(text_of(ctx.prompt), messages_of(ctx.messages))

    async def wrap_run(self, ctx: RunContext[Any], *, handler: Callable[[], Any]) -> AgentRunResult[Any]:
        """Tell the core where the host gives the run up."""
        try:
            result: AgentRunResult[Any] = await handler()
        except AgentRunError as error:
            if self._gate.outcome is None:
                await self._gate.stopped(f"pydantic-ai gave the run up ({type(error).__name__})")
            raise
        return result

    async def prepare_tools(self, ctx: RunContext[Any], tool_defs: list[ToolDefinition]) -> list[ToolDefinition]:
        """What the model may see now.

        Raises:
            AgentError: one of them is not the agent's, so no guard knows it.
        """
        agent = self._gate.agent
        if strange := [each.name for each in tool_defs if each.name not in agent.tools]:
            raise AgentError(f"the tools {strange!r} are none of the agent {agent.name!r}, so its ring cannot judge them; give them to it")
        return [each for each in tool_defs if self._gate.offers(each.name)]

    async def wrap_model_request(
        self, ctx: RunContext[Any], *, request_context: ModelRequestContext, handler: Callable[[ModelRequestContext], Any]
    ) -> ModelResponse:
        """Ask the model, unless the run is over, and give its reply to the core.

        Raises:
            RunOver: the run is over.
        """
        gate = self._gate
        if gate.outcome is not None:
            raise RunOver(gate.outcome)
        self._check(request_context)
        try:
            response: ModelResponse = await handler(request_context)
        except FAILURES as error:
            known = failure_of(error, gate.now())
            await gate.failed(known.kind, str(known))
            if gate.last_word is None or not _answered(gate.outcome):
                raise
            return ModelResponse(parts=[TextPart(gate.last_word)])
        response = _told_apart(response, ctx.messages)
        await gate.replied(answer_of(response), [call.tool_call_id for call in response.tool_calls])
        return _kept(response, gate)

    async def wrap_node_run(self, ctx: RunContext[Any], *, node: Any, handler: Callable[[Any], Any]) -> Any:
        """Put the ring's notes into what is asked; ask again where the ring does not take a reply for the end, and end where it has ended.

        Raises:
            RunOver: the reply has ended the run without an answer.
        """
        if isinstance(node, ModelRequestNode) and self._gate.state.turn > self._noted:
            self._noted = self._gate.state.turn
            node.request = replace(node.request, parts=[*node.request.parts, *map(note, self._gate.notes)])
        if not isinstance(node, CallToolsNode):
            return await handler(node)
        if node.model_response.tool_calls:
            return await self._called(ctx, node, handler)
        return await self._said(ctx, node, handler)

    async def wrap_tool_validate(self, ctx: RunContext[Any], **given: Any) -> dict[str, Any]:
        """The host's reading of the arguments is not asked for: ours is what counts."""
        return {}

    async def wrap_tool_execute(
        self, ctx: RunContext[Any], *, call: ToolCallPart, tool_def: ToolDefinition, args: dict[str, Any], handler: Callable[[Any], Any]
    ) -> Any:
        """Wait until the call may run, and go on if it may.

        Raises:
            AgentError: another capability has answered it in the tool's place.
            ToolFailed: it may not.
        """
        if not await self._gate.may_run(call.tool_call_id):
            return await content(self._gate, call.tool_call_id)
        result = await handler(args)
        if not self._gate.has_run(call.tool_call_id):
            raise AgentError(f"another capability has answered {call.tool_name!r} in the tool's place, so its ring has lost the count")
        return result

    async def _called(self, ctx: RunContext[Any], node: CallToolsNode[Any, Any], handler: Callable[[Any], Any]) -> Any:
        """Have the host run the calls, those of tools that are not there too."""
        tools = ctx.tool_manager.tools if ctx.tool_manager is not None else None
        if tools is not None:
            names = [call.tool_name for call in node.model_response.tool_calls]
            tools.update(self._tools.strangers(name for name in names if name not in tools))
        after = await handler(node)
        if not isinstance(after, ModelRequestNode) or not _answered(self._gate.outcome):
            return after
        ctx.messages.append(replace(after.request, run_id=ctx.run_id, conversation_id=ctx.conversation_id))
        return self._end(ctx)

    async def _said(self, ctx: RunContext[Any], node: CallToolsNode[Any, Any], handler: Callable[[Any], Any]) -> Any:
        """Take a text as the core has taken it: as the end, or as none."""
        outcome = self._gate.outcome
        if outcome is None:
            return ModelRequestNode(ModelRequest(parts=[]))
        if not _answered(outcome):
            raise RunOver(outcome)
        if outcome.output and outcome.output == node.model_response.text:
            return await handler(node)
        return self._end(ctx)

    def _end(self, ctx: RunContext[Any]) -> End[FinalResult[Any]]:
        word, last = self._gate.last_word, ctx.messages[-1]
        if word is not None and not (isinstance(last, ModelResponse) and last.text == word):
            ctx.messages.extend(last_words(ctx.messages, word))
        return End(FinalResult(self._gate.outcome.output if self._gate.outcome is not None else None))

    def _check(self, request: ModelRequestContext) -> None:
        """What this host may do beside the ring is refused before the model is asked."""
        parameters = request.model_request_parameters
        beside = [each.name for each in parameters.output_tools] + [each.kind for each in parameters.native_tools]
        if beside:
            raise AgentError(f"{beside!r} would be called beside the ring of {self._gate.agent.name!r}, which cannot judge them")
        if request.streaming:
            raise InputError("under the ring nothing is streamed, since a text is shown when it is accepted; use Agent.run or Agent.iter")


def settings_of(gate: Gate) -> ModelSettings:
    """The agent's settings as the host's."""
    settings = gate.agent.settings
    given: dict[str, Any] = {
        "temperature": settings.temperature,
        "top_p": settings.top_p,
        "max_tokens": settings.max_tokens,
        "seed": settings.seed,
        "parallel_tool_calls": settings.parallel_tool_calls,
        "extra_body": dict(settings.extra) or None,
        "tool_choice": [gate.forced] if gate.forced is not None else None,
    }
    sent: Any = {name: value for name, value in given.items() if value is not None}
    found: ModelSettings = sent
    return found


def _told_apart(response: ModelResponse, history: Sequence[Any]) -> ModelResponse:
    """The reply with an id for each call that no other call has: the host takes two calls with one id for the same call."""
    taken = {call.tool_call_id for each in history if isinstance(each, ModelResponse) for call in each.tool_calls}
    parts: list[ModelResponsePart] = []
    for part in response.parts:
        if not isinstance(part, ToolCallPart):
            parts.append(part)
            continue
        id = part.tool_call_id
        parts.append(replace(part, tool_call_id=f"call_{secrets.token_hex(12)}") if not id or id in taken else part)
        taken.add(id)
    return replace(response, parts=parts)


def _kept(response: ModelResponse, gate: Gate) -> ModelResponse:
    """What the host is to have of a reply: no more calls than anybody handles, and the model's last word as the ring has taken it."""
    if beyond := response.tool_calls[MOST_CALLS:]:
        return replace(response, parts=[part for part in response.parts if not any(part is call for call in beyond)])
    output = gate.outcome.output if gate.outcome is not None else None
    if response.tool_calls or gate.last_word is not None or not isinstance(output, str) or output == response.text:
        return response
    return replace(response, parts=[*(part for part in response.parts if not isinstance(part, TextPart)), TextPart(output)])


def _answered(outcome: Outcome | None) -> bool:
    return outcome is not None and outcome.status is Status.COMPLETED
