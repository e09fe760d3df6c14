"""What a request may carry, case 79: bytes are counted while they are read, and depth is seen before anything is parsed."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Message

from handrail.service.bodies import BodyLimits, nesting
from handrail.testing import ManualClock

MOST_BYTES = 1_000
MOST_DEPTH = 5
MOST_SECONDS = 30.0
LIMITS: Any = {"most_bytes": MOST_BYTES, "most_depth": MOST_DEPTH, "most_seconds": MOST_SECONDS}
JSON = {"Content-Type": "application/json"}


async def _length(request: Request) -> Response:
    return JSONResponse({"length": len(await request.body())})


def _client() -> httpx2.AsyncClient:
    app = BodyLimits(Starlette(routes=[Route("/", _length, methods=["POST", "GET"])]), **LIMITS)
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://service.test")


async def _in_pieces(count: int, size: int) -> AsyncIterator[bytes]:
    for _ in range(count):
        yield b" " * size


async def test_a_body_within_the_limits_is_handed_on_whole() -> None:
    async with _client() as client:
        answer = await client.post("/", content=_in_pieces(10, 100), headers=JSON)
        assert (answer.status_code, answer.json()["length"]) == (200, 1_000)
        assert (await client.get("/")).json()["length"] == 0


async def test_case_79_a_long_body_without_a_length_is_stopped_while_it_is_read() -> None:
    read: list[int] = []

    async def endless() -> AsyncIterator[bytes]:
        while True:
            read.append(len(read))
            yield b"x" * 100

    async with _client() as client:
        answer = await client.post("/", content=endless(), headers=JSON)
    assert answer.status_code == 413
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["detail"] == "A request may have 1000 bytes at most."
    assert len(read) <= 12


async def test_case_79_a_length_that_says_too_little_is_not_believed() -> None:
    async with _client() as client:
        answer = await client.post("/", content=_in_pieces(11, 100), headers={**JSON, "Content-Length": "10"})
    assert answer.status_code == 413


@pytest.mark.parametrize("length", ["1001", "9" * 5_000])
async def test_case_79_a_length_that_says_too_much_is_believed_at_once(length: str) -> None:
    read: list[int] = []

    async def watched() -> AsyncIterator[bytes]:
        read.append(1)
        yield b""

    async with _client() as client:
        answer = await client.post("/", content=watched(), headers={**JSON, "Content-Length": length})
    assert (answer.status_code, read) == (413, [])


async def test_case_79_a_compressed_body_is_not_taken() -> None:
    async with _client() as client:
        answer = await client.post("/", content=b"\x1f\x8b", headers={**JSON, "Content-Encoding": "gzip"})
    assert (answer.status_code, answer.json()["code"]) == (415, "compressed")


@pytest.mark.parametrize("body", [b"[" * 900, b'{"a":' * 6 + b"1" + b"}" * 6, b"[[[[[{", b'["' + b'\\"' * 20 + b'",[[[[[1]]]]]]'])
async def test_case_79_what_is_nested_too_deeply_is_refused_before_it_is_parsed(body: bytes) -> None:
    async with _client() as client:
        answer = await client.post("/", content=body, headers=JSON)
    assert (answer.status_code, answer.json()["code"]) == (400, "too_deep")


@pytest.mark.parametrize("body", [b"[[[[[1]]]]]", b'"' + b"[" * 100 + b'"', b'["\\"[[[[[[[[[[[["]', b"[1],[1],[1],[1],[1],[1],[1]", b""])
async def test_brackets_in_texts_and_beside_each_other_are_no_depth(body: bytes) -> None:
    async with _client() as client:
        assert (await client.post("/", content=body, headers=JSON)).status_code == 200


@given(st.recursive(st.none() | st.text(), lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3)))
def test_the_depth_is_the_depth(value: object) -> None:
    def depth(value: object) -> int:
        inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
        return 0 if inside is None else 1 + max(map(depth, inside), default=0)

    for ascii_only in (True, False):
        body = json.dumps(value, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
        assert min(nesting(body, 3), 4) == min(depth(value), 4) or (nesting(body, 3) == 0 and depth(value) <= 3)


@pytest.mark.parametrize("body", [b'"' + b'\\"' * 500_000, b'"\\' * 500_000, b'"' * 1_000_001 + b"[" * 100])
def test_hostile_text_is_read_once(body: bytes) -> None:
    # Quadratic reading of these would take hours, so that it ends is the test.
    assert nesting(body + b"[" * 100, 10) >= 0


async def _dripped(clock: ManualClock, *, every: float, times: int) -> tuple[int, list[Message]]:
    """A body that comes a byte at a time: how much of it was read, and what was answered."""
    read: list[bytes] = []
    sent: list[Message] = []

    async def app(scope: object, receive: object, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200})

    async def receive() -> Message:
        if read:
            clock.advance(every)
            await asyncio.sleep(0)
        read.append(b"x")
        return {"type": "http.request", "body": b"x", "more_body": len(read) < times}

    async def send(message: Message) -> None:
        sent.append(message)

    limits = BodyLimits(app, **LIMITS, call_later=clock.call_later)
    await limits({"type": "http", "path": "/", "headers": [(b"content-type", b"text/plain")]}, receive, send)
    return len(read), sent


async def test_case_73_a_body_that_drips_in_is_given_up_in_time() -> None:
    clock = ManualClock()
    read, sent = await _dripped(clock, every=1, times=900)
    assert (sent[0]["status"], sent[1]["body"].count(b'"too_slow"')) == (408, 1)
    assert (b"connection", b"close") in sent[0]["headers"], "the rest of the body is not read"
    assert MOST_SECONDS <= read <= MOST_SECONDS + 2
    assert clock.waiting == 0


async def test_a_slow_body_that_is_there_in_time_is_handed_on() -> None:
    clock = ManualClock()
    assert [message["status"] for message in (await _dripped(clock, every=1, times=29))[1]] == [200]
    assert clock.waiting == 0


async def test_a_client_that_goes_away_gets_nothing_and_breaks_nothing() -> None:
    async def app(*_: object) -> None:
        raise AssertionError("there is nothing to answer")

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        raise AssertionError(f"nobody listens: {message}")

    await BodyLimits(app, **LIMITS)({"type": "http", "headers": []}, receive, send)


async def test_other_protocols_pass() -> None:
    seen = []

    async def app(scope: object, *_: object) -> None:
        seen.append(scope)

    async def never(*_: object) -> Message:
        raise AssertionError("not ours to read")

    scope = {"type": "lifespan"}
    await BodyLimits(app, **LIMITS)(scope, never, never)  # type: ignore[arg-type]  # nobody sends
    assert seen == [scope]
