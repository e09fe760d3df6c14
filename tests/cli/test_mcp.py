"""`handrail mcp`: a real process, and the official client on its standard input and output."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import ElicitResult

from handrail.cli.demo import HANDRAIL
from handrail.core.events import RunStarted, ToolReturned
from handrail.stores.journals import read_file
from tests.cli.processes import LONGEST, environment, finished

SHOP = '''
import logging

from handrail import Agent, tool
from handrail.guards import Approval, CallLimit

print("printed while it is loaded")


@tool(effect="read")
async def stock() -> list[str]:
    """Say what there is."""
    print("printed by a tool")
    logging.getLogger("shop").warning("logged by a tool: api_key=%s", "sk-0123456789")
    return ["tea"]


@tool(effect="write")
async def order(what: str) -> str:
    """Order something."""
    return f"ordered {what}"


agent = Agent(name="shop", instructions="Sell.", model="m", tools=[stock, order], guards=[Approval("order"), CallLimit("stock", 1)])
'''


@asynccontextmanager
async def started(folder: Path, *arguments: str, mode: str = "auto", logs: str = "text", **more: Any) -> AsyncIterator[Client]:
    (folder / "shop.py").write_text(SHOP, encoding="utf-8")
    command, *rest = HANDRAIL
    server = StdioServerParameters(command=command, args=[*rest, "mcp", *arguments], cwd=folder, env=environment(HANDRAIL_LOGS=logs))
    with (folder / "errors").open("w", encoding="utf-8") as log:
        async with Client(stdio_client(server, errlog=log), mode=mode, read_timeout_seconds=LONGEST, **more) as client:
            yield client


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_a_client_on_the_pipes_calls_tools_and_its_user_says_yes(tmp_path: Path, mode: str) -> None:
    asked: list[str] = []

    async def ask(context: Any, params: Any) -> ElicitResult:
        asked.append(params.message)
        return ElicitResult(action="accept", content={"approve": True})

    journal = tmp_path / "runs"
    async with started(tmp_path, "shop.py:agent", "--journal", str(journal), mode=mode, elicitation_callback=ask) as client:
        assert [each.name for each in (await client.list_tools()).tools] == ["stock", "order"]
        results = [await client.call_tool(name, arguments) for name, arguments in (("stock", {}), ("order", {"what": "tea"}))]
        assert [result.content[0].text for result in results] == ['["tea"]', "ordered tea"]  # type: ignore[union-attr]  # ours are texts
        assert [each.name for each in (await client.list_tools()).tools] == ["order"]
    assert len(asked) == 1 and '"what": "tea"' in asked[0]
    events = read_file(next(journal.iterdir()))
    assert isinstance(events[0], RunStarted) and [event.content for event in events if isinstance(event, ToolReturned)][1] == "ordered tea"


@pytest.mark.slow
@pytest.mark.parametrize("logs", ["text", "json"])
async def test_whatever_is_printed_or_logged_goes_to_standard_error_without_secrets_and_with_the_run(tmp_path: Path, logs: str) -> None:
    async with started(tmp_path, "shop.py:agent", logs=logs) as client:
        await client.call_tool("stock", {})
    said = (tmp_path / "errors").read_text(encoding="utf-8")
    assert {"printed while it is loaded", "printed by a tool"} <= set(said.splitlines())
    (logged,) = [line for line in said.splitlines() if "logged by a tool" in line]
    assert "run_id" in logged and logged.startswith("{") == (logs == "json")
    assert "sk-0123456789" not in said and "Traceback" not in said


@pytest.mark.slow
def test_what_cannot_be_served_is_said_in_one_line(tmp_path: Path) -> None:
    for agent, reason in (("nothing", "there is no app 'nothing'"), ("empty.py:agent", "no tool that runs on a server")):
        (tmp_path / "empty.py").write_text(
            "from handrail import Agent\nagent = Agent(name='empty', instructions='', model='m')\n", encoding="utf-8"
        )
        done = finished("mcp", agent, folder=tmp_path)
        assert (done.returncode, done.stdout) == (2, "") and reason in done.stderr and "Traceback" not in done.stderr


@pytest.mark.slow
async def test_an_installed_app_with_a_reviewer_is_served(tmp_path: Path) -> None:
    async with started(tmp_path, "trips", "--model", "rehearsal") as client:
        tools = (await client.list_tools()).tools
        assert len(tools) > 3 and all(each.annotations is not None for each in tools)
