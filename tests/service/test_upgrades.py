"""A new version with runs in flight: what waited for a person is judged by the new version, and the session opens in every case."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from handrail import Agent, ToolContext, tool
from handrail.guards import Approval
from handrail.ports import OnDelta
from handrail.stores import wakes
from handrail.stores.tables import sessions
from handrail.stores.transactions import read, write
from handrail.testing import calls
from handrail.vocab.messages import ToolMessage
from handrail.vocab.requests import ModelAnswer, ModelRequest
from tests.service import branch as branches
from tests.service.branch import Branch, Obliging, approval_of, invoke, opened, pay

ASKED = "pay 5 to bob"


class Corrects(Obliging):
    """Does what an error of a tool tells it to: names a currency, or takes the tool that is there."""

    async def reply(self, request: ModelRequest, *, on_delta: OnDelta | None = None) -> ModelAnswer:
        last = request.messages[-1]
        if isinstance(last, ToolMessage) and "currency is required" in last.content:
            return calls(("pay", {"to": "bob", "cents": 5, "currency": "CHF"}))
        offered = [tool["function"]["name"] for tool in request.tools]
        if isinstance(last, ToolMessage) and "There is no tool 'pay'" in last.content and "send_money" in offered:
            return calls(("send_money", {"to": "bob", "cents": 5}))
        return await super().reply(request, on_delta=on_delta)


@tool(name="pay", effect="write")
async def pay_in(to: str, cents: int, currency: str, context: ToolContext[list[str]]) -> str:
    """Pay somebody.

    Args:
        to: whom.
        cents: how much.
        currency: its three letters.
        context: where it is noted.
    """
    context.deps.append(f"{to} {cents} {currency}")
    return f"paid {cents} {currency} to {to}"


@tool(name="pay", effect="write")
async def pay_with_a_note(to: str, cents: int, context: ToolContext[list[str]], note: str = "") -> str:
    """Pay somebody.

    Args:
        to: whom.
        cents: how much.
        context: where it is noted.
        note: what for.
    """
    context.deps.append(f"{to} {cents}")
    return f"paid {cents} to {to}"


@tool(effect="write")
async def send_money(to: str, cents: int, context: ToolContext[list[str]]) -> str:
    """Pay somebody.

    Args:
        to: whom.
        cents: how much.
        context: where it is noted.
    """
    context.deps.append(f"sent {to} {cents}")
    return f"sent {cents} to {to}"


def _version(*tools: Any, name: str = "teller", instructions: str = "Do as you are told.") -> Callable[[], Agent]:
    def made() -> Agent:
        guards = [Approval(each.name) for each in tools]
        return Agent(name=name, instructions=instructions, model="m", tools=list(tools), guards=guards)

    return made


V1 = _version(pay)
CURRENCY, NOTE, NONE, RENAMED = _version(pay_in), _version(pay_with_a_note), _version(), _version(send_money)
WORDS = _version(pay, instructions="Do as you are told, and be brief.")
OTHER_AGENT = _version(pay, name="cashier")


@pytest.fixture(autouse=True)
def _corrects(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(branches, "Obliging", Corrects)


async def _waits(database: AsyncEngine, agent: Callable[[], Agent] = V1) -> tuple[str, dict[str, Any]]:
    """A job that waits for a yes under that version, which is gone: its id, and what was shown."""
    async with opened(database, agent=agent) as branch, branch.client("alice") as client:
        job_id = await invoke(client, ASKED)
        await branch.waits(job_id)
        while await read(database, wakes.due, at=branch.clock.now()):
            pass  # the question lets others work; what was woken and not served would be advanced when the new version starts
        return job_id, await approval_of(client, job_id)


@asynccontextmanager
async def _upgraded(database: AsyncEngine, agent: Callable[[], Agent]) -> AsyncIterator[tuple[Branch, httpx2.AsyncClient]]:
    async with opened(database, agent=agent) as branch, branch.client("alice") as client:
        yield branch, client


async def _yes(client: httpx2.AsyncClient, approval: dict[str, Any]) -> httpx2.Response:
    body = {"approve": True, "digest": approval["digest"]}
    return await client.post(f"/agent/approvals/{approval['approval_id']}/decision", json=body)


async def _status(client: httpx2.AsyncClient, job_id: str) -> dict[str, Any]:
    told: dict[str, Any] = (await client.get(f"/agent/status/{job_id}")).json()
    return told


async def test_case_48_arguments_that_do_not_fit_any_more_are_an_error_and_the_new_call_is_asked_for_anew(database: AsyncEngine) -> None:
    job_id, shown = await _waits(database)
    async with _upgraded(database, CURRENCY) as (branch, client):
        assert (await _yes(client, shown)).status_code == 200
        await branch.waits(job_id)
        again = await approval_of(client, job_id)
        assert (again["show"], branch.paid) == ({"to": "bob", "cents": 5, "currency": "CHF"}, [])
        assert again["digest"] != shown["digest"]
        await _yes(client, again)
        await branch.ended(job_id)
        assert (await _status(client, job_id))["response"] == "Done: paid 5 CHF to bob"
    assert branch.paid == ["bob 5 CHF"]


async def test_case_48_a_yes_to_a_declaration_that_has_changed_is_asked_for_again(database: AsyncEngine) -> None:
    job_id, shown = await _waits(database)
    async with _upgraded(database, NOTE) as (branch, client):
        assert (await _yes(client, shown)).status_code == 200
        await branch.waits(job_id)
        assert branch.paid == []
        await _yes(client, await approval_of(client, job_id))
        await branch.ended(job_id)
    assert branch.paid == ["bob 5"]


async def test_case_48_a_tool_that_is_gone_is_an_error_result_and_the_session_goes_on(database: AsyncEngine) -> None:
    job_id, shown = await _waits(database)
    async with _upgraded(database, NONE) as (branch, client):
        await _yes(client, shown)
        await branch.ended(job_id)
        told = await _status(client, job_id)
        assert (told["status"], "There is no tool 'pay'" in told["response"]) == ("COMPLETE", True)
        later = await invoke(client, "hello")
        await branch.ended(later)
        assert (await _status(client, later))["response"] == "You said: hello"
    assert branch.paid == []


async def test_case_48_a_tool_with_another_name_is_another_tool_with_an_approval_of_its_own(database: AsyncEngine) -> None:
    job_id, shown = await _waits(database)
    async with _upgraded(database, RENAMED) as (branch, client):
        await _yes(client, shown)
        await branch.waits(job_id)
        again = await approval_of(client, job_id)
        assert (again["tool"], branch.paid) == ("send_money", [])
        await _yes(client, again)
        await branch.ended(job_id)
    assert branch.paid == ["sent bob 5"]


async def test_a_yes_counts_under_a_version_in_which_the_agent_is_the_same(database: AsyncEngine) -> None:
    job_id, shown = await _waits(database)
    async with _upgraded(database, V1) as (branch, client):
        await _yes(client, shown)
        await branch.ended(job_id)
        assert (await _status(client, job_id))["response"] == "Done: paid 5 to bob"
    assert branch.paid == ["bob 5"]


async def test_after_any_change_of_the_agent_what_was_open_is_asked_for_again(database: AsyncEngine) -> None:
    job_id, shown = await _waits(database)
    async with _upgraded(database, WORDS) as (branch, client):
        await _yes(client, shown)
        await branch.waits(job_id)
        assert branch.paid == []
        await _yes(client, await approval_of(client, job_id))
        await branch.ended(job_id)
    assert branch.paid == ["bob 5"]


async def test_a_yes_that_was_said_while_nothing_ran_is_judged_by_the_new_version(database: AsyncEngine) -> None:
    job_id, shown = await _waits(database)
    async with opened(database, agent=V1, start=False) as branch, branch.client("alice") as client:
        assert (await _yes(client, shown)).status_code == 200
    async with _upgraded(database, CURRENCY) as (branch, client):
        await branch.waits(job_id)
        assert (await approval_of(client, job_id))["show"]["currency"] == "CHF"
    assert branch.paid == []


@pytest.mark.parametrize(
    "version", [CURRENCY, NOTE, NONE, RENAMED, WORDS, OTHER_AGENT], ids=["required", "optional", "gone", "renamed", "words", "agent"]
)
async def test_case_48_the_session_opens_under_every_version(version: Callable[[], Agent], database: AsyncEngine) -> None:
    job_id, _ = await _waits(database)
    async with _upgraded(database, version) as (branch, client):
        assert (await client.get("/agent/sessions/s1")).status_code == 200
        assert (await _status(client, job_id))["status"] == "INPUT_REQUIRED"
        assert await invoke(client, "no, leave it") == job_id  # a word instead of a yes goes into the run that waits
        await branch.ended(job_id)
        assert (await client.get("/agent/sessions/s1")).json()["messages"]
        later = await invoke(client, "hello")
        await branch.ended(later)
        assert (await _status(client, later))["response"] == "You said: hello"
    assert branch.paid == []


async def test_case_48_a_field_that_only_a_newer_version_knows_shuts_no_session(database: AsyncEngine) -> None:
    async def written_by_a_newer_one(connection: AsyncConnection) -> None:
        history = (await connection.execute(select(sessions.c.history))).scalar_one()
        history[0] |= {"mood": "glad"}
        history[0]["said"][0] |= {"language": "de"}
        await connection.execute(update(sessions).values(history=history))

    async with opened(database) as branch, branch.client("alice") as client:
        await branch.ended(await invoke(client, "hello"))
        await write(database, written_by_a_newer_one)
        shown = (await client.get("/agent/sessions/s1")).json()
        later = await invoke(client, "again")
        await branch.ended(later)
        assert (await _status(client, later))["response"] == "You said: again"
    assert [message["content"] for message in shown["messages"]] == ["hello", "You said: hello"]
    assert len(branch.model.requests[-1].messages) == 3
