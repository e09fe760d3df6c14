"""A provider made for one test, spoken to over real HTTP on this machine."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp

from handrail.vocab.messages import user
from handrail.vocab.requests import ModelRequest

Answer = Response | Callable[[], Response]
ASKED = ModelRequest(model="some-model", system="Be brief.", messages=(user("hello"),))


class Provider:
    """Gives its answers in turn, the last one for ever, and keeps what it was asked."""

    def __init__(self, *answers: Answer) -> None:
        self.bodies: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.headers: list[dict[str, str]] = []
        self._answers = answers

    async def answer(self, request: Request) -> Response:
        self.bodies.append(json.loads(await request.body()))
        self.paths.append(request.url.path)
        self.headers.append(dict(request.headers))
        answer = self._answers[min(len(self.bodies), len(self._answers)) - 1]
        return answer if isinstance(answer, Response) else answer()

    @property
    def app(self) -> Starlette:
        return Starlette(routes=[Route("/{path:path}", self.answer, methods=["POST"])])


class _Server(uvicorn.Server):
    """Ends when it is told to, without looking for it ten times a second, and leaves the test run's signals as they are."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.over = asyncio.Event()

    def capture_signals(self) -> AbstractContextManager[None]:  # type: ignore[override]  # another kind of context manager
        return nullcontext()

    async def main_loop(self) -> None:
        await self.on_tick(0)
        await self.over.wait()


@asynccontextmanager
async def serving(app: ASGIApp) -> AsyncIterator[str]:
    """The app on a free port, in this event loop."""
    listening = socket.create_server(("127.0.0.1", 0))
    server = _Server(uvicorn.Config(app, log_config=None, lifespan="off", ws="none", timeout_graceful_shutdown=1))
    running = asyncio.create_task(server.serve(sockets=[listening]))
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
    finally:
        server.over.set()
        await running
        listening.close()


def whole(message: dict[str, Any] | None = None, *, finish: str | None = "stop", **fields: Any) -> dict[str, Any]:
    """A completion with this message."""
    choice = {"index": 0, "message": {"role": "assistant", **(message or {"content": "Hello."})}, "finish_reason": finish}
    return {"id": "c1", "object": "chat.completion", "created": 1, "model": "some-model", "choices": [choice], **fields}


def replies(body: Any, status: int = 200, **headers: str) -> Callable[[], Response]:
    """An answer with this JSON; in names of headers `_` stands for `-`."""
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda: Response(json.dumps(body), status_code=status, media_type="application/json", headers=sent)


def fails(status: int, message: str = "no", **headers: str) -> Callable[[], Response]:
    """An answer in OpenAI's error shape; retries need not wait."""
    return replies({"error": {"message": message, "type": "error", "code": None}}, status, **{"retry_after_ms": "1", **headers})


def delta(finish: str | None = None, **fields: Any) -> bytes:
    """One event of a stream."""
    return event({"choices": [{"index": 0, "delta": fields, "finish_reason": finish}]})


def event(body: Any) -> bytes:
    return b"data: " + json.dumps(body).encode() + b"\n\n"


DONE = b"data: [DONE]\n\n"


def streams(pieces: Sequence[bytes] | Callable[[], AsyncIterator[bytes]]) -> Callable[[], Response]:
    """A stream of these pieces."""

    def steady() -> Iterator[bytes]:
        yield from pieces if isinstance(pieces, Sequence) else ()

    return lambda: StreamingResponse(pieces() if callable(pieces) else steady(), media_type="text/event-stream")
