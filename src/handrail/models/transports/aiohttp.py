"""The member for many runs a core: aiohttp, at a fraction of the CPU time of the official client (docs/explain/performance.md).

- Retries and time-outs are the official client's own, to the number.
- One session an event loop, closed with it (case 47). It keeps connections, and no cookies.
- Certificates are held against the same authorities as the official client's, `SSL_CERT_FILE` and `SSL_CERT_DIR` included.
- A reader that gives up closes the connection, so a provider notices and stops.
- What aiohttp raises holds the request, and with it the key: none of it goes on, nor as a cause (case 75).
"""

import asyncio
import io
import random
from collections.abc import AsyncGenerator, Awaitable, Callable
from datetime import UTC, datetime

import aiohttp
import httpx2
import msgspec
from yarl import URL

from handrail.errors import ModelError
from handrail.models.failures import broken_off, late, refused, unreachable
from handrail.models.transports.lifetimes import OnePerLoop
from handrail.models.transports.port import Response
from handrail.models.transports.provider import provider
from handrail.models.transports.retries import curable, pause

CONNECT_SECONDS = 5.0
READ_SECONDS = 600.0
MOST_CONNECTIONS = 1_000
MOST_HEADER_BYTES = 65_536
MOST_ERROR_BYTES = 65_536
MOST_BYTES_AT_ONCE = 2**20
"""A longer body is written piece by piece, so that the event loop has its turn between."""


class _Failed(msgspec.Struct, frozen=True):
    """One try that failed, and whether another may do better."""

    error: ModelError
    curable: bool = True


class AiohttpTransport:
    """aiohttp, for a provider with a key (`handrail.models.transports.Transport`).

    Args:
        base_url: where the provider is; else OPENAI_BASE_URL, else OpenAI.
        api_key: else OPENAI_API_KEY.
        proxies: whether requests go through the environment's proxies.
        read_seconds: the longest silence of the network; the limits of a whole call are the model's.
        now: the time, for a `Retry-After` that is a date.
        sleep: waits before a retry.
        chance: from 0 up to 1, so that many do not come back together.
    """

    def __init__(
        self,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        proxies: bool = True,
        read_seconds: float = READ_SECONDS,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        chance: Callable[[], float] = random.random,
    ) -> None:
        """Read key, address and proxies; nothing is opened yet.

        Raises:
            InputError: there is no key, or something cannot be right.
        """
        self._provider = provider(base_url, api_key, proxies=proxies)
        self._timeout = aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_SECONDS, sock_read=read_seconds)
        self._sessions = OnePerLoop(self._opened, aiohttp.ClientSession.close)
        self._urls: dict[str, URL] = {}
        self._now = now
        self._sleep = sleep
        self._chance = chance

    async def post(self, path: str, body: bytes, *, model: str, stream: bool = False) -> Response:
        """Post in the session of this event loop."""
        session = await self._sessions.get()
        retries = 0
        while isinstance(came := await self._tried(session, path, body, stream=stream), _Failed):
            seconds = pause(retries, came.error.retry_after, self._chance()) if came.curable else None
            if seconds is None:
                raise came.error
            retries += 1
            await self._sleep(seconds)
        return came

    async def close(self) -> None:
        """Close the session that this event loop has open."""
        await self._sessions.close()

    def _opened(self) -> aiohttp.ClientSession:
        tls = httpx2.create_ssl_context() if self._provider.url.startswith("https:") else True
        return aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(ssl=tls, limit=MOST_CONNECTIONS),
            cookie_jar=aiohttp.DummyCookieJar(),
            headers=self._provider.headers,
            proxy=self._provider.proxy,
            timeout=self._timeout,
            max_line_size=MOST_HEADER_BYTES,
            max_field_size=MOST_HEADER_BYTES,
        )

    async def _tried(self, session: aiohttp.ClientSession, path: str, body: bytes, *, stream: bool) -> Response | _Failed:
        try:
            response = await session.post(self._url(path), data=_sent(body), allow_redirects=False)
            if not 200 <= response.status < 300:
                return await self._refused(response)
            whole = _pieces(response) if stream else await response.read()
        except TimeoutError:
            return _Failed(late())
        except (aiohttp.ClientError, OSError) as error:
            return _Failed(unreachable(error))
        return Response(status=response.status, headers=response.headers, body=whole)

    async def _refused(self, response: aiohttp.ClientResponse) -> _Failed:
        error = refused(response.status, response.headers, await _error_in(response), now=self._now(), secrets=self._provider.secrets)
        return _Failed(error, curable(response.status, response.headers))

    def _url(self, path: str) -> URL:
        if path not in self._urls:
            self._urls[path] = URL(self._provider.url + path)
        return self._urls[path]


def _sent(body: bytes) -> bytes | io.BytesIO:
    return body if len(body) <= MOST_BYTES_AT_ONCE else io.BytesIO(body)


async def _error_in(response: aiohttp.ClientResponse) -> object:
    """What the body of an error says: the error in it where it is JSON, else its text; only the beginning of a long one."""
    read = bytearray()
    try:
        async for piece in response.content.iter_any():
            read += piece
            if len(read) > MOST_ERROR_BYTES:
                break
    except (aiohttp.ClientError, TimeoutError, OSError):
        pass  # the status says enough
    finally:
        response.close()  # which keeps a connection whose answer was read to its end
    try:
        said = msgspec.json.decode(read)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return read.decode(errors="replace").strip()
    return said.get("error", said) if isinstance(said, dict) else said


async def _pieces(response: aiohttp.ClientResponse) -> AsyncGenerator[bytes]:
    failed: ModelError | None = None
    try:
        async for piece in response.content.iter_any():
            yield piece
    except (aiohttp.ClientError, TimeoutError, OSError) as error:
        failed = broken_off(error)
    finally:
        response.close()
    if failed:
        raise failed
