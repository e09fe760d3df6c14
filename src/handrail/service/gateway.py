"""Behind a gateway that waits for whole answers, and for seconds only, such as Amazon API Gateway before AWS Lambda.

- An event stream is ended after a slice of time, as if its connection had been lost: clients come back by themselves, with the number of
  the last event that they have, and get each event once.
- `X-API-Key` is the gateway's own key, and ends at the gateway. Who calls is told by `Authorization`, and by nothing else.
"""

import asyncio
from datetime import timedelta

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from handrail.ports import Clock
from handrail.service.streams import MEDIA_TYPE

SLICE = timedelta(seconds=3)
GATEWAY_KEY = b"x-api-key"


class BehindGateway:
    """ASGI around a service.

    Args:
        app: the service.
        clock: says and waits for the time.
    """

    def __init__(self, app: ASGIApp, *, clock: Clock) -> None:
        """Keep the service."""
        self._app = app
        self._clock = clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on, and end a stream in time."""
        headers = [(name, value) for name, value in scope.get("headers", ()) if name.lower() != GATEWAY_KEY]
        slice_ = _Slice(self._clock, receive, send)
        try:
            await self._app({**scope, "headers": headers}, slice_.receive, slice_.send)
        finally:
            await slice_.close()


class _Slice:
    """One answer. Where it is a stream, its client seems to go away after a while, and what has been sent by then is the answer."""

    def __init__(self, clock: Clock, receive: Receive, send: Send) -> None:
        self._clock = clock
        self._receive = receive
        self._send = send
        self._over = asyncio.Event()
        self._timer: asyncio.Task[None] | None = None
        self._more = False

    async def receive(self) -> Message:
        """What the client sends, or that it has gone."""
        came, over = asyncio.ensure_future(self._receive()), asyncio.ensure_future(self._over.wait())
        try:
            await asyncio.wait({came, over}, return_when=asyncio.FIRST_COMPLETED)
            return {"type": "http.disconnect"} if over.done() else came.result()
        finally:
            for task in (came, over):
                task.cancel()

    async def send(self, message: Message) -> None:
        """Send on, and begin to count where a stream begins."""
        if message["type"] == "http.response.start":
            kind = dict(message.get("headers", ())).get(b"content-type", b"")
            if kind.startswith(MEDIA_TYPE.encode()):
                self._timer = asyncio.create_task(self._ended())
        self._more = message["type"] == "http.response.start" or message.get("more_body", False)
        await self._send(message)

    async def close(self) -> None:
        """Complete an answer that was broken off."""
        if self._timer is not None:
            self._timer.cancel()
            await asyncio.wait({self._timer})
            if self._more:
                await self._send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _ended(self) -> None:
        await self._clock.sleep_until(self._clock.now() + SLICE)
        self._over.set()
