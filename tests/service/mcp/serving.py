"""A service with real tools on a real socket, and the official client that calls them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from starlette.types import ASGIApp

from handrail.cli.listening import listening
from handrail.service.http import Http
from tests.service.branch import Branch

MODES = ("legacy", "auto")


@asynccontextmanager
async def on_a_socket(service: ASGIApp) -> AsyncIterator[str]:
    """Where the service, which has started, answers."""
    with listening("127.0.0.1", 0) as listener:
        http = Http(service, stopping=lambda: None)  # type: ignore[arg-type]  # any ASGI app will do
        task = asyncio.create_task(http.serve(listener))
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            http.stop()
            await task


@asynccontextmanager
async def client_of(branch: Branch, url: str, user: str, *, mode: str, **more: Any) -> AsyncIterator[Client]:
    """The official client with the user's key."""
    headers = {"Authorization": f"Bearer {await branch.key(user)}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60, trust_env=False) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode, **more) as client,
    ):
        yield client


def texts(result: Any) -> list[str]:
    """The texts of a tool's result."""
    return [block.text for block in result.content]
