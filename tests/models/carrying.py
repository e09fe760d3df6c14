"""Both transports, made alike, and with a time in which nobody waits."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from types import SimpleNamespace

import openai._base_client
import pytest

from handrail.errors import ModelError
from handrail.models.transports import OfficialTransport, Response, Transport
from handrail.models.transports.aiohttp import AiohttpTransport
from handrail.models.transports.official import opened

KEY = "S3NTINEL-key"
PATH = "/chat/completions"
START = datetime(2026, 7, 1, 12, tzinfo=UTC)
BODY = b'{"model":"some-model","messages":[{"role":"user","content":"hello"}]}'
PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")


class Time:
    """Stands still, and keeps how long it was to be waited for."""

    def __init__(self) -> None:
        self.pauses: list[float] = []
        self.waited_for = asyncio.Event()
        self.endless = False

    def now(self) -> datetime:
        return START

    async def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.waited_for.set()
        await (asyncio.get_running_loop().create_future() if self.endless else asyncio.sleep(0))


class Carrier:
    """One of the transports."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.time = Time()

    def make(self, url: str | None = None, key: str | None = KEY, *, read_seconds: float = 600) -> Transport:
        """A transport to this address."""
        if self.name == "aiohttp":
            return AiohttpTransport(base_url=url, api_key=key, read_seconds=read_seconds, now=self.time.now, sleep=self.time.sleep)
        patient = openai.Timeout(600, read=read_seconds)
        return OfficialTransport(lambda: opened(url, key).with_options(timeout=patient), now=self.time.now)

    @asynccontextmanager
    async def open(self, url: str | None = None, *, read_seconds: float = 600) -> AsyncIterator[Transport]:
        """The same, closed afterwards."""
        transport = self.make(url, read_seconds=read_seconds)
        try:
            yield transport
        finally:
            await transport.close()

    async def ask(self, url: str, *, stream: bool = False, read_seconds: float = 600) -> Response | ModelError:
        """What comes of one post; a stream is read to its end."""
        async with self.open(url, read_seconds=read_seconds) as transport:
            try:
                response = await transport.post(PATH, BODY, model="some-model", stream=stream)
                return Response(status=response.status, headers=dict(response.headers), body=await whole_of(response))
            except ModelError as error:
                return error


def made(name: str, monkeypatch: pytest.MonkeyPatch) -> Carrier:
    """A transport whose time is the test's; the official client has no other place for it."""
    carrier = Carrier(name)
    monkeypatch.setattr(openai._base_client, "anyio", SimpleNamespace(sleep=carrier.time.sleep))
    monkeypatch.setattr(openai._base_client, "time", SimpleNamespace(time=START.timestamp))
    return carrier


async def whole_of(response: Response) -> bytes:
    """The body, however it comes."""
    return response.body if isinstance(response.body, bytes) else b"".join([piece async for piece in response.body])


def failed(came: Response | ModelError) -> ModelError:
    assert isinstance(came, ModelError), came
    return came


def answered(came: Response | ModelError) -> bytes:
    assert isinstance(came, Response) and isinstance(came.body, bytes), came
    return came.body


Handle = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def bare(handle: Handle, tls: ssl.SSLContext | None = None) -> AsyncIterator[tuple[str, list[bytes]]]:
    """A server that does with a request what no HTTP library would: its address, and the heads of the requests that came."""
    heads: list[bytes] = []

    async def one(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                heads.append(head)
                # Closing with something unread would reset the connection and lose what was written.
                await reader.readexactly(int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0]))
                await handle(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async with await asyncio.start_server(one, "127.0.0.1", 0, ssl=tls) as server:
        scheme = "http" if tls is None else "https"
        yield f"{scheme}://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", heads


def sends(answer: bytes) -> Handle:
    """Sends this and hangs up."""

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(answer)
        await writer.drain()
        writer.close()

    return handle
