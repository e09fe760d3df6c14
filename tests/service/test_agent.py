"""Asking an agent over HTTP, and looking how it goes."""

import asyncio
import json
from datetime import datetime
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from handrail.core.events import ToolReturned
from handrail.engines.embedded import EmbeddedEngine
from handrail.ports import Clock
from handrail.service import App
from tests.service import kit
from tests.service.branch import LONGEST, Branch, approval_of, invoke, opened

BODY = {"session_id": "0b8ff9c6-8be5-4a4e-9d1c-0c4d1a7c5f5e", "user_id": "alice", "message": "hello"}


async def test_a_message_is_taken_on_at_once_and_answered_when_it_is(branch: Branch) -> None:
    async with branch.client("alice") as client:
        taken = await client.post("/agent/invoke", json=BODY)
        assert taken.status_code == 202
        job_id = taken.json()["job_id"]
        assert taken.json() == {"job_id": job_id, "session_id": BODY["session_id"], "status": "PENDING"}
        assert (taken.headers["location"], taken.headers["retry-after"]) == (f"/agent/status/{job_id}", "1")
        await branch.ended(job_id)
        status = (await client.get(f"/agent/status/{job_id}")).json()
    assert {name: status[name] for name in ("status", "response", "history_limit", "user_id", "app", "waiting_for", "retry_of")} == {
        "status": "COMPLETE",
        "response": "You said: hello",
        "history_limit": 100_000,
        "user_id": "alice",
        "app": "bank",
        "waiting_for": [],
        "retry_of": None,
    }
    assert status["history_tokens"] > 0 and status["outcome"]["status"] == "completed"
    assert job_id.startswith("job_") and status["created_at"].endswith("Z")


async def test_no_model_is_called_before_the_answer(database: AsyncEngine) -> None:
    async with opened(database, start=False) as branch, branch.client("alice") as client:
        job_id = await invoke(client, "hello")
        assert (await client.get(f"/agent/status/{job_id}")).json()["status"] == "PENDING"
        assert branch.model.requests == []


async def test_the_users_name_may_be_left_away(branch: Branch) -> None:
    async with branch.client("alice") as client:
        job_id = await invoke(client, "hello")
        assert (await client.get(f"/agent/status/{job_id}")).json()["user_id"] == "alice"


async def test_a_status_that_was_seen_is_not_sent_again(branch: Branch) -> None:
    async with branch.client("alice") as client:
        job_id = await invoke(client, "wait")
        async with asyncio.timeout(LONGEST):
            await branch.model.asked.wait()
        first = await client.get(f"/agent/status/{job_id}")
        tag = first.headers["etag"]
        for seen in (tag, f"W/{tag}", f'"other", {tag}', "*"):
            again = await client.get(f"/agent/status/{job_id}", headers={"If-None-Match": seen})
            assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
        branch.model.go_on.set()
        await branch.ended(job_id)
        changed = await client.get(f"/agent/status/{job_id}", headers={"If-None-Match": tag})
        assert changed.status_code == 200 and changed.headers["etag"] != tag


async def test_a_run_that_waits_says_for_what_and_takes_a_message_to_its_session(branch: Branch) -> None:
    async with branch.client("alice") as client:
        job_id = await invoke(client, "pay 5 to bob")
        await branch.waits(job_id)
        status = (await client.get(f"/agent/status/{job_id}")).json()
        approval = await approval_of(client, job_id)
        assert status["status"] == "INPUT_REQUIRED"
        assert [(hold["kind"], hold["tool"], hold["show"], hold["approval_id"]) for hold in status["waiting_for"]] == [
            ("approval", "pay", {"to": "bob", "cents": 5}, approval["approval_id"])
        ]
        assert await invoke(client, "leave it") == job_id
        await branch.ended(job_id)
        assert (await client.get(f"/agent/status/{job_id}")).json()["response"] == "You said: leave it"
    assert branch.paid == []


async def test_what_was_said_before_is_the_servers_and_the_next_run_begins_with_it(branch: Branch) -> None:
    async with branch.client("alice") as client:
        for message in ("one", "two"):
            await branch.ended(await invoke(client, message))
        session = (await client.get("/agent/sessions/s1")).json()
    assert [(each["role"], each["content"]) for each in session["messages"]] == [
        ("user", "one"),
        ("assistant", "You said: one"),
        ("user", "two"),
        ("assistant", "You said: two"),
    ]
    assert len(session["jobs"]) == 2 and session["messages_before"] == 0
    assert len(branch.model.requests[-1].messages) == 3


async def test_sessions_are_listed_most_recent_first(branch: Branch) -> None:
    async with branch.client("alice") as client:
        for session in ("a", "b", "c"):
            await branch.ended(await invoke(client, "hello", session=session))
            branch.clock.advance(1)
        await branch.ended(await invoke(client, "again", session="a"))
        listed = (await client.get("/agent/sessions", params={"user_id": "alice"})).json()
    assert [row["session_id"] for row in listed["sessions"]] == ["a", "c", "b"]


async def test_warming_up_opens_the_way_to_the_database(branch: Branch) -> None:
    async with branch.client("alice") as client:
        assert (await client.get("/agent/warmup")).json() == {"status": "warm"}


async def test_something_is_said_into_a_run_and_it_is_cancelled(branch: Branch) -> None:
    async with branch.client("alice") as client:
        job_id = await invoke(client, "pay 5 to bob")
        await branch.waits(job_id)
        said = await client.post(f"/agent/jobs/{job_id}/messages", json={"message": "pay 6 to carol"})
        assert (said.status_code, said.headers["retry-after"]) == (202, "1")
        await branch.waits(job_id, times=2)
        assert (await approval_of(client, job_id))["show"] == {"to": "carol", "cents": 6}
        assert (await client.post(f"/agent/jobs/{job_id}/cancel")).status_code == 202
        await branch.ended(job_id)
        assert (await client.get(f"/agent/status/{job_id}")).json()["status"] == "CANCELLED"
        again = await client.post(f"/agent/jobs/{job_id}/cancel")
        assert (again.status_code, again.json()["status"]) == (202, "CANCELLED")
        late = await client.post(f"/agent/jobs/{job_id}/messages", json={"message": "hello?"})
        assert (late.status_code, late.json()["code"]) == (409, "phase")
    assert branch.paid == []


async def test_the_same_key_and_request_are_one_job(branch: Branch) -> None:
    async with branch.client("alice") as client:
        first, again = [await client.post("/agent/invoke", json=BODY, headers={"Idempotency-Key": "k1"}) for _ in range(2)]
        assert (first.status_code, again.status_code) == (202, 202)
        assert first.json()["job_id"] == again.json()["job_id"]
        other = await client.post("/agent/invoke", json={**BODY, "message": "other"}, headers={"Idempotency-Key": "k1"})
        assert (other.status_code, other.json()["code"]) == (422, "key_reused")
        assert (await client.post("/agent/invoke", json=BODY)).json()["job_id"] != first.json()["job_id"]
    async with branch.client("bob") as client:
        theirs = await client.post("/agent/invoke", json={"session_id": "b", "message": "hi"}, headers={"Idempotency-Key": "k1"})
        assert theirs.status_code == 202


class Held(EmbeddedEngine):
    """An engine that waits in the middle of the transaction that takes a message on."""

    def __init__(self, database: AsyncEngine, *, clock: Clock) -> None:
        super().__init__(database, clock=clock)
        self.asked = asyncio.Event()
        self.go_on = asyncio.Event()

    async def wake(self, connection: AsyncConnection, session_id: str, at: datetime | None = None) -> None:
        self.asked.set()
        await self.go_on.wait()
        await super().wake(connection, session_id, at)


async def test_a_key_whose_request_is_being_taken_on_is_told_so(database: AsyncEngine) -> None:
    headers = {"Idempotency-Key": "k1"}
    async with opened(database, engine=Held) as branch, branch.client("alice") as client, asyncio.timeout(LONGEST):
        engine = branch.running.engine
        assert isinstance(engine, Held)
        first = asyncio.create_task(client.post("/agent/invoke", json=BODY, headers=headers))
        await engine.asked.wait()
        again = await client.post("/agent/invoke", json=BODY, headers=headers)
        engine.go_on.set()
        taken = await first
        assert (again.status_code, again.json()["code"], again.headers["retry-after"]) == (409, "in_flight", "1")
        assert taken.status_code == 202
        later = await client.post("/agent/invoke", json=BODY, headers=headers)
        assert later.json()["job_id"] == taken.json()["job_id"]


async def test_of_several_apps_one_is_named_or_the_sessions_is_taken(database: AsyncEngine) -> None:
    greeter = App(name="greeter", summary="Greets.", agent=kit.greeter)
    async with opened(database, apps=[greeter]) as branch, branch.client("alice") as client:
        body = {"session_id": "s1", "message": "hello"}
        unnamed = await client.post("/agent/invoke", json=body)
        assert (unnamed.status_code, unnamed.json()["code"]) == (404, "no_app")
        assert unnamed.json()["detail"] == "Several apps are served; name one as `app`: bank, greeter."
        unknown = await client.post("/agent/invoke", json={**body, "app": "gone"})
        assert (unknown.status_code, unknown.json()["code"]) == (404, "no_app")
        job_id = await invoke(client, "hello", app="greeter")
        await branch.ended(job_id)
        assert (await client.get(f"/agent/status/{await invoke(client, 'again')}")).json()["app"] == "greeter"
        assert (await client.post("/agent/invoke", json={**body, "app": "bank"})).status_code == 404


@pytest.mark.parametrize(
    "change",
    [
        {"message": ""},
        {"message": " \n\t\u3000\ufeff"},
        {"message": "x" * 32_001},
        {"message": "\ud800"},
        {"message": 5},
        {"message": None},
        {"session_id": ""},
        {"session_id": "a b"},
        {"session_id": "../x"},
        {"session_id": "a/b"},
        {"session_id": "x" * 201},
        {"session_id": "a\x00"},
        {"session_id": 7},
        {"user_id": ""},
        {"user_id": " alice"},
        {"user_id": "Zoë"},
        {"app": "no such app"},
    ],
)
async def test_what_does_not_fit_is_refused_by_its_place(change: dict[str, Any], database: AsyncEngine) -> None:
    async with opened(database, start=False) as branch, branch.client("alice") as client:
        # json of the standard library: it writes half of a pair as an escape, as a client may.
        answer = await client.post("/agent/invoke", content=json.dumps({**BODY, **change}), headers={"Content-Type": "application/json"})
        assert answer.status_code == 422, answer.text
        assert answer.json()["errors"][0]["at"] == f"body.{next(iter(change))}"
        assert (await client.get("/agent/sessions")).json() == {"sessions": []}


@pytest.mark.parametrize(
    "session_id", ["0b8ff9c6-8be5-4a4e-9d1c-0c4d1a7c5f5e", "-aZ09_~.", "mattermost:team:channel", "a" * 200, "eyJhbGciOiJIUzI1NiJ9.e30=.x"]
)
async def test_any_uuid_or_token_is_a_session(session_id: str, branch: Branch) -> None:
    async with branch.client("alice") as client:
        await invoke(client, "hello", session=session_id)
        assert (await client.get(f"/agent/sessions/{session_id}")).json()["session_id"] == session_id


async def test_text_that_no_database_keeps_is_shown_as_such(branch: Branch) -> None:
    async with branch.client("alice") as client:
        job_id = await invoke(client, "a\x00b")
        await branch.ended(job_id)
        status = (await client.get(f"/agent/status/{job_id}")).json()
    assert (status["message"], status["response"]) == ("a\ufffdb", "You said: a\ufffdb")


async def test_an_approved_call_runs_once_and_the_answer_comes(branch: Branch) -> None:
    async with branch.client("alice") as client:
        job_id = await invoke(client, "pay 5 to bob")
        await branch.waits(job_id)
        approval = await approval_of(client, job_id)
        decided = await client.post(f"/agent/approvals/{approval['approval_id']}/decision", json={"approve": True})
        assert decided.status_code == 200
        await branch.until(job_id, ToolReturned)
        await branch.ended(job_id)
        assert (await client.get(f"/agent/status/{job_id}")).json()["response"] == "Done: paid 5 to bob"
    assert branch.paid == ["bob 5"]
