"""By which library a model is spoken to."""

import subprocess
import sys
from pathlib import Path

import pytest

from handrail import Agent, Outcome, run
from handrail.errors import InputError
from handrail.service.choosing import chosen
from tests.models.providing import Provider, replies, serving, whole

AGENT = Agent(name="small", instructions="Answer.", model="some-model")


@pytest.mark.parametrize(("named", "user_agent"), [(None, "AsyncOpenAI/"), ("official", "AsyncOpenAI/"), ("aiohttp", "handrail/")])
async def test_handrail_transport_says_how_a_provider_is_spoken_to(
    named: str | None, user_agent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider = Provider(replies(whole()))
    async with serving(provider.app) as url:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-hunter2")
        monkeypatch.setenv("OPENAI_BASE_URL", url)
        if named is not None:
            monkeypatch.setenv("HANDRAIL_TRANSPORT", named)
        async with chosen("other", ()) as choice:
            ended = await run(AGENT, "hello", model=choice.model)
    assert isinstance(ended, Outcome) and ended.output == "Hello."
    assert provider.headers[0]["user-agent"].startswith(user_agent)


@pytest.mark.parametrize("named", ["official", "aiohttp"])
async def test_the_stand_in_is_spoken_to_without_a_proxy_by_either(named: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")  # a proxy that is not there
    monkeypatch.setenv("HANDRAIL_TRANSPORT", named)
    async with chosen("rehearsal", ()) as choice:
        ended = await run(AGENT, "hello", model=choice.model)
    assert isinstance(ended, Outcome) and "a few rules, not a language model" in ended.output


async def test_another_name_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HANDRAIL_TRANSPORT", "carrier-pigeon")
    with pytest.raises(InputError, match="HANDRAIL_TRANSPORT is to be official or aiohttp, not 'carrier-pigeon'"):
        async with chosen(None, ()):
            pass


@pytest.mark.slow
def test_without_the_extra_its_name_is_told(tmp_path: Path) -> None:
    (tmp_path / "aiohttp.py").write_text("raise ModuleNotFoundError('no aiohttp', name='aiohttp')\n")
    (tmp_path / "mine.py").write_text("from handrail import Agent\nagent = Agent(name='mine', instructions='', model='m')\n")
    told = subprocess.run(
        [sys.executable, "-c", "from handrail.cli import main; main()", "chat", "mine.py:agent", "--model", "rehearsal"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path), "HANDRAIL_TRANSPORT": "aiohttp"},
        input="hello\n",
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert told.returncode == 2 and "install handrail[aiohttp]" in told.stderr, told.stderr
