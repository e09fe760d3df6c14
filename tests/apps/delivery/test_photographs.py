"""`handrail images`: photographs from an image API, spoken to over real HTTP on this machine."""

import base64
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine
from typer.testing import CliRunner

from handrail.apps.delivery.images.photographs import photograph
from handrail.cli import app
from handrail.cli.images import _drawn as drawn
from handrail.errors import InputError
from tests.models.providing import Provider, fails, replies, serving

WEBP, PNG, JPG = b"RIFF\x00\x00\x00\x00WEBPVP8 ", b"\x89PNG\r\n\x1a\n0000", b"\xff\xd8\xff\xe0000"


def picture(content: bytes) -> Any:
    """An answer as the image API gives it."""
    return replies({"created": 1, "data": [{"b64_json": base64.b64encode(content).decode()}]})


@pytest.fixture
def folder(tmp_path: Path, database: AsyncEngine, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where photographs go; the settings say so, and that there is a key."""
    monkeypatch.setenv("HANDRAIL_DELIVERY_IMAGES", str(tmp_path / "photographs"))
    monkeypatch.setenv("HANDRAIL_DELIVERY_IMAGE_KEY", "sk-hunter2")
    return tmp_path / "photographs"


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("*"))


async def drawn_by(provider: Provider, monkeypatch: pytest.MonkeyPatch, most: int | None) -> int:
    async with serving(provider.app) as url:
        monkeypatch.setenv("HANDRAIL_DELIVERY_IMAGE_BASE_URL", url)
        return await drawn(most)


async def test_what_is_missing_is_drawn_and_what_is_there_is_skipped(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    provider = Provider(picture(WEBP), picture(PNG), picture(JPG))
    assert await drawn_by(provider, monkeypatch, 3) == 0
    assert names(folder) == ["101.webp", "102.png", "103.jpg"]
    assert capsys.readouterr().out.splitlines()[-1] == f"3 drawn, 0 there already, 0 failed; they are in {folder}."
    assert await drawn_by(Provider(picture(PNG)), monkeypatch, 1) == 0
    assert "3 there already" in capsys.readouterr().out and (folder / "101.webp").read_bytes() == WEBP
    assert photograph(folder, 104) == folder / "104.png" and photograph(folder, 105) is None is photograph(None, 101)


async def test_the_api_is_asked_in_its_own_words(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    provider = Provider(picture(WEBP))
    await drawn_by(provider, monkeypatch, 1)
    (body,) = provider.bodies
    assert provider.paths == ["/v1/images/generations"] and provider.headers[0]["authorization"] == "Bearer sk-hunter2"
    assert (body["model"], body["n"], body["output_format"]) == ("gpt-image-1", 1, "webp") and "Dan Dan Noodles" in body["prompt"]
    monkeypatch.setenv("HANDRAIL_DELIVERY_IMAGE_MODEL", "stable-diffusion")
    other = Provider(picture(WEBP))
    await drawn_by(other, monkeypatch, 1)
    assert other.bodies[0]["response_format"] == "b64_json" and "output_format" not in other.bodies[0]


@pytest.mark.parametrize(
    "answer",
    [
        fails(400),
        replies({"created": 1, "data": []}),
        replies({"created": 1, "data": [{"url": "https://images.example/1.png"}]}),
        replies({"created": 1, "data": [{"b64_json": "no base64!"}]}),
        picture(b"<svg onload='alert(1)'/>"),
    ],
    ids=["refused", "nothing", "an address", "no base64", "no picture"],
)
async def test_one_that_fails_does_not_end_the_rest(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], answer: Any
) -> None:
    assert await drawn_by(Provider(answer, picture(WEBP)), monkeypatch, 2) == 1
    assert names(folder) == ["102.webp"]
    assert "101 Dan Dan Noodles: failed" in capsys.readouterr().out


async def test_a_key_that_is_refused_ends_it_at_once_and_is_not_shown(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    provider = Provider(fails(401, "bad key sk-hunter2"))
    with pytest.raises(InputError, match="the image API refuses the key") as raised:
        await drawn_by(provider, monkeypatch, None)
    assert len(provider.bodies) == 1 and "hunter2" not in str(raised.value) and names(folder) == []


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({}, "there is no key for an image API, so nothing is drawn"),
        ({"OPENAI_API_KEY": "sk-x"}, "set HANDRAIL_DELIVERY_IMAGES to a folder"),
        ({"OPENAI_API_KEY": "sk-x", "HANDRAIL_DELIVERY_IMAGES": "photographs"}, "run `handrail seed delivery`"),
    ],
    ids=["no key", "no folder", "no dishes"],
)
def test_what_is_missing_is_told_in_one_line(settings: dict[str, str], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HANDRAIL_DATABASE_URL", f"sqlite:///{tmp_path / 'empty.db'}")
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    told = CliRunner().invoke(app, ["images"])
    assert told.exit_code == 2 and told.stdout == ""
    assert words in told.stderr and len(told.stderr.splitlines()) == 1
