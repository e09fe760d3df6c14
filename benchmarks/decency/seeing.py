"""What the model's server has seen of each run: requests, tokens and the latest transcript, the same for every system.

- A run is known by its model's name. `GET /seen/NAME` tells what there was, and forgets it: the next system starts from nothing.
- A request that comes again word for word is told to the stand-in as a repetition, whoever repeats it; the official client says so itself.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

COMPLETIONS, SEEN = "/v1/chat/completions", "/seen/"
REPEATED = b"x-stainless-retry-count"


class Seen(msgspec.Struct, kw_only=True):
    """Of one run.

    Args:
        model_calls: requests that were answered.
        tokens: used by them.
        messages: of the latest request for the plan, without the system's.
    """

    model_calls: int = 0
    tokens: int = 0
    messages: list[dict[str, Any]] = []


class Seeing:
    """Looks on."""

    def __init__(self, app: ASGIApp, submit: str) -> None:
        """Keep who answers, and the tool by which a planner's request is known from a reviewer's."""
        self._app = app
        self._submit = submit
        self._seen: dict[str, Seen] = {}
        self._times: Counter[tuple[str, bytes]] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass it on, and look."""
        path = scope.get("path", "")
        if path.startswith(SEEN):
            await JSONResponse(msgspec.to_builtins(self._forgotten(path.removeprefix(SEEN))))(scope, receive, send)
        elif path == COMPLETIONS:
            await self._completion(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _forgotten(self, model: str) -> Seen:
        for key in [key for key in self._times if key[0] == model]:
            del self._times[key]
        return self._seen.pop(model, Seen())

    async def _completion(self, scope: Scope, receive: Receive, send: Send) -> None:
        text = await Request(scope, receive).body()
        body = _read(text)
        model = str(body.get("model"))
        seen = self._seen.setdefault(model, Seen())
        if any(tool["function"]["name"] == self._submit for tool in body.get("tools", ())):
            seen.messages = [message for message in body["messages"] if message["role"] not in {"system", "developer"}]
        times, self._times[model, text] = self._times[model, text], self._times[model, text] + 1
        others = [(name, value) for name, value in scope["headers"] if name != REPEATED]
        answered = _Answered(send)
        again = _Again(text, receive)
        await self._app({**scope, "headers": [*others, (REPEATED, b"%d" % times)]}, again, answered)
        usage = _read(bytes(answered.body)).get("usage")
        if isinstance(usage, Mapping):
            seen.model_calls += 1
            seen.tokens += usage["total_tokens"]


class _Again:
    """The body once more, for who answers."""

    def __init__(self, body: bytes, receive: Receive) -> None:
        self._body: bytes | None = body
        self._receive = receive

    async def __call__(self) -> Message:
        if self._body is None:
            return await self._receive()
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}


class _Answered:
    """Passes an answer on, and keeps it."""

    def __init__(self, send: Send) -> None:
        self.body = bytearray()
        self._send = send

    async def __call__(self, message: Message) -> None:
        self.body += message.get("body", b"")
        await self._send(message)


def _read(text: bytes) -> Mapping[str, Any]:
    try:
        read = msgspec.json.decode(text)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return {}
    return read if isinstance(read, dict) else {}
