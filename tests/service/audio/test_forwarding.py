"""Speech by another server: what it is asked, what becomes of what it says, and what nobody learns."""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
from fastapi.responses import JSONResponse, RedirectResponse, Response
from openai import AsyncOpenAI, DefaultAsyncHttpxClient
from sqlalchemy.ext.asyncio import AsyncEngine

from tests.service.audio.kit import Elsewhere, elsewhere, parts, wav
from tests.service.branch import Branch, opened
from tests.service.openai.kit import answering

HEARD, READ = "/v1/audio/transcriptions", "/v1/audio/speech"


@asynccontextmanager
async def speaking(database: AsyncEngine, **fields: Any) -> AsyncIterator[tuple[Branch, Elsewhere]]:
    """A branch whose speech is elsewhere."""
    async with elsewhere() as (server, address):
        fields = {"audio_url": address, "audio_key": "a key of the audio server's", **fields}
        async with opened(database, start=False, **fields) as branch:
            yield branch, server


async def test_a_recording_is_heard_by_the_model_that_the_settings_name(database: AsyncEngine) -> None:
    async with speaking(database) as (branch, server), branch.client("alice") as alice:
        data = {"model": "the-dearest", "prompt": "Pad Thai, Mango Lassi", "language": "en"}
        answer = await alice.post(HEARD, files=parts(name="../../etc/passwd"), data=data)
    assert (answer.status_code, answer.json()) == (200, {"text": "two pad thai, please"})
    assert answer.headers["cache-control"] == "no-store"
    assert server.asked == [
        {
            "model": "gpt-transcribe",
            "prompt": "Pad Thai, Mango Lassi",
            "language": "en",
            "response_format": "json",
            "name": "recording.wav",
            "kind": "audio/wav",
            "length": str(len(wav())),
            "key": "Bearer a key of the audio server's",
        }
    ]


async def test_a_transcript_can_be_bare_text(database: AsyncEngine) -> None:
    async with speaking(database) as (branch, _), branch.client("alice") as alice:
        answer = await alice.post(HEARD, files=parts(), data={"response_format": "text"})
    assert (answer.text, answer.headers["content-type"]) == ("two pad thai, please\n", "text/plain; charset=utf-8")


async def test_text_is_read_out_in_the_format_that_is_asked_for(database: AsyncEngine) -> None:
    async with speaking(database, audio_speech_model="loud-1", audio_voice="bo") as (branch, server), branch.client("alice") as alice:
        plain = await alice.post(READ, json={"input": "Hello."})
        full = await alice.post(
            READ,
            json={"model": "x", "input": "Hello.", "voice": "ann", "response_format": "opus", "speed": 1.5, "instructions": "Softly."},
        )
    assert (plain.content, plain.headers["content-type"], full.headers["content-type"]) == (b"a sound", "audio/mpeg", "audio/ogg")
    key = "Bearer a key of the audio server's"
    assert server.asked == [
        {"model": "loud-1", "input": "Hello.", "voice": "bo", "response_format": "mp3", "key": key},
        {
            "model": "loud-1",
            "input": "Hello.",
            "voice": "ann",
            "response_format": "opus",
            "speed": 1.5,
            "instructions": "Softly.",
            "key": key,
        },
    ]


async def test_the_official_client_hears_and_speaks(database: AsyncEngine) -> None:
    async with speaking(database) as (branch, _), answering(branch) as address:
        http = DefaultAsyncHttpxClient(trust_env=False)
        async with AsyncOpenAI(base_url=address, api_key=await branch.key("alice"), http_client=http, max_retries=0) as client:
            heard = await client.audio.transcriptions.create(file=("said.wav", wav()), model="gpt-transcribe")
            sound = await client.audio.speech.create(model="tts-1", voice="alloy", input="Hello.")
            assert (heard.text, sound.content) == ("two pad thai, please", b"a sound")


@pytest.mark.parametrize(
    ("said", "status", "code"),
    [
        (JSONResponse({"error": {"message": "no such secret model"}}, status_code=401), 502, "remote_failed"),
        (JSONResponse({}, status_code=500), 502, "remote_failed"),
        (RedirectResponse("http://127.0.0.1:9/elsewhere"), 502, "remote_failed"),
        (JSONResponse({"text": None}), 502, "remote_failed"),
        (Response(b"<html>"), 502, "remote_failed"),
        (JSONResponse({"error": "bad file"}, status_code=400), 400, "unreadable"),
        (Response(status_code=429, headers={"Retry-After": "7"}), 503, "busy"),
    ],
)
async def test_what_the_server_says_on_a_failure_is_not_handed_on(
    database: AsyncEngine, said: Response, status: int, code: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with speaking(database) as (branch, server), branch.client("alice") as alice:
        server.answers.append(said)
        answer = await alice.post(HEARD, files=parts(), data={"prompt": "a secret word"})
        assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
        assert ("retry-after" in answer.headers) == (status == 503)
        assert len(server.asked) == 1
    for secret in ("no such secret model", "a secret word", "a key of the audio server's"):
        assert secret not in answer.text + caplog.text


async def test_a_voice_that_is_not_there_is_said_in_our_words(database: AsyncEngine) -> None:
    async with speaking(database) as (branch, server), branch.client("alice") as alice:
        server.answers.append(JSONResponse({"error": "voice must be one of: …"}, status_code=400))
        answer = await alice.post(READ, json={"input": "Hello.", "voice": "nobody"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "unsupported") and "must be one of" not in answer.text


async def test_a_server_that_is_away_is_said_to_be(database: AsyncEngine) -> None:
    async with opened(database, start=False, audio_url="http://127.0.0.1:9/v1") as branch, branch.client("alice") as alice:
        for answer in (await alice.post(HEARD, files=parts()), await alice.post(READ, json={"input": "Hello."})):
            assert (answer.status_code, answer.json()["error"]["code"]) == (502, "remote_failed")


async def test_one_user_does_not_ask_for_more_than_the_limit(database: AsyncEngine) -> None:
    async with speaking(database, most_audio_per_minute=2) as (branch, server):
        async with branch.client("alice") as alice, branch.client("bob") as bob:
            codes = [(await alice.post(READ, json={"input": "Hello."})).status_code for _ in range(3)]
            assert codes == [200, 200, 429]
            assert (await alice.post(HEARD, files=parts())).headers["retry-after"] == "30"
            assert (await bob.post(READ, json={"input": "Hello."})).status_code == 200
        assert len(server.asked) == 3


async def test_a_recording_may_be_longer_than_other_bodies_and_has_its_own_limit(database: AsyncEngine) -> None:
    async with speaking(database, most_body_bytes=5_000, most_audio_bytes=50_000) as (branch, server), branch.client("alice") as alice:
        short, long = wav(1.0), wav(2.0)
        assert len(short) > 5_000 and len(long) > 50_000
        assert (await alice.post(HEARD, files=parts(short))).status_code == 200
        answers = [await alice.post(HEARD, files=parts(long)), await alice.post(READ, json={"input": "x" * 6_000})]
        said = [(answer.status_code, answer.json()["error"]["message"]) for answer in answers]
        assert said == [(413, "A request may have 50000 bytes at most."), (413, "A request may have 5000 bytes at most.")]
        assert len(server.asked) == 1


WRONG: list[dict[str, Any]] = [
    {"files": parts(b"RIFF....AVI "), "data": {}},
    {"files": parts(b"#EXTM3U\nfile:///etc/passwd"), "data": {}},
    {"files": parts(b"ffconcat version 1.0\nfile '/etc/passwd'"), "data": {}},
    {"files": parts(b""), "data": {}},
    {"files": parts(), "data": {"response_format": "srt"}},
    {"files": parts(), "data": {"stream": "true"}},
    {"files": parts(), "data": {"language": "English"}},
    {"files": parts(), "data": {"prompt": "x" * 4_001}},
    {"files": {"other": ("a.wav", wav(), "audio/wav")}, "data": {}},
    {"data": {"file": "said.wav"}},
    {"json": {"file": "said.wav"}},
]


@pytest.mark.parametrize("request_", WRONG, ids=range(len(WRONG)))
async def test_what_does_not_fit_goes_no_further(database: AsyncEngine, request_: dict[str, Any]) -> None:
    async with speaking(database) as (branch, server), branch.client("alice") as alice:
        answer = await alice.post(HEARD, **request_)
        assert answer.status_code in {400, 422} and set(answer.json()) == {"error"}
        assert server.asked == []


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"input": " \n"},
        {"input": "x" * 4_097},
        {"input": 1},
        {"input": "x", "response_format": "exe"},
        {"input": "x", "voice": "a/../b"},
        {"input": "x", "speed": 9},
        {"input": "x", "stream_format": "sse"},
    ],
)
async def test_what_cannot_be_read_out_goes_no_further(database: AsyncEngine, body: dict[str, Any]) -> None:
    async with speaking(database) as (branch, server), branch.client("alice") as alice:
        answer = await alice.post(READ, json=body)
        assert (answer.status_code, answer.json()["error"]["type"]) == (422, "invalid_request_error")
        assert server.asked == []


async def test_an_answer_without_an_end_is_not_read_to_its_end(database: AsyncEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("handrail.service.surfaces.audio.forwarding.MOST_ANSWERED", 1_000)
    async with speaking(database) as (branch, server), branch.client("alice") as alice:
        server.answers.append(Response(b"x" * 1_001))
        answer: httpx2.Response = await alice.post(READ, json={"input": "Hello."})
    assert (answer.status_code, answer.json()["error"]["code"]) == (502, "remote_failed")
