"""llama.cpp, really run: a model of random numbers replies in the form, is cancelled, dies, is started again and ends."""

import asyncio
import json
import os
import re
import select
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator, AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import msgspec
import pytest
from openai import DefaultAsyncHttpxClient

from handrail.errors import ModelError
from handrail.models import OpenAIChat
from handrail.models.local import LocalModel
from handrail.models.local.engine import Engine, EngineSettings
from handrail.models.local.transport import LocalTransport
from handrail.models.transports import Response
from handrail.vocab.failures import FailureKind
from handrail.vocab.messages import AssistantMessage, user
from handrail.vocab.requests import ModelRequest
from tests.models.local.test_showing import ASKED

CONTEXT = 4_096


@pytest.fixture
async def model(tiny: Path) -> AsyncIterator[LocalModel]:
    made = LocalModel(tiny, threads=1, context=CONTEXT)
    yield made
    await made.close()


@pytest.fixture
async def engine(tiny: Path) -> AsyncIterator[Engine]:
    made = Engine(EngineSettings(path=tiny, threads=1, context=CONTEXT))
    yield made
    await made.close()


def seeded(seed: int, **changes: Any) -> ModelRequest:
    settings = {"temperature": 1, "seed": seed, "max_tokens": 120}
    return msgspec.structs.replace(ASKED, settings=settings, **changes)


async def test_every_reply_of_a_model_that_knows_nothing_is_a_call_on_offer_a_text_or_cut(model: LocalModel) -> None:
    answers = [await model.reply(seeded(seed)) for seed in range(12)]
    assert {call.name for answer in answers for call in answer.calls} <= {"look", "book"}
    assert all(answer.calls or answer.text or answer.finish == "length" for answer in answers)
    assert any(answer.calls for answer in answers)


async def test_a_tool_that_is_withdrawn_is_never_called_and_where_no_text_can_be_taken_there_is_none(model: LocalModel) -> None:
    answers = [await model.reply(seeded(seed, tools=ASKED.tools[1:], text=False)) for seed in range(6)]
    assert [[call.name for call in answer.calls] for answer in answers] == [["book"]] * 6
    assert [answer.text for answer in answers] == [None] * 6


async def test_watchers_see_the_words_of_a_text_and_nothing_of_the_form(model: LocalModel) -> None:
    shown: list[str] = []
    answer = await model.reply(seeded(1, choice="none"), on_delta=shown.append)
    assert answer.text is not None and len(shown) > 1
    assert "".join(shown).strip() == answer.text.strip()


async def test_without_tools_a_reply_is_any_text(model: LocalModel) -> None:
    answer = await model.reply(seeded(1, tools=(), declared=(), examples=()))
    assert answer.text and not answer.calls and answer.usage.output_tokens > 0


class Timed:
    """The transport, and how many tokens of each prompt llama.cpp says were kept and read."""

    def __init__(self, transport: LocalTransport) -> None:
        self.prompts: list[tuple[int, int]] = []
        self._transport = transport

    async def post(self, path: str, body: bytes, *, model: str, stream: bool = False) -> Response:
        response = await self._transport.post(path, body, model=model, stream=stream)
        return msgspec.structs.replace(response, body=self._read(response))

    async def close(self) -> None:
        await self._transport.close()

    async def _read(self, response: Response) -> AsyncGenerator[bytes]:
        assert not isinstance(response.body, bytes)
        whole = b""
        async for piece in response.body:
            whole += piece
            yield piece
        (kept, read) = re.findall(rb'"cache_n":(\d+),"prompt_n":(\d+)', whole)[-1]
        self.prompts.append((int(kept), int(read)))


async def test_the_beginning_is_read_once(tiny: Path) -> None:
    transport = Timed(LocalTransport(EngineSettings(path=tiny, threads=1, context=CONTEXT)))
    model = LocalModel(tiny, chat=OpenAIChat(transport=transport))
    await model.reply(seeded(1))
    await model.reply(seeded(1, messages=(*ASKED.messages, AssistantMessage(text="Yes."), user("And then?"))))
    await model.close()
    (first, then) = transport.prompts
    assert first[0] == 0 and first[1] > 400
    assert then[0] > 400 and then[1] < 150


async def test_a_request_that_nobody_waits_for_is_given_up(engine: Engine) -> None:
    await engine.started()
    endless = {"prompt": "a", "n_predict": -1, "ignore_eos": True, "temperature": 1, "stream": True}
    async with reaching(engine) as http:
        async with http.stream("POST", "http://local/completion", json=endless) as response:
            await anext(response.aiter_bytes())
        while (found := await slot(http))["is_processing"]:
            pass
    assert found["next_token"][0]["n_decoded"] < CONTEXT / 2


async def slot(http: httpx2.AsyncClient) -> dict[str, Any]:
    """What llama.cpp says of the request that it works on, or worked on last."""
    slots: list[dict[str, Any]] = (await http.get("http://local/slots")).json()
    return slots[0]


def reaching(engine: Engine) -> httpx2.AsyncClient:
    socket = httpx2.AsyncHTTPTransport(uds=str(engine.socket), limits=httpx2.Limits(max_keepalive_connections=0))
    return DefaultAsyncHttpxClient(transport=socket, timeout=None, trust_env=False)


async def test_only_this_user_can_reach_it_and_nothing_is_left_of_it(engine: Engine) -> None:
    await engine.started()
    folder = engine.socket.parent
    assert folder.stat().st_mode & 0o077 == 0 and folder.stat().st_uid == os.getuid()
    await engine.close()
    assert not folder.exists()


async def test_it_gets_no_secret_of_the_environment(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "S3NTINEL")
    await engine.started()
    environment = await asyncio.to_thread(Path(f"/proc/{engine.pid}/environ").read_bytes)
    assert b"PATH=" in environment and b"S3NTINEL" not in environment


async def test_one_that_died_is_started_again(engine: Engine) -> None:
    await engine.started()
    first = engine.pid
    assert first is not None
    os.kill(first, signal.SIGKILL)
    await engine.ended()
    await engine.started()
    assert engine.pid not in (None, first)


@pytest.fixture
def damaged(tiny: Path, tmp_path: Path) -> Path:
    path = tmp_path / "damaged.gguf"
    path.write_bytes(tiny.read_bytes()[:50_000])
    return path


async def test_a_file_that_is_damaged_is_said_with_what_to_do(damaged: Path) -> None:
    model = LocalModel(damaged)
    with pytest.raises(ModelError, match=r"damaged\.gguf cannot be run: .*; fetch the file again, or name another model") as failed:
        await model.reply(ASKED)
    await model.close()
    assert failed.value.kind == FailureKind.OTHER


STARTER = """
import asyncio, sys
from pathlib import Path
from handrail.models.local.engine import Engine, EngineSettings

async def main():
    engine = Engine(EngineSettings(path=Path(sys.argv[1]), threads=1, context=512))
    await engine.started()
    print(engine.pid, engine.socket.parent, flush=True)
    await asyncio.get_running_loop().create_future()

asyncio.run(main())
"""


@pytest.mark.slow
def test_it_ends_when_whoever_started_it_is_killed_and_nothing_is_left(tiny: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", STARTER, str(tiny)], stdout=subprocess.PIPE, encoding="utf-8") as starter:
        assert starter.stdout is not None
        pid, folder = starter.stdout.readline().split()
        watched = os.pidfd_open(int(pid))
        starter.kill()
    try:
        assert select.select([watched], [], [], 60)[0] == [watched]
    finally:
        os.close(watched)
    assert not Path(folder).exists()


def test_each_event_loop_has_its_own(tiny: Path) -> None:
    model = LocalModel(tiny, threads=1, context=CONTEXT)
    for _ in range(2):
        assert asyncio.run(model.reply(seeded(1))).usage.output_tokens > 0


@pytest.mark.slow
async def test_a_model_that_knows_something_calls_the_tool_with_what_was_asked(real_model: str) -> None:
    model = LocalModel(real_model, context=CONTEXT)
    answer = await model.reply(msgspec.structs.replace(ASKED, settings={"temperature": 0}))
    await model.close()
    assert [(call.name, json.loads(call.arguments or "")) for call in answer.calls] == [("look", {"city": "Rome"})]
