"""`OpenAIChat` over real HTTP: retries, failures, time, event loops, and clients of the user's own."""

import asyncio
import gc
import socket
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import closing
from typing import Any

import pytest
from openai import AsyncAzureOpenAI, AsyncOpenAI
from starlette.responses import Response

from handrail.errors import InputError, ModelError
from handrail.models import OpenAIChat, ProviderTraits
from handrail.models.rehearsal.server import started
from handrail.models.transports import Response as TransportResponse
from handrail.testing import ManualClock, check_request
from handrail.vocab.requests import ModelAnswer
from tests.models.providing import ASKED, DONE, Answer, Provider, delta, event, fails, replies, serving, streams, whole

KEY = "S3NTINEL-key"


async def _asked(*answers: Answer, watch: bool = False, **options: Any) -> tuple[ModelAnswer | ModelError, Provider, list[str]]:
    """One reply from a provider with these answers: what came of it, what the provider saw, and what watchers were shown."""
    provider, shown = Provider(*answers), list[str]()
    async with serving(provider.app) as url:
        model = OpenAIChat(base_url=url, api_key=KEY, **options)
        try:
            came: ModelAnswer | ModelError = await model.reply(ASKED, on_delta=shown.append if watch else None)
        except ModelError as error:
            came = error
        await model.close()
    return came, provider, shown


def _failure(came: ModelAnswer | ModelError) -> ModelError:
    assert isinstance(came, ModelError)
    return came


async def test_a_reply_comes_back_and_the_key_goes_along() -> None:
    came, provider, _ = await _asked(replies(whole(usage={"prompt_tokens": 7, "completion_tokens": 2})))
    assert isinstance(came, ModelAnswer) and came.text == "Hello." and came.usage.total == 9
    assert check_request(provider.bodies[0]) == []
    assert provider.paths == ["/v1/chat/completions"]
    assert provider.headers[0]["authorization"] == f"Bearer {KEY}" and provider.headers[0]["content-type"] == "application/json"


async def test_key_and_address_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    provider = Provider(replies(whole()))
    async with serving(provider.app) as url:
        monkeypatch.setenv("OPENAI_BASE_URL", url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        model = OpenAIChat()
        assert (await model.reply(ASKED)).text == "Hello."
        await model.close()
    assert provider.headers[0]["authorization"] == f"Bearer {KEY}"


def test_without_a_key_it_says_at_once_what_to_do() -> None:
    with pytest.raises(InputError, match=r"Set OPENAI_API_KEY .*handrail rehearse --port"):
        OpenAIChat()


async def test_watchers_see_the_text_as_it_comes_and_nothing_else() -> None:
    came, provider, shown = await _asked(
        streams(
            [
                delta(content=""),
                delta(reasoning_content="Hm."),
                delta(content="<think>Hm.</think>\n Hel"),
                delta(content="lo."),
                delta("stop"),
                DONE,
            ]
        ),
        watch=True,
    )
    assert isinstance(came, ModelAnswer) and came.text == "Hello." and came.extra == {"reasoning_content": "Hm.", "thinking": "Hm."}
    assert shown == ["Hel", "lo."]
    assert provider.bodies[0]["stream"] is True and provider.bodies[0]["stream_options"] == {"include_usage": True}


async def test_blank_space_alone_is_not_shown() -> None:
    came, _, shown = await _asked(streams([delta(content="\n"), delta(content=" "), delta("stop"), DONE]), watch=True)
    assert isinstance(came, ModelAnswer) and came.text is None and shown == []


async def test_what_looks_like_a_tag_is_shown_once_it_is_none() -> None:
    _, _, shown = await _asked(streams([delta(content="<thi"), delta("stop"), DONE]), watch=True)
    assert shown == ["<thi"]


async def test_a_provider_that_cannot_stream_is_not_asked_to() -> None:
    came, provider, shown = await _asked(replies(whole()), watch=True, provider=ProviderTraits(streams=False))
    assert isinstance(came, ModelAnswer) and shown == ["Hello."] and "stream" not in provider.bodies[0]


async def test_a_provider_that_answers_whole_though_asked_to_stream_is_understood() -> None:
    came, _, shown = await _asked(replies(whole()), watch=True)
    assert isinstance(came, ModelAnswer) and came.text == "Hello." and shown == ["Hello."]


@pytest.mark.parametrize("watch", [False, True])
async def test_case_34_a_permanent_429_is_asked_three_times_and_no_more(watch: bool) -> None:
    came, provider, _ = await _asked(fails(429, "slow down"), watch=watch)
    assert _failure(came).kind == "rate_limited" and "slow down" in str(came)
    assert len(provider.bodies) == 3


@pytest.mark.parametrize(
    ("status", "kind"), [(400, "rejected"), (401, "unauthorised"), (403, "unauthorised"), (404, "rejected"), (422, "rejected")]
)
async def test_case_34_what_asking_again_cannot_cure_is_asked_once(status: int, kind: str) -> None:
    came, provider, _ = await _asked(fails(status))
    assert _failure(came).kind == kind and len(provider.bodies) == 1


@pytest.mark.parametrize(("status", "kind"), [(500, "unavailable"), (503, "unavailable")])
async def test_case_25_a_server_error_that_repeats_ends_with_the_clients_retries(status: int, kind: str) -> None:
    came, provider, _ = await _asked(fails(status))
    assert _failure(came).kind == kind and len(provider.bodies) == 3


async def test_the_clients_retries_cure_what_passes() -> None:
    came, provider, _ = await _asked(fails(503), fails(429), replies(whole()))
    assert isinstance(came, ModelAnswer) and came.text == "Hello." and len(provider.bodies) == 3


async def test_case_35_a_wait_that_is_too_long_for_the_client_comes_back_as_seconds() -> None:
    came, provider, _ = await _asked(fails(429, retry_after_ms="600000"))
    assert _failure(came).retry_after == 600 and len(provider.bodies) == 1


async def test_nobody_there_is_a_failed_connection() -> None:
    with closing(socket.socket()) as deaf:
        deaf.bind(("127.0.0.1", 0))  # taken, but nobody listens
        async with AsyncOpenAI(base_url=f"http://127.0.0.1:{deaf.getsockname()[1]}/v1", api_key=KEY, max_retries=0) as client:
            with pytest.raises(ModelError, match="could not be reached") as caught:
                await OpenAIChat(client=client).reply(ASKED)
    assert caught.value.kind == "connection"


@pytest.mark.parametrize(
    "answer", [Response("<html>busy</html>", media_type="text/html"), replies({"object": "list"}), replies(whole() | {"choices": []})]
)
@pytest.mark.parametrize("watch", [False, True])
async def test_a_success_that_is_no_completion_is_malformed_and_asked_once(answer: Answer, watch: bool) -> None:
    came, provider, _ = await _asked(answer, watch=watch)
    assert _failure(came).kind == "malformed" and len(provider.bodies) == 1


async def test_case_75_the_key_is_in_no_failure_and_in_no_exception_behind_it() -> None:
    came, _, _ = await _asked(fails(401, f"Incorrect API key provided: {KEY}. See https://host/v1?key={KEY}"))
    error: BaseException | None = _failure(came)
    assert "Incorrect API key" in str(error)
    seen = 0
    while error is not None:
        assert KEY not in repr(error) and KEY not in str(vars(error))
        error, seen = error.__cause__ or error.__context__, seen + 1
    assert seen == 1


class _Pings:
    """A stream that says one thing and then only keeps alive; `pinged` is set once it has done so."""

    def __init__(self, *first: bytes) -> None:
        self.pinged = asyncio.Event()
        self.closed = asyncio.Event()
        self._first = first

    async def __call__(self) -> AsyncIterator[bytes]:
        try:
            for piece in self._first:
                yield piece
            while True:
                yield b": ping\n\n"
                self.pinged.set()
                await asyncio.sleep(0.001)
        finally:
            self.closed.set()


async def _silenced(pings: _Pings, clock: ManualClock, seconds: float) -> tuple[ModelError, list[str], list[str]]:
    """The failure after so many seconds of keep-alives, and what had been shown; the clock stands still until something has come."""
    provider, shown, first = Provider(streams(pings)), list[str](), asyncio.Event()

    def show(piece: str) -> None:
        shown.append(piece)
        first.set()

    async with serving(provider.app) as url:
        model = OpenAIChat(base_url=url, api_key=KEY, idle_seconds=60, total_seconds=600, call_later=clock.call_later)
        asked = asyncio.create_task(model.reply(ASKED, on_delta=show))
        await pings.pinged.wait()
        if seconds < 600:
            await clock.until_waiting(2)
        clock.advance(seconds)
        with pytest.raises(ModelError) as caught:
            await asked
        await pings.closed.wait()
        await model.close()
    return caught.value, shown, provider.paths


async def test_case_36_keep_alives_do_not_defeat_the_limit_of_silence() -> None:
    error, shown, asked = await _silenced(_Pings(delta(content="Hel")), ManualClock(), 60)
    assert shown == ["Hel"] and len(asked) == 1
    assert error.kind == "other" and "silence or keep-alives for 60 seconds (after a part of the reply had been shown)" in str(error)


async def test_case_36_a_stream_that_has_shown_nothing_may_be_asked_again() -> None:
    error, shown, asked = await _silenced(_Pings(delta(reasoning_content="Hm.")), ManualClock(), 60)
    assert shown == [] and error.kind == "timeout" and len(asked) == 1


async def test_case_36_a_stream_that_never_begins_ends_with_the_whole_time() -> None:
    error, _, _ = await _silenced(_Pings(), ManualClock(), 600)
    assert error.kind == "timeout" and "no whole reply within 600 seconds" in str(error)


async def test_case_36_a_stream_that_is_slow_but_not_silent_finishes() -> None:
    clock, go, shown = ManualClock(), asyncio.Queue[None](), list[str]()

    async def slow() -> AsyncIterator[bytes]:
        for number in range(8):
            await go.get()
            yield delta(content=str(number))
        yield delta("stop") + DONE

    def show(piece: str) -> None:
        shown.append(piece)
        clock.advance(0.9 * 60)
        go.put_nowait(None)

    async with serving(Provider(streams(slow)).app) as url:
        model = OpenAIChat(base_url=url, api_key=KEY, idle_seconds=60, total_seconds=600, call_later=clock.call_later)
        go.put_nowait(None)
        assert (await model.reply(ASKED, on_delta=show)).text == "01234567"
        await model.close()
    assert len(shown) == 8


class _Bytes:
    """A transport that streams these bytes (`handrail.models.transports.Transport`)."""

    def __init__(self, body: AsyncGenerator[bytes]) -> None:
        self._body = body

    async def post(self, path: str, body: bytes, *, model: str, stream: bool = False) -> TransportResponse:
        return TransportResponse(status=200, headers={"content-type": "text/event-stream"}, body=self._body)

    async def close(self) -> None:
        await self._body.aclose()


async def test_case_36_events_without_content_do_not_defeat_the_limit_of_silence_either() -> None:
    clock = ManualClock()

    async def idling() -> AsyncGenerator[bytes]:
        yield delta(content="Hel")
        for _ in range(3):
            clock.advance(25)
            await asyncio.sleep(0)  # where a limit that is reached makes itself felt
            await asyncio.sleep(0)
            yield delta(content="") + b": ping\n\n"
        yield delta("stop") + DONE

    model = OpenAIChat(transport=_Bytes(idling()), idle_seconds=60, total_seconds=600, call_later=clock.call_later)
    with pytest.raises(ModelError, match="silence or keep-alives for 60 seconds"):
        await model.reply(ASKED, on_delta=lambda _: None)


async def test_a_slow_stream_ends_with_the_whole_time_all_the_same() -> None:
    clock = ManualClock()

    async def endless() -> AsyncIterator[bytes]:
        while True:
            yield delta(content="x")
            await asyncio.sleep(0)  # the client has its turn too

    async with serving(Provider(streams(endless)).app) as url:
        model = OpenAIChat(base_url=url, api_key=KEY, idle_seconds=60, total_seconds=600, call_later=clock.call_later)
        with pytest.raises(ModelError, match="no whole reply within 600 seconds"):
            await model.reply(ASKED, on_delta=lambda _: clock.advance(59))
        await model.close()
    assert clock.waiting == 0


async def test_a_reply_that_is_not_streamed_has_the_whole_time_and_no_more() -> None:
    clock, hanging = ManualClock(), asyncio.Event()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        hanging.set()
        while (await receive())["type"] != "http.disconnect":
            pass

    async with serving(app) as url:
        model = OpenAIChat(base_url=url, api_key=KEY, total_seconds=600, call_later=clock.call_later)
        asked = asyncio.create_task(model.reply(ASKED))
        await hanging.wait()
        clock.advance(600)
        with pytest.raises(ModelError) as caught:
            await asked
        await model.close()
    assert caught.value.kind == "timeout"


async def test_a_caller_that_gives_up_is_not_told_of_a_limit() -> None:
    clock, pings = ManualClock(), _Pings(delta(content="Hel"))
    async with serving(Provider(streams(pings)).app) as url:
        model = OpenAIChat(base_url=url, api_key=KEY, call_later=clock.call_later)
        asked = asyncio.create_task(model.reply(ASKED, on_delta=lambda _: None))
        await pings.pinged.wait()
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked
        await pings.closed.wait()
        await model.close()
    assert clock.waiting == 0


async def test_a_stream_that_breaks_off_is_a_failed_connection() -> None:
    async def broken() -> AsyncIterator[bytes]:
        yield delta(reasoning_content="Hm.")

    came, provider, _ = await _asked(streams(broken), watch=True)
    assert _failure(came).kind == "connection" and len(provider.bodies) == 1


async def test_a_connection_that_breaks_in_the_middle_of_a_stream_is_a_failed_connection() -> None:
    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        # Closing with something unread would reset the connection and lose what was written.
        await reader.readexactly(int(head.split(b"content-length:")[1].split(b"\r\n")[0]))
        body = delta(content="Hel")
        writer.write(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n%x\r\n%b\r\n" % (len(body), body)
        )
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(handle, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        model, shown = OpenAIChat(base_url=f"http://127.0.0.1:{port}/v1", api_key=KEY), list[str]()
        with pytest.raises(ModelError, match=r"the stream broke off .*after a part of the reply had been shown"):
            await model.reply(ASKED, on_delta=shown.append)
        await model.close()
    assert shown == ["Hel"]


async def test_an_error_in_a_stream_is_a_failure() -> None:
    came, _, _ = await _asked(streams([event({"error": {"message": "overloaded", "code": 503}})]), watch=True)
    assert _failure(came).kind == "unavailable"


async def test_a_connection_is_used_again_after_a_stream() -> None:
    connections = set[Any]()
    provider = Provider(streams([delta(content="Hi."), delta("stop"), DONE]))

    async def app(scope: Any, receive: Any, send: Any) -> None:
        connections.add(scope["client"])
        await provider.app(scope, receive, send)

    async with serving(app) as url:
        model = OpenAIChat(base_url=url, api_key=KEY)
        for _ in range(3):
            assert (await model.reply(ASKED, on_delta=lambda _: None)).text == "Hi."
        await model.close()
    assert len(connections) == 1


async def test_a_stream_that_is_held_open_after_its_end_is_not_waited_for() -> None:
    clock, pings = ManualClock(), _Pings(delta(content="Hi."), delta("stop"), DONE)
    async with serving(Provider(streams(pings)).app) as url:
        model = OpenAIChat(base_url=url, api_key=KEY, call_later=clock.call_later)
        asked = asyncio.create_task(model.reply(ASKED, on_delta=lambda _: None))
        await clock.until_waiting(3)
        clock.advance(1)
        assert (await asked).text == "Hi."
        await pings.closed.wait()
        await model.close()


async def test_case_47_one_model_works_in_one_event_loop_after_another_and_beside_one(monkeypatch: pytest.MonkeyPatch) -> None:
    clients: list[AsyncOpenAI] = []

    class Counted(AsyncOpenAI):
        def __init__(self, **options: Any) -> None:
            super().__init__(**options)
            clients.append(self)

    monkeypatch.setattr("handrail.models.transports.official.AsyncOpenAI", Counted)
    async with started() as url:
        model = OpenAIChat(base_url=url, api_key=KEY)

        async def thrice() -> None:
            assert all([(await reply).text for reply in asyncio.as_completed([model.reply(ASKED) for _ in range(3)])])

        await thrice()
        for _ in range(2):
            await asyncio.to_thread(lambda: asyncio.run(thrice()))
        assert [client.is_closed() for client in clients] == [False, True, True], "a loop that has ended has closed its client"
        await thrice()
        await model.close()
    gc.collect()
    assert len(clients) == 3 and clients[0].is_closed()


async def test_case_47_a_closed_model_can_be_used_again() -> None:
    async with started() as url:
        model = OpenAIChat(base_url=url, api_key=KEY)
        await model.close()
        await model.reply(ASKED)
        await model.close()
        assert (await model.reply(ASKED)).text
        await model.close()


async def test_a_client_of_the_users_is_used_as_it_is_and_stays_open() -> None:
    provider = Provider(fails(429), replies(whole()))
    async with (
        serving(provider.app) as url,
        AsyncOpenAI(base_url=url, api_key=KEY, max_retries=0, default_headers={"x-team": "trips"}) as client,
    ):
        model = OpenAIChat(client=client)
        with pytest.raises(ModelError, match="HTTP 429"):
            await model.reply(ASKED)
        await model.close()
        assert (await model.reply(ASKED)).text == "Hello."
    assert [headers["x-team"] for headers in provider.headers] == ["trips", "trips"]


@pytest.mark.parametrize(("deployment", "path"), [(None, "some-model"), ("dep", "dep")])
async def test_an_azure_client_finds_its_deployment(deployment: str | None, path: str) -> None:
    provider = Provider(replies(whole()))
    async with serving(provider.app) as url:
        client = AsyncAzureOpenAI(
            azure_endpoint=url.removesuffix("/v1"), api_key=KEY, api_version="2024-10-21", azure_deployment=deployment
        )
        async with client:
            assert (await OpenAIChat(client=client).reply(ASKED)).text == "Hello."
    assert provider.paths == [f"/openai/deployments/{path}/chat/completions"] and provider.headers[0]["api-key"] == KEY
