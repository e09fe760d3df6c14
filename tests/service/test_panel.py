"""What the developer panel asks for: apps with their order and check, the user's jobs, and the acts on one."""

from typing import Any

from sqlalchemy.ext.asyncio import AsyncEngine

from handrail import Agent
from handrail.guards import Approval, BaseGuard, CallLimit, JudgedCall, Reading, TurnLimit, guard
from handrail.service import App
from handrail.vocab.verdicts import ALLOW, Verdict
from tests.service.branch import Branch, approval_of, invoke, opened, pay


class Blind(BaseGuard):
    """It reads what it does not declare."""

    def judges(self, state: Any, call: Any) -> Verdict:
        assert state.used("pay") >= 0
        return ALLOW


@guard(tool="pay", looks=[])
def never(state: Reading, call: JudgedCall) -> str | None:
    """Nothing is paid on a bank holiday."""
    return "The bank is closed."


def closed() -> Agent:
    return Agent(name="closed", instructions="Pay.", model="m", tools=[pay], guards=[never, TurnLimit(5)])


def blind() -> Agent:
    return Agent(name="blind", instructions="Pay.", model="m", tools=[pay], guards=[Blind(), TurnLimit(5)])


def sound() -> Agent:
    return Agent(name="sound", instructions="Pay.", model="m", tools=[pay], guards=[Approval("pay"), CallLimit("pay", 1), TurnLimit(5)])


APPS = [App(name=make.__name__, summary="A test.", agent=make) for make in (sound, closed, blind)]


async def test_an_apps_tools_guards_and_order_are_shown(database: AsyncEngine) -> None:
    async with opened(database, apps=APPS, start=False) as branch, branch.client("alice") as client:
        found = (await client.get("/agent/apps/sound")).json()
    assert found["tools"] == [
        {
            "name": "pay",
            "description": "Pay somebody.",
            "effect": "write",
            "where": "server",
            "submit": False,
            "notes": ["at most 1"],
            "guards": ["Approval(pay)", "CallLimit(pay)"],
        }
    ]
    assert found["edges"] == [{"source": "person", "target": "pay", "relation": "look", "label": ""}]
    assert (found["guards"], found["limits"]) == (["Approval(pay)", "CallLimit(pay)", "TurnLimit(5)"], ["TurnLimit(5)"])


async def test_what_a_walk_through_a_ring_finds_is_told_with_its_story(database: AsyncEngine) -> None:
    async with opened(database, apps=APPS, start=False) as branch, branch.client("alice") as client:
        good = (await client.get("/agent/apps/sound/check")).json()
        bad = (await client.get("/agent/apps/closed/check")).json()
        unwalked = (await client.get("/agent/apps/blind/check")).json()
        nothing = await client.get("/agent/apps/gone/check")
    assert (good["ok"], good["complete"], good["faults"], good["wrong"]) == (True, True, [], None)
    assert good["states"] > 3 and good["reachable"] == ["pay"] and "turns" in good["longest"]
    assert not bad["ok"] and bad["faults"][0] == "unreachable tool: no run can come to call pay" and bad["story"] and bad["why"]
    assert not unwalked["ok"] and "Blind" in unwalked["wrong"]
    assert (nothing.status_code, nothing.json()["code"]) == (404, "no_app")


async def test_a_users_jobs_are_listed_and_counted_and_nobody_elses(branch: Branch) -> None:
    async with branch.client("alice") as alice, branch.client("bob") as bob:
        first = await invoke(alice, "hello")
        await branch.ended(first)
        second = await invoke(alice, "pay 5 to bob", session="s2")
        await branch.waits(second)
        listed = (await alice.get("/agent/jobs")).json()["jobs"]
        waiting = (await alice.get("/agent/jobs", params={"status": "INPUT_REQUIRED"})).json()["jobs"]
        fleet = (await alice.get("/agent/fleet")).json()
        assert (await bob.get("/agent/jobs")).json() == {"jobs": []}
        assert set((await bob.get("/agent/fleet")).json()["jobs"].values()) == {0}
    assert {job["job_id"] for job in listed} == {first, second}
    assert [(job["job_id"], job["session_id"], job["app"]) for job in waiting] == [(second, "s2", "bank")]
    assert (fleet["engine"], fleet["runs_here"], fleet["workers"]) == ("embedded", True, None)
    assert {status: many for status, many in fleet["jobs"].items() if many} == {"COMPLETE": 1, "INPUT_REQUIRED": 1}


async def test_a_job_that_has_ended_can_be_asked_again_and_one_that_has_not_cannot(branch: Branch) -> None:
    async with branch.client("alice") as alice:
        first = await invoke(alice, "pay 5 to bob")
        await branch.waits(first)
        refused = await alice.post(f"/agent/jobs/{first}/retry")
        assert (refused.status_code, refused.json()["code"]) == (409, "phase")
        await alice.post(f"/agent/jobs/{first}/cancel")
        await branch.ended(first)
        again = await alice.post(f"/agent/jobs/{first}/retry")
        assert (again.status_code, again.json()["retry_of"], again.json()["message"]) == (202, first, "pay 5 to bob")
        await branch.waits(again.json()["job_id"])
    assert branch.paid == []


async def test_a_run_can_be_told_to_land_until_it_has_ended(branch: Branch) -> None:
    async with branch.client("alice") as alice:
        job_id = await invoke(alice, "pay 5 to bob")
        await branch.waits(job_id)
        landed = await alice.post(f"/agent/jobs/{job_id}/land")
        assert landed.status_code == 202
        await branch.ended(job_id)
        too_late = await alice.post(f"/agent/jobs/{job_id}/land")
    assert (too_late.status_code, too_late.json()["code"]) == (409, "phase")
    assert branch.paid == []


async def test_an_approval_can_be_looked_at_by_its_owner(branch: Branch) -> None:
    async with branch.client("alice") as alice, branch.client("mallory") as mallory:
        job_id = await invoke(alice, "pay 5 to bob")
        await branch.waits(job_id)
        approval = await approval_of(alice, job_id)
        path = f"/agent/approvals/{approval['approval_id']}"
        assert (await alice.get(path)).json() == approval
        assert (await mallory.get(path)).status_code == 404
        await alice.post(f"{path}/decision", json={"approve": False})
        assert (await alice.get(path)).json()["status"] == "refused"
