"""The rehearsal server: `/v1/chat/completions` (plain and SSE), `/v1/models` and `/healthz`, as a process of its own.

- Rule-based, and it says so: nothing here understands language.
- Strict: what a strict provider refuses is refused with 400 in OpenAI's error shape, so that a mistake shows before a real one does.
- A `tool_choice` is obeyed whatever the scenario wants; only a temperament is free to do otherwise.
- The same request gets the same reply: randomness comes from the seed and the conversation.
"""

import asyncio
import socket
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

import msgspec
import uvicorn
from msgspec.structs import replace
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from handrail.models.rehearsal.completions import chunks, completion
from handrail.models.rehearsal.conversation import conversation
from handrail.models.rehearsal.fallback import WHAT_THIS_IS, Fallback, filled
from handrail.models.rehearsal.faults import BrokenOff, quiet
from handrail.models.rehearsal.scenario import Call, Conversation, Move, Say, Scenario, move
from handrail.models.rehearsal.temperament import Bent, Fault, Hang, Hearing, Imagined, Late, Reset, Steady, Temperament, dice_for
from handrail.vocab.contract import check_request

MODEL = "rehearsal"
MOST_IMAGINED = 50
OnRequest = Callable[[Mapping[str, Any]], None]


class _Rehearsal:
    """The rules behind the routes."""

    def __init__(self, scenarios: Sequence[Scenario], temperament: Temperament, seed: int, on_request: OnRequest | None) -> None:
        self._scenarios = tuple(scenarios)
        self._temperament = temperament
        self._seed = seed
        self._on_request = on_request

    async def complete(self, request: Request) -> Response:
        """Answer a chat-completions request."""
        try:
            body = msgspec.json.decode(await request.body())
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            return _error(400, "The body is no JSON.")
        if not isinstance(body, dict):
            return _error(400, "The body is no JSON object.")
        if self._on_request is not None:
            self._on_request(body)
        if wrong := check_request(body):
            return _error(400, "; ".join(wrong))
        talk = conversation(body, attempt=_attempt(request))
        bent = made(self._scenarios, talk, self._temperament, self._seed)
        if isinstance(bent, Late):
            await _waited(request, bent.seconds)
            bent = bent.what
        match bent:
            case Fault():
                return _error(bent.status, bent.message, bent.headers)
            case Reset():
                return BrokenOff()
            case Hang():
                await _waited(request, bent.seconds)
                return BrokenOff()
            case _:
                return _reply(completion(bent, talk), body)

    async def models(self, request: Request) -> Response:
        """The one model there is; any name is answered."""
        return JSONResponse({"object": "list", "data": [{"id": MODEL, "object": "model", "created": 0, "owned_by": "handrail"}]})

    async def health(self, request: Request) -> Response:
        """Whether it runs, and what it is."""
        return JSONResponse({"status": "ok", "what": WHAT_THIS_IS, "scenarios": [scenario.name for scenario in self._scenarios]})


def made(scenarios: Sequence[Scenario], talk: Conversation, temperament: Temperament, seed: int) -> Bent:
    """What a temperament makes of what the scenario wants."""
    heard = temperament.hears(talk, dice_for(seed, talk)) if isinstance(temperament, Hearing) else talk
    dice = dice_for(seed, talk)
    for _ in range(MOST_IMAGINED):
        bent = temperament.bend(_obeyed(_wanted(scenarios, heard, talk), talk), talk, dice)
        if not isinstance(bent, Imagined):
            return bent
        heard = replace(heard, results=(*heard.results, *bent.results))
    return Say(f"{WHAT_THIS_IS} It has lost its way.")


def _wanted(scenarios: Sequence[Scenario], heard: Conversation, talk: Conversation) -> Move:
    """What the scenario wants, going by what was heard; by what was said, where it can make nothing of that."""
    try:
        return move(scenarios, heard, Fallback())
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        if heard is talk:
            raise
    return move(scenarios, talk, Fallback())


def make_server(
    scenarios: Sequence[Scenario] = (), *, temperament: Temperament | None = None, seed: int = 0, on_request: OnRequest | None = None
) -> Starlette:
    """The server as an ASGI app. `on_request` sees each request's body, also of those that are refused."""
    rehearsal = _Rehearsal(scenarios, temperament or Steady(), seed, on_request)
    quiet()
    return Starlette(
        routes=[
            Route("/v1/chat/completions", rehearsal.complete, methods=["POST"]),
            Route("/v1/models", rehearsal.models),
            Route("/healthz", rehearsal.health),
        ]
    )


@asynccontextmanager
async def started(
    scenarios: Sequence[Scenario] = (), *, temperament: Temperament | None = None, seed: int = 0, on_request: OnRequest | None = None
) -> AsyncIterator[str]:
    """The server in a thread of its own, on a free port of this machine: gives its base URL, and stops it at the end."""
    app = make_server(scenarios, temperament=temperament, seed=seed, on_request=on_request)
    # Listening before the thread runs: whoever connects early waits in the socket's queue.
    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="off", ws="none", timeout_graceful_shutdown=1))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, name="rehearsal", daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
    finally:
        server.should_exit = True
        await asyncio.to_thread(thread.join)
        listening.close()


def _obeyed(wanted: Move, talk: Conversation) -> Move:
    """The move that `tool_choice` leaves free."""
    match talk.choice, wanted:
        case ("auto", _) | ("none", Say()) | ("required", Call()):
            return wanted
        case "none", _:
            return Say(f"{WHAT_THIS_IS} It was told to call nothing.")
        case "required", _:
            return filled(talk, next(iter(talk.declarations)))
        case tool, Call(calls=((called, _),)) if called == tool:
            return wanted
        case tool, _:
            return filled(talk, tool)


def _attempt(request: Request) -> int:
    """How often the official client has sent this request before: it says so."""
    said = request.headers.get("x-stainless-retry-count", "0")
    return int(said) if said.isascii() and said.isdigit() else 0


async def _waited(request: Request, seconds: float) -> None:
    """Wait, but not longer than the client does."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            while (await request.receive())["type"] != "http.disconnect":
                pass


def _reply(whole: Mapping[str, Any], body: Mapping[str, Any]) -> Response:
    if not body.get("stream"):
        return JSONResponse(whole)
    usage = bool((body.get("stream_options") or {}).get("include_usage"))
    return StreamingResponse(_events(whole, usage=usage), media_type="text/event-stream")


def _events(whole: Mapping[str, Any], *, usage: bool) -> Iterator[bytes]:
    for chunk in chunks(whole, usage=usage):
        yield b"data: %b\n\n" % msgspec.json.encode(chunk)
    yield b"data: [DONE]\n\n"


def _error(status: int, message: str, headers: Mapping[str, str] | None = None) -> Response:
    kind = "invalid_request_error" if status < 500 else "server_error"
    error = {"message": message, "type": kind, "param": None, "code": None}
    return JSONResponse({"error": error}, status_code=status, headers=dict(headers or {}))
