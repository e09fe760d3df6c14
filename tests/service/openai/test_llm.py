"""`llm` (https://llm.datasette.io), as people have it: its own configuration, its own conversations, its own process."""

import asyncio
import os
import sys
from pathlib import Path

import pytest

from tests.service.branch import LONGEST, Branch
from tests.service.openai.kit import answering

pytestmark = pytest.mark.slow

MODELS = """
- model_id: teller
  model_name: bank
  api_base: {address}
  api_key_name: bank
"""


class Llm:
    """The command."""

    def __init__(self, folder: Path) -> None:
        kept = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
        self._environment = {**kept, "LLM_USER_PATH": str(folder), "NO_PROXY": "*"}

    async def __call__(self, *arguments: str) -> str:
        """What it prints."""
        command = (sys.executable, "-m", "llm", *arguments)
        process = await asyncio.create_subprocess_exec(
            *command,
            env=self._environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            async with asyncio.timeout(LONGEST):
                out, err = await process.communicate()
        except BaseException:
            process.kill()
            await process.wait()
            raise
        assert process.returncode == 0, err.decode()
        return out.decode().strip()


async def test_llm_talks_to_an_agent_and_goes_on_with_the_conversation(branch: Branch, tmp_path: Path) -> None:
    async with answering(branch) as address:
        (tmp_path / "extra-openai-models.yaml").write_text(MODELS.format(address=address), encoding="utf-8")
        (tmp_path / "keys.json").write_text(f'{{"bank": "{await branch.key("alice")}"}}', encoding="utf-8")
        llm = Llm(tmp_path)
        assert "teller" in await llm("models")
        assert await llm("prompt", "-m", "teller", "-s", "You are a pirate.", "one") == "You said: one"
        assert await llm("prompt", "--continue", "two") == "You said: two"
        assert await llm("prompt", "--continue", "--no-stream", "three") == "You said: three"
        assert "needs a yes or a no to exactly this" in await llm("prompt", "--continue", "pay 5 to bob")
    jobs = await branch.running.desk.jobs("alice")
    assert [job.message for job in sorted(jobs, key=lambda job: job.place)] == ["one", "two", "three", "pay 5 to bob"]
    assert len({job.session_id for job in jobs}) == 1 and branch.paid == []
