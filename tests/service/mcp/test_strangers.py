"""Case 72: a session's name is no key, and no page of another site gets at a service that runs on this machine."""

from collections.abc import AsyncIterator, Mapping
from typing import Any

import httpx2
import pytest
from sqlalchemy.ext.asyncio import AsyncEngine
from starlette.datastructures import Headers

from handrail.service.problems import Problem
from handrail.service.surfaces.mcp.hosts import Hosts
from tests.service.branch import Branch, opened
from tests.service.mcp.serving import client_of, on_a_socket, texts

LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
ACCEPT = {"Accept": "application/json, text/event-stream"}


class Reached:
    """The branch on its socket, asked by hand."""

    def __init__(self, branch: Branch, url: str, keys: Mapping[str, str]) -> None:
        self.branch = branch
        self.url = url
        self._keys = keys

    async def ask(self, user: str | None, method: str = "POST", **headers: str) -> httpx2.Response:
        given = {} if user is None else {"Authorization": f"Bearer {self._keys[user]}"}
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        async with httpx2.AsyncClient(trust_env=False) as http:
            return await http.request(method, f"{self.url}/mcp", json=LIST, headers={**ACCEPT, **given, **sent})


@pytest.fixture
async def reached(database: AsyncEngine) -> AsyncIterator[Reached]:
    async with opened(database, public_url="https://agents.example.com", allowed_hosts="box.lan, other.lan") as branch:
        keys = {user: await branch.key(user) for user in ("alice", "bob")}
        async with on_a_socket(branch.service) as url:
            yield Reached(branch, url, keys)


def code(answer: httpx2.Response) -> Any:
    """The word for programs in an error as JSON-RPC says it."""
    body = answer.json()
    assert (body["jsonrpc"], body["id"]) == ("2.0", None)
    return body["error"]["data"]["code"]


async def test_case_72_nobody_comes_in_without_a_key_whatever_session_is_named(reached: Reached) -> None:
    for headers in ({}, {"Mcp_Session_Id": "0" * 32}, {"MCP_Protocol_Version": "2026-07-28"}):
        answer = await reached.ask(None, **headers)
        assert (answer.status_code, code(answer), answer.headers["www-authenticate"]) == (401, "unauthorized", "Bearer")


async def test_case_72_every_session_is_unknown_to_everybody(reached: Reached) -> None:
    async with client_of(reached.branch, f"{reached.url}/mcp", "alice", mode="legacy") as client:
        assert (await client.call_tool("pay", {"to": "bob", "cents": 5})).is_error
    async with reached.branch.client("alice") as http:
        session = (await http.get("/agent/sessions")).json()["sessions"][0]["session_id"]
    answers = [await reached.ask(user, Mcp_Session_Id=name) for user in ("alice", "bob") for name in (session, "mcp_" + "0" * 32)]
    assert {(answer.status_code, answer.content) for answer in answers} == {(404, answers[0].content)}
    assert code(answers[0]) == "not_found"


async def test_case_72_what_one_user_has_called_is_nothing_to_another(reached: Reached) -> None:
    url = f"{reached.url}/mcp"
    async with client_of(reached.branch, url, "alice", mode="auto") as alice, client_of(reached.branch, url, "bob", mode="auto") as bob:
        mine, theirs = [texts(await client.call_tool("pay", {"to": "bob", "cents": 5}))[0] for client in (alice, bob)]
        assert mine != theirs
        async with reached.branch.client("alice") as http:
            (approval,) = (await http.get("/agent/approvals")).json()["approvals"]
            await http.post(f"/agent/approvals/{approval['approval_id']}/decision", json={"approve": True})
        assert (await bob.call_tool("pay", {"to": "bob", "cents": 5})).is_error
        assert texts(await alice.call_tool("pay", {"to": "bob", "cents": 5})) == ["paid 5 to bob"]
        assert reached.branch.paid == ["bob 5"]


async def test_case_72_a_name_that_is_not_ours_is_refused(reached: Reached) -> None:
    for host in ("evil.test", "127.0.0.1.evil.test", "localhost@evil.test", "evil.test:8000", "[::2]", "]["):
        answer = await reached.ask("alice", Host=host)
        assert (answer.status_code, code(answer)) == (403, "foreign_host"), host


async def test_case_72_a_page_of_another_site_is_refused(reached: Reached) -> None:
    for origin in ("https://evil.test", "null", "http://localhost.evil.test", "https://agents.example.com.evil.test"):
        answer = await reached.ask("alice", Origin=origin)
        assert (answer.status_code, code(answer)) == (403, "foreign_origin"), origin


async def test_case_72_our_own_names_and_pages_come_in_and_so_does_what_is_no_page(reached: Reached) -> None:
    ours: list[dict[str, str]] = [
        {},
        {"Host": "localhost:8000"},
        {"Host": "[::1]:1"},
        {"Host": "BOX.lan"},
        {"Host": "agents.example.com"},
        {"Origin": "http://localhost:3000"},
        {"Host": "other.lan", "Origin": "https://agents.example.com"},
    ]
    for headers in ours:
        for version in ("2025-11-25", "2025-06-18"):
            answer = await reached.ask("alice", **headers, MCP_Protocol_Version=version)
            assert answer.status_code == 200, headers


async def test_there_is_nothing_to_listen_to_or_to_delete(reached: Reached) -> None:
    for method in ("GET", "DELETE"):
        answer = await reached.ask("alice", method)
        assert (answer.status_code, answer.headers["allow"], code(answer)) == (405, "POST", "method_not_allowed")


async def test_an_unknown_protocol_version_is_refused_in_the_protocols_own_words(reached: Reached) -> None:
    answer = await reached.ask("alice", MCP_Protocol_Version="2031-01-01")
    assert answer.status_code == 400 and "error" in answer.json()


def test_without_settings_only_loopback_names_are_ours() -> None:
    hosts = Hosts(public_url=None, allowed="")
    hosts.check(named_by({"host": "localhost"}))
    for headers in ({}, {"host": ""}, {"host": "agents.example.com"}):
        with pytest.raises(Problem):
            hosts.check(named_by(headers))


def named_by(given: Mapping[str, str]) -> Headers:
    return Headers(given)
