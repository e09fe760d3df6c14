"""Case 71: nobody gets at what is somebody else's. All routes are walked: a new one fails here until somebody has thought about it."""

from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from fastapi.routing import iter_route_contexts
from sqlalchemy.ext.asyncio import AsyncEngine

from handrail.errors import InputError
from handrail.service import App, find_apps
from handrail.service.app import OPEN_ROUTES, make_app, open_paths
from handrail.service.auth.gate import open_to_all
from handrail.service.pages import OPEN_PAGES
from handrail.testing import ScriptedModel
from tests.service import kit
from tests.service.branch import Branch, approval_of, invoke, opened

GREETER = App(
    name="greeter",
    summary="Greets.",
    agent=kit.greeter,
    deps=kit.deps,
    routes="tests.service.kit",
    open_routes={"/greeter/greet": "a test"},
)
PROTECTED = {
    ("POST", "/agent/invoke"),
    ("GET", "/agent/status/{job_id}"),
    ("GET", "/agent/warmup"),
    ("GET", "/agent/sessions"),
    ("GET", "/agent/sessions/{session_id}"),
    ("POST", "/agent/sessions/{session_id}/hop"),
    ("GET", "/agent/apps"),
    ("GET", "/agent/apps/{app}"),
    ("GET", "/agent/apps/{app}/check"),
    ("GET", "/agent/fleet"),
    ("GET", "/agent/jobs"),
    ("GET", "/agent/jobs/{job_id}/events"),
    ("POST", "/agent/jobs/{job_id}/messages"),
    ("POST", "/agent/jobs/{job_id}/cancel"),
    ("POST", "/agent/jobs/{job_id}/land"),
    ("POST", "/agent/jobs/{job_id}/retry"),
    ("GET", "/agent/jobs/{job_id}/calls"),
    ("POST", "/agent/jobs/{job_id}/calls/{call_id}/start"),
    ("POST", "/agent/jobs/{job_id}/calls/{call_id}/result"),
    ("GET", "/agent/approvals"),
    ("GET", "/agent/approvals/{approval_id}"),
    ("POST", "/agent/approvals/{approval_id}/decision"),
    ("GET", "/me"),
    ("GET", "/metrics"),
    ("POST", "/sign-out"),
    ("GET", "/v1/models"),
    ("GET", "/v1/models/{model_id}"),
    ("POST", "/v1/chat/completions"),
    ("POST", "/v1/audio/transcriptions"),
    ("POST", "/v1/audio/speech"),
    ("POST", "/mcp"),
    ("POST", "/mcp/{app}"),
    ("POST", "/greeter/break"),
}


MAKES_ITS_SESSION = "/agent/sessions/{session_id}/hop"
"""A session that is not there is made by it; that somebody else's is not found is in test_hops.py."""


def walked(branch: Branch) -> Iterator[tuple[str, str]]:
    for route in iter_route_contexts(branch.service.routes):
        for method in sorted(route.methods or ()):
            yield method, str(route.path)


def filled(path: str, ids: dict[str, str]) -> str:
    for name, value in ids.items():
        path = path.replace("{" + name + "}", value)
    assert "{" not in path, f"the walk knows no example for {path}"
    return path


BODIES: dict[str, Any] = {
    "/agent/invoke": {"session_id": "s1", "message": "give it to me"},
    "/agent/jobs/{job_id}/messages": {"message": "pay 9 to mallory"},
    "/agent/approvals/{approval_id}/decision": {"approve": True},
    "/agent/jobs/{job_id}/calls/{call_id}/result": {"content": "forged"},
}


def _code(answer: httpx2.Response) -> str:
    """The word for programs, wherever the path's protocol has it."""
    body = answer.json()
    error = body.get("error", body)
    code: str = error["data"]["code"] if "jsonrpc" in body else error["code"]
    return code


async def test_case_71_every_route_asks_for_a_key_but_for_those_on_the_list(database: AsyncEngine) -> None:
    async with opened(database, apps=[GREETER], start=False) as branch, branch.stranger() as client:
        known = open_paths([GREETER])
        routes = set(walked(branch))
        assert {path for _, path in routes} >= set(known), "an open path that is no route"
        assert {(method, path) for method, path in routes if path not in known} == PROTECTED
        ids = dict.fromkeys(("job_id", "session_id", "approval_id", "model_id", "call_id", "name", "app"), "x1")
        for method, path in sorted(PROTECTED):
            for headers in ({}, {"Authorization": "Bearer hrk_000000000000_x"}, {"X-API-Key": ""}, {"Cookie": "handrail=x.y"}):
                # Neither a body that is no JSON nor one that fits changes the answer.
                for content in (b"{", b"{}"):
                    answer = await client.request(method, filled(path, ids), content=content, headers=headers)
                    assert (answer.status_code, _code(answer)) == (401, "unauthorized"), (method, path, headers)
                    assert answer.headers["www-authenticate"] == "Bearer"


async def test_case_71_a_stranger_does_not_learn_what_there_is(database: AsyncEngine) -> None:
    async with opened(database, apps=[GREETER], start=False) as branch, branch.stranger() as client:
        for path in ("/nowhere", "/agent/nothing", "/healthz/", "/HEALTHZ", "/greeter/greet/", "/sign-in/x", "/panel/"):
            assert (await client.get(path)).status_code == 401, path


async def test_case_71_what_is_somebody_elses_looks_like_what_is_not_there(branch: Branch) -> None:
    async with branch.client("alice") as alice, branch.client("mallory") as mallory:
        job_id = await invoke(alice, "pay 5 to bob")
        await branch.waits(job_id)
        theirs = {
            "job_id": job_id,
            "session_id": "s1",
            "approval_id": (await approval_of(alice, job_id))["approval_id"],
            "model_id": "x",
            "call_id": "t1c1",
            "name": "x.js",
            "app": "x",
        }
        nothing = {
            "job_id": "job_" + "0" * 32,
            "session_id": "s0",
            "approval_id": "apr_" + "0" * 32,
            "model_id": "y",
            "call_id": "t1c1",
            "name": "x.js",
            "app": "x",
        }
        looked = 0
        for method, path in walked(branch):
            if "{" not in path or path == MAKES_ITS_SESSION:
                continue
            answers = [await mallory.request(method, filled(path, ids), json=BODIES.get(path)) for ids in (theirs, nothing)]
            assert [answer.status_code for answer in answers] == [404, 404], (method, path)
            assert answers[0].content == answers[1].content, (method, path)
            looked += 1
        assert looked == 17
        assert (await mallory.get("/agent/sessions")).json() == {"sessions": []}
        assert (await mallory.get("/agent/approvals")).json() == {"approvals": []}
        assert (await alice.get(f"/agent/status/{job_id}")).json()["status"] == "INPUT_REQUIRED"
    assert branch.paid == []


async def test_case_71_nobody_goes_on_with_somebody_elses_session(branch: Branch) -> None:
    async with branch.client("alice") as alice, branch.client("mallory") as mallory:
        await branch.ended(await invoke(alice, "my code is 1234"))
        refused = await mallory.post("/agent/invoke", json=BODIES["/agent/invoke"])
        assert (refused.status_code, refused.json()["code"]) == (404, "not_found")
        assert len((await alice.get("/agent/sessions/s1")).json()["jobs"]) == 1


async def test_case_71_nobody_acts_for_somebody_else_without_the_scope_for_it(branch: Branch) -> None:
    async with branch.client("alice") as alice, branch.client("mallory") as mallory:
        await branch.ended(await invoke(alice, "hello"))
        for user in ("alice", "nobody"):
            asked = await mallory.post("/agent/invoke", json={"session_id": "s9", "user_id": user, "message": "hello"})
            listed = await mallory.get("/agent/sessions", params={"user_id": user})
            acted = await mallory.get("/agent/sessions/s1", headers={"X-Act-As": user})
            assert [answer.status_code for answer in (asked, listed, acted)] == [404, 404, 404]
            assert "scope act-as" in asked.json()["detail"] and user not in asked.text + listed.text + acted.text


async def test_a_services_key_acts_for_several_users_and_says_which(branch: Branch) -> None:
    async with branch.client("panel", "act-as") as panel, branch.client("alice") as alice:
        job_id = await invoke(panel, "pay 5 to bob", user_id="alice")
        await branch.waits(job_id)
        as_alice = {"X-Act-As": "alice"}
        assert (await panel.get(f"/agent/status/{job_id}")).status_code == 404
        assert (await panel.get(f"/agent/status/{job_id}", headers=as_alice)).status_code == 200
        assert (await panel.get("/agent/sessions", params={"user_id": "alice"})).json()["sessions"][0]["session_id"] == "s1"
        assert (await panel.get("/me", headers=as_alice)).json()["user_id"] == "alice"
        approval = (await panel.get("/agent/approvals", headers=as_alice)).json()["approvals"][0]
        decided = await panel.post(f"/agent/approvals/{approval['approval_id']}/decision", json={"approve": False}, headers=as_alice)
        assert decided.json()["decided_by"].startswith("alice (key ")
        assert (await alice.get(f"/agent/status/{job_id}")).status_code == 200
        malformed = await panel.get("/me", headers=httpx2.Headers([(b"X-Act-As", "Zoë".encode())]))
        assert (malformed.status_code, malformed.json()["errors"][0]["at"]) == (422, "header.X-Act-As")


async def test_a_key_is_taken_in_either_header_and_not_in_two_versions(branch: Branch) -> None:
    alice, bob = await branch.key("alice"), await branch.key("bob")
    accepted: list[list[tuple[str, str]]] = [
        [("Authorization", f"Bearer {alice}")],
        [("Authorization", f"bearer  {alice}")],
        [("X-API-Key", alice)],
        [("X-API-Key", alice), ("Authorization", f"Bearer {alice}")],
    ]
    refused: list[list[tuple[str, str]]] = [
        [("Authorization", alice)],
        [("Authorization", f"Basic {alice}")],
        [("Authorization", "Bearer")],
        [("X-API-Key", f"{alice}x")],
        [("X-API-Key", alice[:-1])],
        [("X-API-Key", alice.upper())],
        [("X-API-Key", "x" * 201)],
        [("X-API-Key", "hrk_\xfc_\xfc")],
        [("X-API-Key", alice), ("Authorization", f"Bearer {bob}")],
        [("X-API-Key", alice), ("X-API-Key", bob)],
    ]
    async with branch.stranger() as client:
        for headers in accepted:
            assert (await client.get("/me", headers=httpx2.Headers(headers))).json()["user_id"] == "alice"
        for headers in refused:
            raw = [(name.encode(), value.encode("latin-1")) for name, value in headers]
            answer = await client.get("/me", headers=httpx2.Headers(raw))
            assert answer.status_code == 401, headers
            assert alice not in answer.text
        assert (await client.get("/me", params={"api_key": alice})).status_code == 401


def test_a_list_that_opens_everything_is_refused() -> None:
    for paths in (["/*"], ["*"], ["healthz"], [""]):
        with pytest.raises(InputError, match="is not all of them"):
            open_to_all(paths)
    below = open_to_all(["/mattermost/*", "/a/{b}"])
    assert [below.has(path) for path in ("/mattermost/x", "/mattermost/x/y", "/mattermost", "/mattermostx", "/a/x", "/a/x/y")] == [
        True,
        True,
        False,
        False,
        True,
        False,
    ]


def test_every_path_without_a_key_has_its_reason() -> None:
    apps = list(find_apps().values())
    known = open_paths(apps)
    assert all(len(reason) > 10 for reason in known.values())
    others = {"/healthz", "/openapi.json", "/readyz", "/sign-in", "/mattermost/command", "/mattermost/action"}
    assert set(OPEN_ROUTES) - set(OPEN_PAGES) == others
    assert set(OPEN_PAGES) == {"/", "/delivery", "/orders", "/panel", "/trips", "/assets/{name}", "/icon.svg"}
    make_app([app for app in apps if app.name != "delivery"], model=ScriptedModel())
    with pytest.raises(InputError, match="ask for no key"):
        make_app(apps, model=ScriptedModel())
