"""The member for a model of one's own: the official client, to llama.cpp in a process beside this one.

- The client path is that of every provider; only the socket is another.
- One process and one client an event loop, both closed when the loop ends (case 47); the process starts with the first request.
- A reader that gives up closes the connection, and llama.cpp stops at the next token that it would send, if it streams.
"""

import httpx2
from openai import AsyncOpenAI, DefaultAsyncHttpxClient

from handrail.models.local.engine import Engine, EngineSettings
from handrail.models.transports.lifetimes import OnePerLoop
from handrail.models.transports.official import OfficialTransport
from handrail.models.transports.port import Response

BASE_URL = "http://local/v1"


class LocalTransport:
    """A model in a file, run beside this process (`handrail.models.transports.Transport`).

    Args:
        settings: which model, and how it is run.
    """

    def __init__(self, settings: EngineSettings) -> None:
        """Start nothing yet."""
        self._runs = OnePerLoop(lambda: _Run(settings), _Run.close)

    async def post(self, path: str, body: bytes, *, model: str, stream: bool = False) -> Response:
        """Post to the process of this event loop, which is started where there is none."""
        run = await self._runs.get()
        await run.engine.started()
        return await run.transport.post(path, body, model=model, stream=stream)

    async def close(self) -> None:
        """End the process that this event loop has."""
        await self._runs.close()


class _Run:
    """A process, and the client that speaks to it."""

    def __init__(self, settings: EngineSettings) -> None:
        self.engine = Engine(settings)
        # A connection that is kept was seen to be closed in the moment in which the next request went out on it: once in 250 requests.
        once = httpx2.Limits(max_keepalive_connections=0)
        socket = httpx2.AsyncHTTPTransport(uds=str(self.engine.socket), limits=once)
        http = DefaultAsyncHttpxClient(transport=socket, timeout=None, trust_env=False, follow_redirects=False)
        self.client = AsyncOpenAI(base_url=BASE_URL, api_key="none", http_client=http, max_retries=0, timeout=None)
        self.transport = OfficialTransport(self.client)

    async def close(self) -> None:
        await self.client.close()
        await self.engine.close()
