"""Speech in this process: what the one model says the other hears, and what is too much is refused. It needs the extra `voice`."""

import asyncio
import logging
import shutil
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import get_args

import httpx2
import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from handrail.errors import InputError
from handrail.service.problems import Problem
from handrail.service.surfaces.audio import local
from handrail.service.surfaces.audio.contract import Format
from handrail.service.surfaces.audio.hearing import checked, model_folder
from tests.service.audio.kit import parts, wav
from tests.service.branch import LONGEST, opened

HEARD, READ = "/v1/audio/transcriptions", "/v1/audio/speech"
MENU = "Pad Thai, Mango Lassi, Bibimbap"


@pytest.fixture
async def alice(database: AsyncEngine) -> AsyncIterator[httpx2.AsyncClient]:
    async with opened(database, start=False) as branch, branch.client("alice") as client:
        yield client


async def said(client: httpx2.AsyncClient, text: str, wanted: str = "wav") -> bytes:
    answer = await client.post(READ, json={"input": text, "response_format": wanted}, timeout=LONGEST)
    assert answer.status_code == 200, answer.text
    return answer.content


async def heard(client: httpx2.AsyncClient, sound: bytes, prompt: str = "") -> str:
    answer = await client.post(HEARD, files=parts(sound), data={"prompt": prompt}, timeout=LONGEST)
    assert answer.status_code == 200, answer.text
    text: str = answer.json()["text"]
    return text


@pytest.mark.slow
async def test_what_is_read_out_is_heard_again_in_every_format_but_the_bare_one(alice: httpx2.AsyncClient) -> None:
    for wanted in sorted(set(get_args(Format)) - {"pcm"}):
        sound = await said(alice, "Place the order.", wanted)
        if wanted == "aac":  # bare frames without a container are nothing that browsers record
            assert (await alice.post(HEARD, files=parts(sound))).status_code == 400
        else:
            assert "place the order" in (await heard(alice, sound)).lower(), wanted
    assert len(await said(alice, "Place the order.", "pcm")) == len(await said(alice, "Place the order.")) - 44


@pytest.mark.slow
async def test_names_on_the_menu_are_heard_as_they_are_written_there(alice: httpx2.AsyncClient) -> None:
    sound = await said(alice, "Two pad thai and one mango lassi please.")
    found = await heard(alice, sound, MENU)
    assert "Pad Thai" in found and "Mango Lassi" in found


@pytest.mark.slow
async def test_where_nothing_is_said_nothing_is_heard(alice: httpx2.AsyncClient) -> None:
    for silence in (wav(2.0), wav(0.05), wav(0.0)):
        assert await heard(alice, silence, MENU) == ""


@pytest.mark.slow
@pytest.mark.parametrize(
    "beginning", [b"OggS", b"fLaC", b"ID3", b"\x1a\x45\xdf\xa3", b"RIFF\0\0\0\0WAVE", b"\0\0\0\x20ftypM4A ", b"\xff\xfb\x90"]
)
async def test_what_only_begins_like_a_recording_is_none(alice: httpx2.AsyncClient, beginning: bytes) -> None:
    for rest in (b"", b"\0" * 2_000, b"#EXTM3U\nfile:///etc/passwd\n" * 50):
        answer = await alice.post(HEARD, files=parts(beginning + rest), timeout=LONGEST)
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "unreadable")


@pytest.mark.slow
async def test_a_recording_is_read_no_further_than_it_may_be_long(alice: httpx2.AsyncClient) -> None:
    answer = await alice.post(HEARD, files=parts(wav(121, rate=8_000)), timeout=LONGEST)
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too_long")


async def test_without_a_server_and_without_the_extra_it_is_said_what_to_do(database: AsyncEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "NEEDED", ("a_module_that_nobody_has",))
    async with opened(database, start=False) as branch, branch.client("alice") as alice:
        for answer in (await alice.post(HEARD, files=parts()), await alice.post(READ, json={"input": "Hello."})):
            error = answer.json()["error"]
            assert (answer.status_code, error["code"]) == (501, "no_speech")
            assert "handrail[voice]" in error["message"] and "HANDRAIL_AUDIO_URL" in error["message"]


def test_a_model_is_not_read_before_its_files_are_known_to_be_the_right_ones(tmp_path: Path) -> None:
    folder = shutil.copytree(model_folder(), tmp_path / "model")
    assert checked(folder) == folder
    (folder / "config.json").write_bytes(b"{}")
    with pytest.raises(InputError, match=r"config\.json"):
        checked(folder)
    (folder / "config.json").unlink()
    with pytest.raises(InputError, match=r"config\.json"):
        checked(folder)


async def test_a_model_does_one_thing_after_the_other_and_few_may_wait() -> None:
    begun, finish = Event(), Event()

    def work(done: list[int]) -> int:
        begun.set()
        finish.wait(LONGEST)
        done.append(len(done))
        return done[-1]

    with ThreadPoolExecutor(1) as thread:
        alone = local.Alone(thread, "builtins:list")
        waiting = [asyncio.create_task(alone.does(work)) for _ in range(local.MOST_WAITING)]
        assert await asyncio.to_thread(begun.wait, LONGEST)
        with pytest.raises(Problem) as refused:
            await alone.does(work)
        assert (refused.value.status, refused.value.code) == (503, "busy")
        waiting[0].cancel()  # nobody waits for it any more, and yet it takes its time
        with pytest.raises(asyncio.CancelledError):
            await waiting[0]
        with pytest.raises(Problem):
            await alone.does(work)
        finish.set()
        assert await asyncio.gather(*waiting[1:]) == list(range(1, local.MOST_WAITING))
        assert await alone.does(work) == local.MOST_WAITING


async def test_a_model_that_cannot_be_loaded_is_told_to_those_who_look_after_it(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR)
    with ThreadPoolExecutor(1) as thread:
        alone = local.Alone(thread, "a_module_that_nobody_has:Ears")
        for _ in range(2):
            with pytest.raises(Problem) as refused:
                await alone.does(lambda ears: ears)
            assert (refused.value.status, refused.value.code) == (503, "not_ready") and "nobody_has" not in refused.value.detail
    assert "a_module_that_nobody_has" in caplog.text
