"""`/mcp` and `/mcp/{app}`: streamable HTTP without sessions, for clients of any protocol version.

- Each request is known by its key, as everywhere; there are no session ids, and one that is sent is unknown (case 72).
- Any process answers any request: what has happened is in the database.
- There is nothing to listen to: a client that wants to know what is on offer asks again.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractContextManager, AsyncExitStack, asynccontextmanager
from typing import Annotated

from fastapi import APIRouter, Path, Request
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from handrail.adapters.mcp import Calls, Context, make_server
from handrail.drivers.at_work import working_on
from handrail.errors import AgentError, Bug
from handrail.service.auth.callers import CalledBy, Caller
from handrail.service.desk import LONGEST_ID
from handrail.service.problems import Problem
from handrail.service.running import Running
from handrail.service.serving import Serving
from handrail.service.surfaces.mcp import rows
from handrail.service.surfaces.mcp.hosts import Hosts
from handrail.service.surfaces.mcp.keeping import DatabaseKeeping
from handrail.service.surfaces.mcp.reviewing import Reviewing

CALLER = "mcp_caller"
Handle = Callable[[Scope, Receive, Send], Awaitable[None]]
AppName = Annotated[str, Path(max_length=LONGEST_ID, description="The app's name.")]


class Surface:
    """The apps over MCP.

    Args:
        running: the service.
        served: its apps.
    """

    def __init__(self, running: Running, served: Sequence[Serving]) -> None:
        """Serve nothing yet."""
        self._running = running
        self._served = {each.app.name: each for each in served}
        self._hosts = Hosts(public_url=running.settings.public_url, allowed=running.settings.allowed_hosts)
        self._handles: dict[str, Handle] = {}
        self._refused: dict[str, str] = {}

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """Serve, with apps whose deps are open; writes that run are waited for at the end."""
        async with AsyncExitStack() as stack:
            for name, serving in self._served.items():
                try:
                    calls = self._calls(serving)
                except AgentError as error:
                    self._refused[name] = str(error)
                    continue
                stack.push_async_callback(calls.close)
                server = make_server(calls, self._keeping(name), about=serving.app.summary)
                manager = StreamableHTTPSessionManager(server, stateless=True, max_request_body_size=self._running.settings.most_body_bytes)
                await stack.enter_async_context(_run(manager))
                self._handles[name] = manager.handle_request
            try:
                yield
            finally:
                self._handles.clear()

    def router(self) -> APIRouter:
        """The routes."""
        routes = APIRouter(include_in_schema=False)

        @routes.post("/mcp")
        async def only(request: Request, called_by: CalledBy) -> Response:
            """The one app that is served."""
            if len(self._served) != 1:
                raise Problem(404, "no_app", f"Several apps are served; name one in the path: {', '.join(self._served)}.")
            return self._exchange(request, called_by, next(iter(self._served)))

        @routes.post("/mcp/{app}")
        async def named(app: AppName, request: Request, called_by: CalledBy) -> Response:
            """One of them."""
            return self._exchange(request, called_by, app)

        return routes

    def _exchange(self, request: Request, caller: Caller, app: str) -> Response:
        handle = self._handles.get(app)
        if handle is None:
            raise Problem(404, "no_app", self._refused.get(app, "There is no such app here."))
        self._hosts.check(request.headers)
        if "mcp-session-id" in request.headers:
            raise Problem(404, "not_found", "There is no such session: this server keeps none. Leave Mcp-Session-Id away.")
        request.scope["state"][CALLER] = caller
        return _Exchange(handle)

    def _calls(self, serving: Serving) -> Calls:
        clock = self._running.clock
        review = Reviewing(serving.agent, serving.model, deps=serving.deps, clock=clock)
        return Calls(serving.agent, clock=clock, deps=serving.deps, review=review, on_event=serving.on_event, working_on=_working_on)

    def _keeping(self, app: str) -> Callable[[Context], DatabaseKeeping]:
        def keeping(context: Context) -> DatabaseKeeping:
            request = context.request
            caller = request.scope.get("state", {}).get(CALLER) if isinstance(request, Request) else None
            if not isinstance(request, Request) or not isinstance(caller, Caller):
                raise Bug("a call over MCP came in without anybody who makes it")
            # By which name it was reached has been checked.
            base = self._running.settings.public_url or str(request.base_url)
            return DatabaseKeeping(self._running, caller, app, base=base)

        return keeping


def _working_on(run_id: str) -> AbstractContextManager[None]:
    return working_on(run_id, rows.session_of(run_id))


@asynccontextmanager
async def _run(manager: StreamableHTTPSessionManager) -> AsyncIterator[None]:
    """Have the manager run in a task of its own: its library asks that one task begins and ends it, and whoever hosts us may use two."""
    ready, closing = asyncio.Event(), asyncio.Event()

    async def hold() -> None:
        async with manager.run():
            ready.set()
            await closing.wait()

    task = asyncio.create_task(hold(), name="MCP over HTTP")
    waiting = asyncio.create_task(ready.wait())
    await asyncio.wait({task, waiting}, return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    try:
        if task.done():
            task.result()
        yield
    finally:
        closing.set()
        await task


class _Exchange(Response):
    """Has the protocol's library answer. White space around a header's value is none of it (RFC 9110, 5.5), and not every parser knows."""

    def __init__(self, handle: Handle) -> None:
        super().__init__()
        self._handle = handle

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = [(name, value.strip(b" \t")) for name, value in scope["headers"]]
        await self._handle({**scope, "headers": headers}, receive, send)
