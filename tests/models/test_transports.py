"""What every transport carries, to where, and what it leaves open: one suite over real HTTP for each of them."""

import asyncio
import gzip
import json
import zlib
from collections.abc import AsyncIterator
from typing import Any

import pytest
from starlette.responses import Response as Answer

from handrail.errors import ModelError
from handrail.models import OpenAIChat
from handrail.models.transports import Transport
from tests.models.carrying import BODY, KEY, PATH, Carrier, answered, bare, failed, sends, whole_of
from tests.models.providing import ASKED, DONE, Provider, delta, event, replies, serving, streams, whole


async def test_bytes_go_out_as_they_are_and_come_back_as_they_are(carrier: Carrier) -> None:
    provider = Provider(lambda: Answer(b'{"any": "bytes"} ', media_type="application/json", headers={"x-request-id": "r1"}))
    async with serving(provider.app) as url, carrier.open(url) as transport:
        response = await transport.post(PATH, BODY, model="some-model")
    assert response.status == 200 and response.body == b'{"any": "bytes"} ' and response.headers.get("X-Request-Id") == "r1"
    assert provider.bodies == [json.loads(BODY)]
    assert provider.headers[0]["authorization"] == f"Bearer {KEY}" and provider.headers[0]["content-type"] == "application/json"
    assert provider.headers[0]["content-length"] == str(len(BODY))


@pytest.mark.parametrize(
    ("ending", "path"), [("", "/v1"), ("/", "/v1"), ("/openai/v2", "/v1/openai/v2"), ("/a%2Fb/", "/v1/a%2Fb"), ("/o'x", "/v1/o'x")]
)
async def test_the_path_is_put_after_the_address(carrier: Carrier, ending: str, path: str) -> None:
    ok = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}"
    async with bare(sends(ok)) as (url, heads):
        answered(await carrier.ask(url + ending))
    assert heads[0].startswith(f"POST {path}/chat/completions HTTP/1.1\r\n".encode())


async def test_key_address_and_headers_come_from_the_environment(carrier: Carrier, monkeypatch: pytest.MonkeyPatch) -> None:
    provider = Provider(replies(whole()))
    async with serving(provider.app) as url:
        monkeypatch.setenv("OPENAI_BASE_URL", url)
        monkeypatch.setenv("OPENAI_API_KEY", "from-outside")
        monkeypatch.setenv("OPENAI_ORG_ID", "org-1")
        monkeypatch.setenv("OPENAI_PROJECT_ID", "proj-1")
        monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "x-team: trips\nx-route: a:b")
        transport = carrier.make(None, None)
        await transport.post(PATH, BODY, model="m")
        await transport.close()
    said = provider.headers[0]
    assert said["authorization"] == "Bearer from-outside"
    assert said["openai-organization"] == "org-1" and said["openai-project"] == "proj-1"
    assert said["x-team"] == "trips" and said["x-route"] == "a:b"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_is_not_followed(carrier: Carrier, status: int) -> None:
    elsewhere = Provider(replies(whole()))
    async with serving(elsewhere.app) as other:
        provider = Provider(replies({}, status, location=f"{other}/chat/completions"))
        async with serving(provider.app) as url:
            error = failed(await carrier.ask(url))
    assert error.kind == "rejected" and f"HTTP {status}" in str(error)
    assert len(provider.bodies) == 1 and elsewhere.bodies == []


@pytest.mark.usefixtures("no_proxies")
@pytest.mark.parametrize("name", ["HTTP_PROXY", "http_proxy", "ALL_PROXY"])
async def test_requests_go_through_the_proxy_of_the_environment(carrier: Carrier, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    ok = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}"
    async with bare(sends(ok)) as (url, heads):
        monkeypatch.setenv(name, url.removesuffix("/v1").replace("://", "://me:pass%40word@"))
        answered(await carrier.ask("http://provider.invalid/v1"))
    head = heads[0].lower()
    assert head.startswith(b"post http://provider.invalid/v1/chat/completions ")
    assert b"proxy-authorization: basic " in head


@pytest.mark.usefixtures("no_proxies")
@pytest.mark.parametrize("spared", ["*", "127.0.0.1", "localhost,127.0.0.1"])
async def test_no_proxy_spares_the_addresses_that_it_names(carrier: Carrier, monkeypatch: pytest.MonkeyPatch, spared: str) -> None:
    provider = Provider(replies(whole()))
    async with serving(provider.app) as url:
        monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
        monkeypatch.setenv("no_proxy", spared)
        answered(await carrier.ask(url))


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("coding", ["gzip", "deflate"])
async def test_a_compressed_answer_is_unpacked(carrier: Carrier, coding: str, stream: bool) -> None:
    text = b'{"text": "' + b"a word, " * 10_000 + b'"}'
    packed = gzip.compress(text) if coding == "gzip" else zlib.compress(text)
    provider = Provider(lambda: Answer(packed, headers={"content-encoding": coding}))
    async with serving(provider.app) as url:
        assert answered(await carrier.ask(url, stream=stream)) == text
    assert coding in provider.headers[0]["accept-encoding"]


@pytest.mark.parametrize("stream", [False, True])
async def test_a_very_long_answer_comes_whole(carrier: Carrier, stream: bool) -> None:
    text = b"x" * 6_000_000
    provider = Provider(lambda: Answer(text, headers={"x-long": "y" * 20_000}))
    async with serving(provider.app) as url:
        assert answered(await carrier.ask(url, stream=stream)) == text


async def test_a_very_long_request_goes_whole(carrier: Carrier) -> None:
    provider = Provider(replies(whole()))
    async with serving(provider.app) as url, carrier.open(url) as transport:
        await transport.post(PATH, b'{"text":"' + b"x" * 3_000_000 + b'"}', model="m")
    assert len(provider.bodies[0]["text"]) == 3_000_000


async def test_a_long_error_is_told_in_one_short_line(carrier: Carrier) -> None:
    provider = Provider(lambda: Answer("so it is\n" * 100_000, status_code=400))
    async with serving(provider.app) as url:
        error = failed(await carrier.ask(url))
    assert str(error).startswith("HTTP 400: so it is so it is") and len(str(error)) == 300


@pytest.mark.parametrize(
    ("body", "kind", "said"),
    [
        ({"error": {"message": "too much", "code": "context_length_exceeded"}}, "too_long", "HTTP 400: too much"),
        ({"message": "at the top"}, "rejected", "HTTP 400: at the top"),
        ({"error": "only words"}, "rejected", "HTTP 400: only words"),
        ([1], "rejected", "HTTP 400: no reason was given"),
    ],
)
async def test_an_error_is_read_in_all_its_shapes(carrier: Carrier, body: Any, kind: str, said: str) -> None:
    async with serving(Provider(replies(body, 400)).app) as url:
        error = failed(await carrier.ask(url))
    assert error.kind == kind and str(error) == said


async def test_a_stream_comes_as_it_is_sent(carrier: Carrier) -> None:
    go = asyncio.Queue[bytes]()

    async def paced() -> AsyncIterator[bytes]:
        for _ in range(3):
            yield await go.get()

    async with serving(Provider(streams(paced)).app) as url, carrier.open(url) as transport:
        response = await transport.post(PATH, BODY, model="m", stream=True)
        assert not isinstance(response.body, bytes)
        assert "event-stream" in response.headers.get("content-type", "")
        for piece in (b"data: 1\n\n", b": ping\n\n", b"data: 2\n\n"):
            go.put_nowait(piece)
            assert await anext(response.body) == piece
        assert [piece async for piece in response.body] == []


@pytest.mark.parametrize("cancelled", [False, True], ids=["closed", "cancelled"])
async def test_whoever_gives_up_a_stream_closes_the_connection(carrier: Carrier, cancelled: bool) -> None:
    hung_up = asyncio.Event()

    async def endless(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n3\r\n: p\r\n")
        await writer.drain()
        assert await reader.read() == b""
        hung_up.set()

    async with bare(endless) as (url, _), carrier.open(url) as transport:
        response = await transport.post(PATH, BODY, model="m", stream=True)
        assert not isinstance(response.body, bytes) and await anext(response.body) == b": p"
        if cancelled:
            waiting = asyncio.ensure_future(anext(response.body))
            await asyncio.sleep(0)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
        else:
            await response.body.aclose()
        await hung_up.wait()


async def test_whoever_gives_up_a_call_closes_the_connection(carrier: Carrier) -> None:
    come, hung_up = asyncio.Event(), asyncio.Event()

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        come.set()
        assert await reader.read() == b""
        hung_up.set()

    async with bare(silent) as (url, heads), carrier.open(url) as transport:
        asked = asyncio.create_task(transport.post(PATH, BODY, model="m"))
        await come.wait()
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked
        await hung_up.wait()
    assert len(heads) == 1 and carrier.time.pauses == []


async def test_a_connection_is_used_again(carrier: Carrier) -> None:
    connections = list[Any]()
    provider = Provider(replies(whole()), replies({"error": {"message": "no"}}, 400), streams([delta(content="Hi."), DONE]))

    async def app(scope: Any, receive: Any, send: Any) -> None:
        connections.append(scope["client"])
        await provider.app(scope, receive, send)

    async with serving(app) as url, carrier.open(url) as transport:
        await transport.post(PATH, BODY, model="m")
        with pytest.raises(ModelError, match="HTTP 400"):
            await transport.post(PATH, BODY, model="m")
        for _ in range(2):
            await whole_of(await transport.post(PATH, BODY, model="m", stream=True))
    assert len(connections) == 4 and len(set(connections)) == 1


async def test_a_hundred_and_fifty_calls_go_side_by_side(carrier: Carrier) -> None:
    here, all_here = 0, asyncio.Event()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        nonlocal here
        here += 1
        if here == 150:
            all_here.set()
        await all_here.wait()
        await Provider(replies(whole())).app(scope, receive, send)

    async with serving(app) as url, carrier.open(url) as transport:
        came = await asyncio.gather(*(transport.post(PATH, BODY, model="m") for _ in range(150)))
    assert len(came) == 150


async def _thrice(transport: Transport) -> None:
    await asyncio.gather(*(transport.post(PATH, BODY, model="m") for _ in range(3)))


async def test_case_47_one_transport_works_in_one_event_loop_after_another_and_beside_one(carrier: Carrier) -> None:
    gone = asyncio.Queue[None]()
    ok = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}"

    async def keep(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(ok)
        await writer.drain()
        while head := await reader.readline():
            body = int((await reader.readuntil(b"\r\n\r\n")).lower().split(b"content-length:")[1].split(b"\r\n")[0])
            await reader.readexactly(body)
            assert head.startswith(b"POST")
            writer.write(ok)
        gone.put_nowait(None)

    async with bare(keep) as (url, heads):
        transport = carrier.make(url)
        await _thrice(transport)
        for _ in range(2):
            await asyncio.to_thread(lambda: asyncio.run(_thrice(transport)))
            for _ in range(3):
                await gone.get()
        await _thrice(transport)
        assert gone.empty() and len(heads) == 9, "a loop that has ended has closed its connections, and this one goes on with its own"
        await transport.close()
        for _ in range(3):
            await gone.get()


async def test_case_47_a_closed_transport_can_be_used_again(carrier: Carrier) -> None:
    async with serving(Provider(replies(whole())).app) as url:
        transport = carrier.make(url)
        await transport.close()
        for _ in range(2):
            await transport.post(PATH, BODY, model="m")
            await transport.close()


@pytest.mark.parametrize("watch", [False, True])
async def test_a_model_answers_the_same_through_each(carrier: Carrier, watch: bool) -> None:
    pieces = [delta(content="Hel"), delta(content="lo."), delta("stop"), event({"choices": [], "usage": {"prompt_tokens": 7}}), DONE]
    provider = Provider(streams(pieces) if watch else replies(whole(usage={"prompt_tokens": 7})))
    shown = list[str]()
    async with serving(provider.app) as url, carrier.open(url) as transport:
        came = await OpenAIChat(transport=transport).reply(ASKED, on_delta=shown.append if watch else None)
    assert came.text == "Hello." and came.usage.input_tokens == 7 and shown == (["Hel", "lo."] if watch else [])
