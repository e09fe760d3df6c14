"""The default member: the official client, by its low-level `post`.

- The client's authentication, proxies, retries (two, and nobody else's on top, case 34) and time-outs stay the client's.
- A client belongs to one event loop. Ours are made one a loop and closed when their loop ends (case 47); a client of
  the user's is used as it is and never closed.
"""

import ssl
import sys
from collections.abc import AsyncGenerator, Callable
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

import httpx2
import openai
from openai import AsyncAzureOpenAI, AsyncOpenAI, DefaultAsyncHttpxClient

from handrail.errors import ModelError
from handrail.models.failures import broken_off, failure
from handrail.models.transports.lifetimes import OnePerLoop
from handrail.models.transports.port import Response


def opened(base_url: str | None, api_key: str | None) -> AsyncOpenAI:
    """A client of ours, which goes nowhere but where it is sent."""
    return AsyncOpenAI(base_url=base_url, api_key=api_key, http_client=DefaultAsyncHttpxClient(follow_redirects=False))


class OfficialTransport:
    """The official client, by its low-level `post`.

    Args:
        client: a client of the user's, for one event loop; or a function that makes one, called once for each loop.
        now: the time, for a `Retry-After` that is a date.
    """

    def __init__(self, client: AsyncOpenAI | Callable[[], AsyncOpenAI], *, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        """Keep the client or its maker; nothing is opened yet."""
        self._clients = client if isinstance(client, AsyncOpenAI) else OnePerLoop(client, AsyncOpenAI.close)
        self._now = now

    async def post(self, path: str, body: bytes, *, model: str, stream: bool = False) -> Response:
        """Post with the client of this event loop."""
        client = await self._clients.get() if isinstance(self._clients, OnePerLoop) else self._clients
        try:
            response = await client.post(_address(client, path, model), cast_to=httpx2.Response, content=body, stream=stream)
        except openai.OpenAIError as error:
            failed = failure(error, now=self._now(), secrets=_secrets(client))
        else:
            return Response(status=response.status_code, headers=response.headers, body=_pieces(response) if stream else response.content)
        raise failed

    async def close(self) -> None:
        """Close the client that this event loop has open, if it is one of ours."""
        if isinstance(self._clients, OnePerLoop):
            await self._clients.close()


async def _pieces(response: httpx2.Response) -> AsyncGenerator[bytes]:
    failed: ModelError | None = None
    try:
        async for piece in response.aiter_bytes():
            yield piece
    except _read_errors() as error:
        failed = broken_off(error)
    finally:
        await response.aclose()
    if failed:
        raise failed


def _read_errors() -> tuple[type[Exception], ...]:
    """What reading can raise; a user's client may be built on the older httpx."""
    legacy: Any = sys.modules.get("httpx")
    return (httpx2.HTTPError, httpx2.StreamError, ssl.SSLError, *([legacy.HTTPError, legacy.StreamError] if legacy else []))


def _address(client: AsyncOpenAI, path: str, model: str) -> str:
    """Azure wants the deployment in the path, and its client puts it there only for bodies that it encodes itself."""
    if isinstance(client, AsyncAzureOpenAI) and "/deployments/" not in str(client.base_url):
        return f"/deployments/{quote(model, safe='')}{path}"
    return path


def _secrets(client: AsyncOpenAI) -> tuple[str, ...]:
    return (client.api_key,) if client.api_key else ()
