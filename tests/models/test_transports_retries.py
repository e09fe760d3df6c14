"""When a transport asks again, and after how long: the official client's own rule, in each of them (cases 34 and 35)."""

import asyncio
import socket
from contextlib import closing

import pytest

from handrail.errors import ModelError
from handrail.models import OpenAIChat
from handrail.models.transports.retries import LONGEST_SECONDS, MOST, curable, pause
from handrail.testing import ManualClock
from tests.models.carrying import BODY, PATH, Carrier, answered, bare, failed, sends
from tests.models.providing import ASKED, Provider, replies, serving, whole

NO = {"error": {"message": "no", "type": "error", "code": None}}


def _backed_off(pauses: list[float]) -> bool:
    """Whether they are half a second and a second, each less up to a quarter."""
    return len(pauses) == 2 and 0.375 <= pauses[0] <= 0.5 and 0.75 <= pauses[1] <= 1.0


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504, 529])
async def test_case_34_what_may_pass_is_asked_exactly_three_times(carrier: Carrier, status: int, stream: bool) -> None:
    provider = Provider(replies(NO, status))
    async with serving(provider.app) as url:
        error = failed(await carrier.ask(url, stream=stream))
    assert len(provider.bodies) == 3 and _backed_off(carrier.time.pauses)
    assert str(error) == f"HTTP {status}: no"


@pytest.mark.parametrize("status", [400, 401, 403, 404, 405, 413, 422])
async def test_case_34_what_asking_again_cannot_cure_is_asked_once(carrier: Carrier, status: int) -> None:
    provider = Provider(replies(NO, status))
    async with serving(provider.app) as url:
        error = failed(await carrier.ask(url))
    assert len(provider.bodies) == 1 and carrier.time.pauses == [] and str(error) == f"HTTP {status}: no"


@pytest.mark.parametrize("stream", [False, True])
async def test_what_passes_is_cured(carrier: Carrier, stream: bool) -> None:
    provider = Provider(replies(NO, 503), replies(NO, 429), replies(whole()))
    async with serving(provider.app) as url:
        assert b"Hello." in answered(await carrier.ask(url, stream=stream))
    assert len(provider.bodies) == 3 and provider.bodies[0] == provider.bodies[2]


@pytest.mark.parametrize(("says", "asked"), [("true", 3), ("false", 1)])
async def test_a_provider_may_say_itself_whether_it_is_to_be_asked_again(carrier: Carrier, says: str, asked: int) -> None:
    provider = Provider(replies(NO, 400 if says == "true" else 503, x_should_retry=says))
    async with serving(provider.app) as url:
        failed(await carrier.ask(url))
    assert len(provider.bodies) == asked


@pytest.mark.parametrize(
    ("header", "said", "seconds"),
    [
        ("retry_after", "5", 5),
        ("retry_after", "60", 60),
        ("retry_after", "61", 61),
        ("retry_after", "120", 120),
        ("retry_after", "Wed, 01 Jul 2026 12:01:30 GMT", 90),
        ("retry_after_ms", "250", 0.25),
    ],
)
async def test_case_35_a_wait_that_is_asked_for_is_kept(carrier: Carrier, header: str, said: str, seconds: float) -> None:
    provider = Provider(replies(NO, 429, **{header: said}))
    async with serving(provider.app) as url:
        error = failed(await carrier.ask(url))
    assert carrier.time.pauses == [seconds, seconds] and error.retry_after == seconds


@pytest.mark.parametrize(
    ("header", "said", "seconds"),
    [
        ("retry_after", "121", 121),
        ("retry_after", "600", 600),
        ("retry_after", "Wed, 01 Jul 2026 12:10:00 GMT", 600),
        ("retry_after_ms", "600000", 600),
    ],
)
async def test_case_35_a_wait_beyond_two_minutes_is_told_and_not_waited_for(
    carrier: Carrier, header: str, said: str, seconds: float
) -> None:
    provider = Provider(replies(NO, 429, **{header: said}))
    async with serving(provider.app) as url:
        error = failed(await carrier.ask(url))
    assert len(provider.bodies) == 1 and carrier.time.pauses == [] and error.retry_after == seconds


@pytest.mark.parametrize("said", ["0", "-1", "nan", "inf", "soon", "", "Wed, 01 Jul 2026 11:59:00 GMT"])
async def test_case_35_what_is_no_sensible_wait_is_as_if_it_had_not_been_said(carrier: Carrier, said: str) -> None:
    provider = Provider(replies(NO, 429, retry_after=said))
    async with serving(provider.app) as url:
        error = failed(await carrier.ask(url))
    assert len(provider.bodies) == 3 and _backed_off(carrier.time.pauses) and error.retry_after is None


async def test_case_34_a_whole_call_ends_with_its_time_and_nothing_is_asked_after_it(carrier: Carrier) -> None:
    clock, provider = ManualClock(), Provider(replies(NO, 429))
    carrier.time.endless = True
    async with serving(provider.app) as url, carrier.open(url) as transport:
        model = OpenAIChat(transport=transport, total_seconds=600, call_later=clock.call_later)
        asked = asyncio.create_task(model.reply(ASKED))
        await carrier.time.waited_for.wait()
        clock.advance(600)
        with pytest.raises(ModelError, match="no whole reply within 600 seconds"):
            await asked
    assert len(provider.bodies) == 1


async def test_case_34_a_provider_that_is_silent_is_asked_three_times(carrier: Carrier) -> None:
    come = asyncio.Queue[None]()

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        come.put_nowait(None)
        await reader.read()

    async with bare(silent) as (url, _):
        error = failed(await carrier.ask(url, read_seconds=0.01))
        for _ in range(3):
            await come.get()  # the server may not have seen yet that it was asked
    assert error.kind == "timeout" and str(error) == "the provider did not answer in time"
    assert come.empty() and _backed_off(carrier.time.pauses)


async def test_nobody_there_is_tried_three_times(carrier: Carrier) -> None:
    with closing(socket.socket()) as deaf:
        deaf.bind(("127.0.0.1", 0))  # taken, but nobody listens
        error = failed(await carrier.ask(f"http://127.0.0.1:{deaf.getsockname()[1]}/v1"))
    assert error.kind == "connection" and str(error).startswith("the provider could not be reached (")
    assert _backed_off(carrier.time.pauses)


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{",
        b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-encoding: gzip\r\ncontent-length: 4\r\n\r\nabcd",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
    ],
    ids=["none", "no HTTP", "cut off", "not compressed as it says", "broken chunks"],
)
async def test_an_answer_that_cannot_be_read_is_a_failed_connection_and_asked_three_times(carrier: Carrier, answer: bytes) -> None:
    async with bare(sends(answer)) as (url, heads):
        error = failed(await carrier.ask(url))
    assert error.kind == "connection" and len(heads) == 3 and _backed_off(carrier.time.pauses)


async def test_case_34_a_stream_that_has_begun_is_not_asked_again(carrier: Carrier) -> None:
    cut = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n6\r\ndata: \r\n"
    async with bare(sends(cut)) as (url, heads), carrier.open(url) as transport:
        response = await transport.post(PATH, BODY, model="m", stream=True)
        assert not isinstance(response.body, bytes)
        assert await anext(response.body) == b"data: "
        with pytest.raises(ModelError, match="the stream broke off") as caught:
            await anext(response.body)
    assert caught.value.kind == "connection" and len(heads) == 1 and carrier.time.pauses == []


def test_there_are_two_retries_and_the_pause_has_a_ceiling() -> None:
    assert pause(MOST, None, 0) is None and pause(MOST, 1, 0) is None
    assert [pause(retries, None, 0) for retries in range(MOST)] == [0.5, 1.0]
    assert LONGEST_SECONDS == 8.0


def test_a_redirect_is_not_asked_again() -> None:
    assert not curable(304, {}) and not curable(307, {})
