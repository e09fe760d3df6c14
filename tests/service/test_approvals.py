"""A yes or a no over HTTP: the first decision stands, only those decide who may, and only `true` is a yes."""

import asyncio
from datetime import timedelta
from typing import Any

import httpx2
import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from handrail.errors import InputError
from handrail.service.auth.approvers import Approvers
from tests.service.branch import Branch, approval_of, invoke, opened, teller


async def _waiting(branch: Branch, client: httpx2.AsyncClient, message: str = "pay 5 to bob") -> tuple[str, str]:
    """A job that waits for a yes, and where to say it."""
    job_id = await invoke(client, message)
    await branch.waits(job_id)
    return job_id, f"/agent/approvals/{(await approval_of(client, job_id))['approval_id']}/decision"


async def test_an_approval_shows_what_a_yes_is_bound_to(branch: Branch) -> None:
    async with branch.client("alice") as client:
        job_id, _ = await _waiting(branch, client)
        shown = await approval_of(client, job_id)
    assert {name: shown[name] for name in ("job_id", "session_id", "user_id", "tool", "arguments", "show", "status", "decided_by")} == {
        "job_id": job_id,
        "session_id": "s1",
        "user_id": "alice",
        "tool": "pay",
        "arguments": '{"cents":5,"to":"bob"}',
        "show": {"to": "bob", "cents": 5},
        "status": "pending",
        "decided_by": None,
    }
    assert shown["digest"] and shown["expires_at"] == "2026-01-01T13:00:00Z"


async def test_case_51_the_first_decision_stands_and_whoever_comes_later_gets_it(branch: Branch) -> None:
    async with branch.client("alice") as client:
        job_id, place = await _waiting(branch, client)
        first = await client.post(place, json={"approve": True, "comment": "as agreed"})
        again = await client.post(place, json={"approve": True, "comment": "really"})
        other = await client.post(place, json={"approve": False})
        await branch.ended(job_id)
        after = await client.post(place, json={"approve": True})
    assert (first.status_code, again.status_code, after.status_code) == (200, 200, 200)
    assert first.json() == again.json() == after.json()
    assert (first.json()["status"], first.json()["decided_by"], first.json()["comment"]) == ("approved", "alice", "as agreed")
    assert (other.status_code, other.json()["code"], other.json()["approval"]) == (409, "twice", first.json())
    assert branch.paid == ["bob 5"]


async def test_case_51_of_yes_and_no_at_the_same_moment_one_wins(branch: Branch) -> None:
    async with branch.client("alice") as client:
        job_id, place = await _waiting(branch, client)
        answers = await asyncio.gather(*(client.post(place, json={"approve": approve}) for approve in (True, False) * 4))
        await branch.ended(job_id)
    assert sorted(answer.status_code for answer in answers) == [200] * 4 + [409] * 4
    recorded = {answer.json()["status"] if answer.status_code == 200 else answer.json()["approval"]["status"] for answer in answers}
    assert len(recorded) == 1
    assert branch.paid == (["bob 5"] if recorded == {"approved"} else [])


@pytest.mark.parametrize(
    "body", [{}, {"approve": None}, {"approve": "true"}, {"approve": 1}, {"approve": "yes"}, {"approve": {}}, {"approved": True}]
)
async def test_only_true_is_a_yes(body: dict[str, Any], branch: Branch) -> None:
    async with branch.client("alice") as client:
        job_id, place = await _waiting(branch, client)
        answer = await client.post(place, json=body)
        assert answer.status_code == 422
        assert (await approval_of(client, job_id))["status"] == "pending"
    assert branch.paid == []


async def test_case_52_a_late_yes_runs_nothing(branch: Branch) -> None:
    async with branch.client("alice") as client:
        job_id, place = await _waiting(branch, client)
        branch.clock.advance(timedelta(hours=1).total_seconds())  # exactly now
        late = await client.post(place, json={"approve": True})
        await branch.ended(job_id)
        afterwards = await client.post(place, json={"approve": True})
    for answer in (late, afterwards):
        assert (answer.status_code, answer.json()["code"], answer.json()["detail"]) == (
            410,
            "expired",
            "This has expired. Nothing was run.",
        )
    assert afterwards.json()["approval"]["status"] == "expired"
    assert branch.paid == []


async def test_case_52_an_expiry_counts_while_nobody_runs_anything(database: AsyncEngine) -> None:
    async with opened(database) as branch, branch.client("alice") as client:
        job_id, place = await _waiting(branch, client)
        await branch.running.engine.stop()
        branch.clock.advance(3_600)
        answer = await client.post(place, json={"approve": True})
        assert (answer.status_code, answer.json()["code"]) == (410, "expired")
        assert (await client.get(f"/agent/status/{job_id}")).json()["status"] == "INPUT_REQUIRED"


async def test_a_yes_to_what_the_run_does_not_wait_for_any_more_is_stale(branch: Branch) -> None:
    async with branch.client("alice") as client:
        job_id, place = await _waiting(branch, client)
        await client.post(f"/agent/jobs/{job_id}/messages", json={"message": "pay 6 to carol"})
        await branch.waits(job_id, times=2)
        stale = await client.post(place, json={"approve": True})
    assert (stale.status_code, stale.json()["code"], stale.json()["approval"]["status"]) == (412, "hold", "withdrawn")
    assert branch.paid == []


async def test_a_yes_to_something_else_than_was_shown_is_stale(branch: Branch) -> None:
    async with branch.client("alice") as client:
        job_id, place = await _waiting(branch, client)
        stale = await client.post(place, json={"approve": True, "digest": "0" * 32})
        assert (stale.status_code, stale.json()["code"]) == (412, "digest")
        shown = await approval_of(client, job_id)
        assert (await client.post(place, json={"approve": True, "digest": shown["digest"]})).status_code == 200


async def test_a_no_is_told_to_the_model_with_its_reason(branch: Branch) -> None:
    async with branch.client("alice") as client:
        job_id, place = await _waiting(branch, client)
        await client.post(place, json={"approve": False, "comment": "wrong account"})
        await branch.ended(job_id)
        assert "wrong account" in (await client.get(f"/agent/status/{job_id}")).json()["response"]
    assert branch.paid == []


async def test_case_61_with_named_approvers_nobody_else_decides_and_the_approval_stays_open(database: AsyncEngine) -> None:
    async with opened(database, approvers="boss, carol") as branch, branch.client("alice") as alice, branch.client("boss") as boss:
        job_id, place = await _waiting(branch, alice)
        own = await alice.post(place, json={"approve": True})
        assert (own.status_code, own.json()["code"]) == (403, "no_approver")
        async with branch.client("dave") as dave, branch.client("bot", "act-as") as bot, branch.stranger() as nobody:
            assert (await dave.post(place, json={"approve": True})).status_code == 404
            assert (await bot.post(place, json={"approve": True})).status_code == 404
            assert (await bot.post(place, json={"approve": True}, headers={"X-Act-As": "alice"})).status_code == 403
            assert (await dave.post(place, json={"approve": True, "by": "boss"})).status_code == 422
            assert (await dave.get("/agent/approvals", params={"whose": "everybody"})).status_code == 403
            assert (await nobody.post(place, json={"approve": True})).status_code == 401
        assert (await approval_of(alice, job_id))["status"] == "pending"
        listed = (await boss.get("/agent/approvals", params={"whose": "everybody", "status": "pending"})).json()["approvals"]
        assert [approval["job_id"] for approval in listed] == [job_id]
        decided = await boss.post(place, json={"approve": True})
        assert (decided.status_code, decided.json()["decided_by"]) == (200, "boss")
        await branch.ended(job_id)
    assert branch.paid == ["bob 5"]


async def test_case_61_an_empty_list_is_nobody(database: AsyncEngine) -> None:
    async with opened(database, approvers="") as branch, branch.client("alice") as alice:
        _, place = await _waiting(branch, alice)
        assert (await alice.post(place, json={"approve": True})).status_code == 403


def test_a_name_that_cannot_be_a_users_is_no_approver() -> None:
    with pytest.raises(InputError, match=r"^HANDRAIL_APPROVERS: 'Zoë' cannot be a user's name"):
        Approvers("owner, Zoë")


async def test_an_approval_that_never_came_is_not_there(branch: Branch) -> None:
    async with branch.client("alice") as client:
        assert (await client.post("/agent/approvals/apr_x/decision", json={"approve": True})).status_code == 404
        assert (await client.get("/agent/approvals", params={"status": "maybe"})).status_code == 422


def test_the_teller_asks_before_it_pays() -> None:
    assert teller().guards[0].name == "Approval(pay)"
