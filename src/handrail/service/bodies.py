"""How much a request may carry, before anything of it is looked at (case 79).

- Bytes are counted while they are read: what `Content-Length` says is believed only where it says too much.
- The whole of it has one time to come in: who sends a byte now and then holds nothing for long (case 73).
- How deeply JSON is nested is seen before it is parsed, in one pass whatever the text is.
- A compressed body is refused: nothing here needs one, and a small one can be endless inside.
"""

import asyncio
import re
from collections.abc import Mapping

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from handrail.models.timers import CallLater, loop_call_later
from handrail.service.problems import Problem, Shapes, shaped

# Possessive, and an open text goes to the end: one pass, however hostile the bytes are.
TEXTS = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)', re.DOTALL)
BRACKETS = re.compile(rb"[\[\]{}]")
OPENING = (b"[", b"{")


class BodyLimits:
    """An ASGI layer that reads a request's body, bounded, and hands it on whole.

    Args:
        most_bytes: of a body; more are answered 413.
        most_depth: of arrays and objects in JSON; more is answered 400.
        most_seconds: until the body is there; later is answered 408.
        longer: what bodies of certain paths may have instead of `most_bytes`.
        call_later: measures the seconds.
        shapes: how a refusal is said, where a path has its own way.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        most_bytes: int,
        most_depth: int,
        most_seconds: float,
        longer: Mapping[str, int] | None = None,
        call_later: CallLater = loop_call_later,
        shapes: Shapes | None = None,
    ) -> None:
        """Keep the limits."""
        self._app = app
        self._most_bytes = most_bytes
        self._longer = longer or {}
        self._most_depth = most_depth
        self._most_seconds = most_seconds
        self._call_later = call_later
        self._shapes = shapes or {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read, then hand on; or answer what is wrong."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = {name.lower(): value for name, value in scope["headers"]}
        most_bytes = self._longer.get(scope.get("path", ""), self._most_bytes)
        try:
            _check_headers(headers, most_bytes)
            body = await self._read_in_time(receive, most_bytes)
            if body is not None and b"json" in headers.get(b"content-type", b"json"):
                self._check_depth(body)
        except Problem as problem:
            await shaped(problem, scope["path"], self._shapes)(scope, receive, send)
            return
        if body is not None:
            await self._app(scope, _replay(body, receive), send)

    async def _read_in_time(self, receive: Receive, most_bytes: int) -> bytes | None:
        try:
            async with asyncio.timeout(None) as scope:
                take_back = self._call_later(self._most_seconds, lambda: scope.reschedule(0))
                try:
                    return await _read(receive, most_bytes)
                finally:
                    take_back()
        except TimeoutError:
            raise self._too_slow() from None

    def _check_depth(self, body: bytes) -> None:
        if nesting(body, self._most_depth) > self._most_depth:
            raise Problem(400, "too_deep", f"The request is nested more than {self._most_depth} deep.")

    def _too_slow(self) -> Problem:
        return Problem(408, "too_slow", f"A request has {self._most_seconds:g} seconds to come in whole.", headers={"Connection": "close"})


def _check_headers(headers: Mapping[bytes, bytes], most_bytes: int) -> None:
    if headers.get(b"content-encoding", b"identity") != b"identity":
        raise Problem(415, "compressed", "A compressed body is not taken here; send it as it is.")
    said = headers.get(b"content-length", b"0")
    if said.isdigit() and (len(said) > 18 or int(said) > most_bytes):
        raise _too_long(most_bytes)


async def _read(receive: Receive, most_bytes: int) -> bytes | None:
    """The whole body, or `None` where the client has gone."""
    parts, length = [], 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        part = message.get("body", b"")
        length += len(part)
        if length > most_bytes:
            raise _too_long(most_bytes)
        parts.append(part)
        if not message.get("more_body", False):
            return b"".join(parts)


def _too_long(most_bytes: int) -> Problem:
    # The rest of the body is not read, so the connection cannot be used again.
    return Problem(413, "too_long", f"A request may have {most_bytes} bytes at most.", headers={"Connection": "close"})


def nesting(body: bytes, enough: int) -> int:
    """How deeply JSON is nested, brackets in texts aside; counted no further than one beyond `enough`."""
    if sum(map(body.count, OPENING)) <= enough:
        return 0
    depth = deepest = 0
    for bracket in BRACKETS.finditer(TEXTS.sub(b"", body)):
        depth += 1 if bracket[0] in OPENING else -1
        deepest = max(deepest, depth)
        if deepest > enough:
            break
    return deepest


def _replay(body: bytes, receive: Receive) -> Receive:
    whole: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return whole.pop() if whole else await receive()

    return replay
