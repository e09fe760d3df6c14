"""How bytes get to a provider and back: a port, and its default member on the official client.

- Bytes out, bytes in: no typed objects on the way, which cost more than everything else in a call (docs/explain).
- The client's authentication, proxies, retries (two, and nobody else's on top, case 34) and time-outs stay the client's.
- A client belongs to one event loop. Ours are made one a loop and closed when their loop ends (case 47); a client of the user's
  is used as it is and never closed.
- Whatever goes wrong leaves as `ModelError`, free of the client's exceptions.
"""

import asyncio
import ssl
import sys
from collections.abc import AsyncGenerator, Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Protocol
from urllib.parse import quote

import httpx2
import msgspec
import openai
from openai import AsyncAzureOpenAI, AsyncOpenAI

from handrail.errors import ModelError
from handrail.models.failures import failure
from handrail.vocab.failures import FailureKind


class Response(msgspec.Struct, frozen=True, kw_only=True):
    """An answer that is no error: whole, or as a stream of bytes that its reader closes."""

    status: int
    headers: Mapping[str, str]
    body: bytes | AsyncGenerator[bytes]


class Transport(Protocol):
    """Posts JSON to a provider."""

    async def post(self, path: str, body: bytes, *, model: str, stream: bool = False) -> Response:
        """Post, and read the whole body unless it is to stream. Some providers want the model in the address too.

        Raises:
            ModelError: no answer, or one with an error status, after the transport's own retries.
        """
        ...

    async def close(self) -> None:
        """Close what this event loop has open."""
        ...


class OfficialTransport:
    """The official client, by its low-level `post`.

    Args:
        client: a client of the user's, for one event loop; or a function that makes one, called once for each loop.
        now: the time, for a `Retry-After` that is a date.
    """

    def __init__(self, client: AsyncOpenAI | Callable[[], AsyncOpenAI], *, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        """Keep the client or its maker; nothing is opened yet."""
        self._given = client
        self._now = now
        self._open: dict[asyncio.AbstractEventLoop, tuple[AsyncOpenAI, AsyncGenerator[None]]] = {}

    async def post(self, path: str, body: bytes, *, model: str, stream: bool = False) -> Response:
        """Post with the client of this event loop."""
        client = await self._client()
        try:
            response = await client.post(_address(client, path, model), cast_to=httpx2.Response, content=body, stream=stream)
        except openai.OpenAIError as error:
            failed = failure(error, now=self._now(), secrets=_secrets(client))
        else:
            return Response(status=response.status_code, headers=response.headers, body=_pieces(response) if stream else response.content)
        raise failed

    async def close(self) -> None:
        """Close the client that this event loop has open, if it is one of ours."""
        if opened := self._open.get(asyncio.get_running_loop()):
            await opened[1].aclose()

    async def _client(self) -> AsyncOpenAI:
        if isinstance(self._given, AsyncOpenAI):
            return self._given
        loop = asyncio.get_running_loop()
        if opened := self._open.get(loop):
            return opened[0]
        client = self._given()
        lifetime = self._lifetime(loop, client)
        self._open[loop] = client, lifetime
        await anext(lifetime)
        return client

    async def _lifetime(self, loop: asyncio.AbstractEventLoop, client: AsyncOpenAI) -> AsyncGenerator[None]:
        """A loop that ends closes its open generators, and this one closes the client."""
        try:
            yield
        finally:
            self._open.pop(loop, None)
            await client.close()
            await asyncio.sleep(0)  # the loop lets go of a closed connection in its next round


async def _pieces(response: httpx2.Response) -> AsyncGenerator[bytes]:
    broken = ""
    try:
        async for piece in response.aiter_bytes():
            yield piece
    except _read_errors() as error:
        broken = type(error).__name__
    finally:
        await response.aclose()
    if broken:
        raise ModelError(FailureKind.CONNECTION, f"the stream broke off ({broken})")


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
