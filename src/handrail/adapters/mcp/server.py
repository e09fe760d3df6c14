"""An agent as an MCP server: its tools as the ring offers them, each call judged by the ring.

- It keeps nothing: `keeping` says where the run of whoever asks is.
- An approval is an elicitation where the client can show one: in the course of the call where the protocol has a way back, else as an
  `input_required` result that the client answers when it calls again (2026-07-28). Where it cannot, the answer says where to decide.
- Where one connection is one client (`listens`), it is told when other tools are on offer.
"""

import logging
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequiredResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
)
from mcp.types.version import MODERN_PROTOCOL_VERSIONS

from handrail.adapters.mcp.answers import Answered, Asked, Said, refused
from handrail.adapters.mcp.asking import FORM, PUT_AWAY, can_ask, said, words
from handrail.adapters.mcp.calls import Calls
from handrail.adapters.mcp.declared import listed
from handrail.adapters.mcp.keeping import Keeping, Question
from handrail.models.wire import NOTE

QUESTION = "approval"
FOREIGN = "The requestState is none that this server has given out, or its run is over. Make the call again without it."
STEPS = 2
MOST_QUESTIONS = 8
"""In the course of one call; each is another guard's, or one whose document has changed meanwhile."""
BROKEN = "Something went wrong here. It has been logged; trying again may help."

logger = logging.getLogger(__name__)
Context = ServerRequestContext[Any, Any]
KeepingOf = Callable[[Context], Keeping]


def make_server(calls: Calls, keeping: KeepingOf, *, about: str, listens: bool = False) -> Server[Any]:
    """The server.

    Args:
        calls: the agent; its instructions are its own model's, and are told nobody.
        keeping: where the run of whoever asks is.
        about: what the tools are for, for the client's model.
        listens: each connection is one client, so it can be told of changes.
    """
    handlers = _Handlers(calls, keeping, listens=listens)
    changed = ListenHandler(handlers.changes) if listens else None
    return Server(
        calls.agent.name,
        version=_version(),
        instructions=about,
        cache_hints={"tools/list": CacheHint(ttl_ms=0, scope="private")},
        get_tool_input_schema=handlers.schema,
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_subscriptions_listen=changed,
    )


class _Handlers:
    def __init__(self, calls: Calls, keeping: KeepingOf, *, listens: bool) -> None:
        self.changes = InMemorySubscriptionBus()
        self._listens = listens
        self._calls = calls
        self._keeping = keeping

    def schema(self, name: str) -> dict[str, Any] | None:
        tool = self._calls.tools.get(name)
        return None if tool is None else tool.declaration["function"]["parameters"]

    async def list_tools(self, context: Context, params: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=list(listed(self._calls.tools, await self._calls.offered(self._keeping(context)))))

    async def call_tool(self, context: Context, params: CallToolRequestParams) -> CallToolResult | InputRequiredResult:
        keeping = self._keeping(context)
        try:
            before = await self._calls.offered(keeping) if self._listens else ()
            answer = await self._called(context, keeping, params)
            if self._listens and await self._calls.offered(keeping) != before:
                await self._tell(context)
        except MCPError:
            raise
        except Exception as error:
            # The protocol's library would put the exception's own words into its answer.
            logger.exception("a call of %s failed", self._calls.agent.name)
            raise MCPError(INTERNAL_ERROR, BROKEN) from error
        return answer

    async def _called(self, context: Context, keeping: Keeping, params: CallToolRequestParams) -> CallToolResult | InputRequiredResult:
        if params.request_state is not None and not await keeping.knows(params.request_state):
            raise MCPError(INVALID_PARAMS, FOREIGN)
        given = (params.input_responses or {}).get(QUESTION)
        if isinstance(given, ElicitResult) and given.action == "cancel":
            return _result(refused(PUT_AWAY))
        came = await self._call(context, keeping, params, _said(given, params.request_state))
        if isinstance(came, Answered):
            return _result(came)
        if not keeping.elicits or not can_ask(context.session.client_capabilities):
            return _result(refused(_needed(keeping.place(came.question))))
        if context.protocol_version in MODERN_PROTOCOL_VERSIONS:
            form = ElicitRequestFormParams(message=words(came.question), requested_schema=FORM)
            return InputRequiredResult(input_requests={QUESTION: ElicitRequest(params=form)}, request_state=came.question.id)
        if not context.session.can_send_request:
            return _result(refused(_needed(keeping.place(came.question))))
        return await self._asked(context, keeping, params, came.question)

    async def _asked(self, context: Context, keeping: Keeping, params: CallToolRequestParams, question: Question) -> CallToolResult:
        """Ask in the course of the call; the run is free meanwhile."""
        for _ in range(MOST_QUESTIONS):
            try:
                result = await context.session.elicit_form(words(question), FORM, related_request_id=context.request_id)
            except MCPError:
                return _result(refused(PUT_AWAY))
            answer = said(question.id, result)
            if answer is None:
                return _result(refused(PUT_AWAY))
            came = await self._call(context, keeping, params, answer)
            if isinstance(came, Answered):
                return _result(came)
            question = came.question
        return _result(refused(_needed(keeping.place(question))))

    async def _call(self, context: Context, keeping: Keeping, params: CallToolRequestParams, answer: Said | None) -> Answered | Asked:
        """Make the call, and tell the client that it is judged, that it runs, and that it has ended."""

        async def starting() -> None:
            await context.session.report_progress(1, STEPS, "It runs.")

        await context.session.report_progress(0, STEPS, "It is judged.")
        came = await self._calls.call(keeping, params.name, params.arguments or {}, answer, starting)
        if isinstance(came, Answered):
            await context.session.report_progress(STEPS, STEPS, "It has ended.")
        return came

    async def _tell(self, context: Context) -> None:
        await self.changes.publish(ToolsListChanged())
        if context.protocol_version not in MODERN_PROTOCOL_VERSIONS and context.session.can_send_request:
            await context.session.send_tool_list_changed()


def _version() -> str:
    try:
        return version("handrail")
    except PackageNotFoundError:  # run from its source
        return "0"


def _said(given: Any, question_id: str | None) -> Said | None:
    return said(question_id, given) if isinstance(given, ElicitResult) and question_id is not None else None


def _needed(place: str) -> str:
    return f"A person has to say yes to this very call first; nothing was run. {place}"


def _result(answer: Answered) -> CallToolResult:
    notes = [TextContent(text=f"{NOTE}{note}") for note in answer.notes]
    return CallToolResult(content=[TextContent(text=answer.content), *notes], is_error=answer.failed)
