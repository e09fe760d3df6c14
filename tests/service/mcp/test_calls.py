"""MCP over HTTP: any process answers, the run is in the database, and a yes is given in the client or under its address."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.types import CallToolResult, ElicitResult
from sqlalchemy.ext.asyncio import AsyncEngine

from handrail import Agent, ToolContext, tool
from handrail.adapters.mcp import MOST_QUESTIONS, attempt
from handrail.core.evolve import fold
from handrail.core.state import RunState
from handrail.drivers.at_work import AtWork, at_work
from handrail.guards import Approval, CallLimit, Prerequisite, Review, TurnLimit
from handrail.service.surfaces.mcp.keeping import IDLE
from handrail.stores import jobs, run_events
from handrail.stores.jobs import JobStatus
from handrail.stores.transactions import read
from tests.service.branch import Branch, opened, pay
from tests.service.kit import APP as GREETER
from tests.service.mcp.serving import MODES, client_of, on_a_socket, texts

YES = ElicitResult(action="accept", content={"approve": True})
# Each opens a service and a socket, and together they take a while; what they rest on is tested fast in tests/adapters/mcp.
pytestmark = pytest.mark.slow
EVERY_MODE = pytest.mark.parametrize("mode", MODES)


@tool(effect="read")
async def balance() -> dict[str, int]:
    """Say how much there is."""
    return {"cents": 5_000}


def careful(expires: timedelta = timedelta(hours=1)) -> Agent:
    guards = [Prerequisite("pay", of="balance"), CallLimit("balance", 3), Approval("pay", expires=expires)]
    return Agent(name="careful", instructions="The vault's code is 1234.", model="m", tools=[balance, pay], guards=guards)


@asynccontextmanager
async def calling(
    branch: Branch, user: str = "alice", *, mode: str = "auto", answers: list[ElicitResult] | None = None
) -> AsyncIterator[Client]:
    async def ask(context: Any, params: Any) -> ElicitResult:
        assert answers is not None
        return answers.pop(0)

    more: dict[str, Any] = {} if answers is None else {"elicitation_callback": ask}
    async with on_a_socket(branch.service) as url, client_of(branch, f"{url}/mcp", user, mode=mode, **more) as client:
        yield client


async def pay_bob(client: Client, cents: int = 5) -> CallToolResult:
    return await client.call_tool("pay", {"to": "bob", "cents": cents})


def approval_in(result: CallToolResult) -> str:
    found = re.search(r"apr_[0-9a-f]{32}", texts(result)[0])
    assert result.is_error and found is not None, texts(result)
    return found[0]


async def decide(branch: Branch, approval: str, *, user: str = "alice", approve: bool = True) -> httpx2.Response:
    async with branch.client(user) as http:
        return await http.post(f"/agent/approvals/{approval}/decision", json={"approve": approve})


async def job_of(branch: Branch, user: str = "alice") -> jobs.Job:
    """The latest run of the user's calls."""
    return (await read(branch.running.database, jobs.listed, user_id=user))[0]


@EVERY_MODE
async def test_a_run_goes_on_from_call_to_call_whoever_answers_them(database: AsyncEngine, mode: str) -> None:
    async with opened(database, agent=careful) as one, opened(database, agent=careful, start=False) as other:
        async with calling(one, mode=mode) as first, calling(other, mode=mode) as second:
            assert "only after 'balance'" in texts(await pay_bob(first))[0]
            assert texts(await second.call_tool("balance", {})) == ['{"cents":5000}']
            approval = approval_in(await pay_bob(first))
            assert approval_in(await pay_bob(second)) == approval
            assert (await decide(other, approval)).status_code == 200
            assert texts(await pay_bob(first)) == ["paid 5 to bob"]
            assert approval_in(await pay_bob(second)) != approval
            await second.call_tool("balance", {})
            await second.call_tool("balance", {})
            assert [each.name for each in (await first.list_tools()).tools] == ["pay"]
        assert (one.paid, other.paid) == (["bob 5"], [])
        assert len(await read(database, jobs.listed, user_id="alice")) == 1


async def test_a_client_that_can_ask_its_user_does(database: AsyncEngine) -> None:
    async with opened(database, agent=careful) as branch, calling(branch, answers=[YES, ElicitResult(action="decline")]) as client:
        await client.call_tool("balance", {})
        assert texts(await pay_bob(client)) == ["paid 5 to bob"]
        assert "A person refused" in texts(await pay_bob(client, 6))[0]
        async with branch.client("alice") as http:
            listed = (await http.get("/agent/approvals")).json()["approvals"]
        assert sorted((each["status"], each["decided_by"]) for each in listed) == [("approved", "alice"), ("refused", "alice")]
        assert branch.paid == ["bob 5"]


async def test_only_so_many_approvals_of_one_run_wait_at_once(database: AsyncEngine) -> None:
    async with opened(database, agent=careful) as branch, calling(branch) as client:
        await client.call_tool("balance", {})
        first = approval_in(await pay_bob(client, 0))
        for cents in range(1, MOST_QUESTIONS):
            approval_in(await pay_bob(client, cents))
        assert "wait for a person's yes already" in texts(await pay_bob(client, 1_000))[0]
        await decide(branch, first, approve=False)
        approval_in(await pay_bob(client, 1_000))


async def test_a_no_under_its_address_is_told_with_its_words(database: AsyncEngine) -> None:
    async with opened(database, agent=careful) as branch, calling(branch) as client:
        await client.call_tool("balance", {})
        approval = approval_in(await pay_bob(client))
        async with branch.client("alice") as http:
            await http.post(f"/agent/approvals/{approval}/decision", json={"approve": False, "comment": "too little"})
        assert "too little" in texts(await pay_bob(client))[0]
        assert branch.paid == []


async def test_one_yes_that_two_processes_take_at_once_runs_once(database: AsyncEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attempt, "PAUSE", timedelta())  # the clocks stand still, and the other process is looked after at once
    async with (
        opened(database, agent=careful) as one,
        opened(database, agent=careful, start=False) as other,
        calling(one) as first,
        calling(other) as second,
    ):
        await first.call_tool("balance", {})
        await decide(one, approval_in(await pay_bob(first)))
        both = await asyncio.gather(pay_bob(first), pay_bob(second))
        assert sorted(result.is_error for result in both) == [False, True]
        assert [*one.paid, *other.paid] == ["bob 5"]


async def test_first_calls_that_come_at_once_to_two_processes_share_one_run(database: AsyncEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attempt, "PAUSE", timedelta())  # the clocks stand still, and the other process is looked after at once
    async with opened(database, agent=careful) as one, opened(database, agent=careful, start=False) as other:
        async with calling(one) as first, calling(other) as second:
            both = await asyncio.gather(first.call_tool("balance", {}), second.call_tool("balance", {}))
            assert [texts(result) for result in both] == [['{"cents":5000}']] * 2
        (job,) = await read(database, jobs.listed, user_id="alice")
        assert fold(await read(database, run_events.read, job.job_id)).counts["balance"].succeeded == 2


async def test_a_run_that_nobody_calls_for_long_makes_place_for_a_new_one(database: AsyncEngine) -> None:
    async with opened(database, agent=careful) as branch, calling(branch) as client:
        await client.call_tool("balance", {})
        branch.clock.advance(IDLE.total_seconds() - 1)
        approval_in(await pay_bob(client))
        branch.clock.advance(7_200)
        assert "only after 'balance'" in texts(await pay_bob(client))[0]
        assert len(await read(database, jobs.listed, user_id="alice")) == 2


async def test_a_run_is_kept_while_somebody_may_still_decide(database: AsyncEngine) -> None:
    async with opened(database, agent=lambda: careful(timedelta(hours=8))) as branch, calling(branch) as client:
        await client.call_tool("balance", {})
        approval = approval_in(await pay_bob(client))
        branch.clock.advance(IDLE.total_seconds() * 2)
        await decide(branch, approval)
        branch.clock.advance(IDLE.total_seconds() * 2)
        assert texts(await pay_bob(client)) == ["paid 5 to bob"]


async def test_a_yes_that_has_expired_since_is_none(database: AsyncEngine) -> None:
    async with opened(database, agent=lambda: careful(timedelta(minutes=10))) as branch, calling(branch) as client:
        await client.call_tool("balance", {})
        approval = approval_in(await pay_bob(client))
        await decide(branch, approval)
        branch.clock.advance(601)
        assert approval_in(await pay_bob(client)) != approval
        assert branch.paid == []


async def test_no_engine_ever_takes_such_a_run_and_no_model_of_ours_is_asked(branch: Branch, database: AsyncEngine) -> None:
    async with calling(branch) as client:
        approval = approval_in(await pay_bob(client))
        await decide(branch, approval)
        branch.clock.advance(3_600 - 1)
        assert await branch.running.engine.recover() == 0
        job = await job_of(branch)
        assert (job.status, job.response) == (JobStatus.COMPLETE, None)
        before = await read(database, run_events.length, job.job_id)
        await branch.running.engine.recover()
        assert (await read(database, run_events.length, job.job_id), branch.model.requests) == (before, [])


async def test_a_run_that_has_ended_asks_nobody_any_more_and_its_row_says_how_it_ended(database: AsyncEngine) -> None:
    def short() -> Agent:
        return Agent(name="short", instructions="Be short.", model="m", tools=[balance, pay], guards=[TurnLimit(2), Approval("pay")])

    async with opened(database, agent=short) as branch, calling(branch) as client:
        approval = approval_in(await pay_bob(client))
        for _ in range(2):
            await client.call_tool("balance", {})
        assert (await decide(branch, approval)).json()["code"] == "hold"
        job = await job_of(branch)
        assert job.outcome is not None and job.outcome["limit"] == "TurnLimit(2)"
        assert (job.status, job.response is not None) == (JobStatus.COMPLETE, True)


async def test_who_may_approve_is_the_settings_word_and_not_the_clients(database: AsyncEngine) -> None:
    async with opened(database, agent=careful, approvers="boss") as branch, calling(branch, answers=[]) as client:
        await client.call_tool("balance", {})
        approval = approval_in(await pay_bob(client))
        assert (await decide(branch, approval)).status_code == 403
        assert (await decide(branch, approval, user="boss")).json()["decided_by"] == "boss"
        assert texts(await pay_bob(client)) == ["paid 5 to bob"]


async def test_a_services_key_calls_for_whom_it_says(database: AsyncEngine) -> None:
    async with opened(database, agent=careful) as branch, on_a_socket(branch.service) as url:
        headers = {"Authorization": f"Bearer {await branch.key('panel', 'act-as')}", "X-Act-As": "alice"}
        async with httpx2.AsyncClient(headers=headers, trust_env=False) as http:
            answer = await http.post(f"{url}/mcp", json=request("tools/call", {"name": "balance", "arguments": {}}), headers=ACCEPT)
        assert answer.status_code == 200
        assert (await job_of(branch, "alice")).user_id == "alice"


async def test_where_several_apps_are_served_the_path_names_one(database: AsyncEngine) -> None:
    async with opened(database, agent=careful, apps=[GREETER]) as branch, on_a_socket(branch.service) as url:
        async with client_of(branch, f"{url}/mcp/bank", "alice", mode="auto") as client:
            assert (await client.list_tools()).tools[0].name == "balance"
        reasons = {"/mcp": "path: bank, greeter.", "/mcp/greeter": "no tool that runs on a server", "/mcp/x": "no such app"}
        async with httpx2.AsyncClient(headers={"X-API-Key": await branch.key("alice"), **ACCEPT}, trust_env=False) as http:
            for path, reason in reasons.items():
                answer = await http.post(f"{url}{path}", json=request("tools/list", {}))
                assert (answer.status_code, answer.json()["error"]["data"]["code"]) == (404, "no_app")
                assert reason in answer.json()["error"]["message"]


async def test_a_reviewer_of_the_rings_is_asked_with_the_services_model(database: AsyncEngine) -> None:
    reviewer = Agent(name="reviewer", instructions="Look.", model="m")

    def reviewed() -> Agent:
        return Agent(name="reviewed", instructions="Pay.", model="m", tools=[pay], guards=[Review("pay", reviewer=reviewer)])

    async with opened(database, agent=reviewed) as branch, calling(branch) as client:
        # The branch's model gives no verdict; a reviewer that fails twice leaves the call unreviewed, as in any run.
        assert texts(await pay_bob(client)) == ["paid 5 to bob"]
        assert len(branch.model.requests) > 1 and "The draft" in str(branch.model.requests[0].messages)


async def test_a_huge_result_is_shortened_as_for_any_model(database: AsyncEngine) -> None:
    @tool(effect="read")
    async def dump() -> str:
        """Say very much."""
        return "x" * 1_000_000

    async with (
        opened(database, agent=lambda: Agent(name="a", instructions="", model="m", tools=[dump])) as branch,
        calling(branch) as client,
    ):
        (text,) = texts(await client.call_tool("dump", {}))
        assert len(text) < 100_000


async def test_the_services_watcher_sees_the_events(database: AsyncEngine) -> None:
    @tool(effect="read")
    async def who(context: ToolContext[list[str]]) -> str:
        """Say who calls."""
        return context.run_id

    async with (
        opened(database, agent=lambda: Agent(name="a", instructions="", model="m", tools=[who])) as branch,
        calling(branch) as client,
    ):
        (run_id,) = texts(await client.call_tool("who", {}))
        assert (run_id, RunState().run_id) == ((await job_of(branch)).job_id, "")
        await branch.until(run_id, *[type(event) for event in await read(database, run_events.read, run_id)])


ACCEPT = {"Accept": "application/json, text/event-stream"}


def request(method: str, params: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


async def test_what_a_tool_does_belongs_to_the_run_and_its_session(database: AsyncEngine) -> None:
    seen: list[AtWork | None] = []

    @tool(effect="read")
    def where() -> str:
        """Say what this is done for."""
        seen.append(at_work())
        return "there"

    def careless() -> Agent:
        return Agent(name="careless", instructions="Do it.", model="m", tools=[where])

    async with opened(database, agent=careless) as branch, calling(branch) as client:
        assert texts(await client.call_tool("where", {})) == ["there"]
        job = await job_of(branch)
    assert seen == [AtWork(run_id=job.job_id, session_id=job.session_id)]


async def test_a_call_without_a_handshake_is_answered_by_older_versions_too(database: AsyncEngine) -> None:
    async with opened(database, agent=careful) as branch, on_a_socket(branch.service) as url:
        headers = {"Authorization": f"Bearer {await branch.key('alice')}", **ACCEPT}
        async with httpx2.AsyncClient(headers=headers, trust_env=False) as http:
            answer = await http.post(f"{url}/mcp", json=request("tools/list", {}))
            assert "mcp-session-id" not in answer.headers
            data = next(line for line in answer.text.splitlines() if line.startswith("data: {"))
            assert [each["name"] for each in json.loads(data[6:])["result"]["tools"]] == ["balance", "pay"]
