"""What the user's browser does for a run: calls handed out once, and results that count once (cases 63, 64, 68)."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import httpx2
from sqlalchemy.ext.asyncio import AsyncEngine

from handrail import Agent, tool
from handrail.core.events import CallCleared, RunFinished, ToolFailed, ToolReturned, ToolStarted, TurnOpened
from handrail.ports import OnDelta
from handrail.service.client_calls import LONGEST_RESULT
from handrail.testing import calls, says
from handrail.vocab.messages import ToolMessage
from handrail.vocab.requests import ModelAnswer, ModelRequest
from tests.service.branch import Branch, invoke, opened

SECONDS = 60.0


@tool(effect="read", where="client", timeout=SECONDS)
async def open_page(path: str) -> str:
    """Open a page in the user's browser, and read it.

    Args:
        path: where.
    """
    raise AssertionError("this runs in the browser")


@tool(effect="write", where="client", timeout=SECONDS)
async def fill_in(field: str, value: str) -> str:
    """Fill in a field in the user's browser.

    Args:
        field: which.
        value: with what.
    """
    raise AssertionError("this runs in the browser")


def surfer() -> Agent:
    return Agent(name="surfer", instructions="Use the browser.", model="m", tools=[open_page, fill_in])


class Surfing:
    """A branch whose agent asks the browser for what it is told to, and says what came of it; with Alice's client."""

    def __init__(self, branch: Branch, alice: httpx2.AsyncClient) -> None:
        self.branch = branch
        self.alice = alice
        self.asked = 0
        branch.model.reply = self.reply  # type: ignore[method-assign]  # another model for this branch
        self.wanted: list[tuple[str, dict[str, str]]] = [("open_page", {"path": "/a"}), ("open_page", {"path": "/b"})]

    async def reply(self, request: ModelRequest, *, on_delta: OnDelta | None = None) -> ModelAnswer:
        self.asked += 1
        came = [message.content for message in request.messages if isinstance(message, ToolMessage)]
        return says(" | ".join(came)) if came else calls(*self.wanted)

    async def begun(self) -> str:
        """A job whose calls wait for the browser."""
        job_id = await invoke(self.alice, "look around")
        await self.branch.until(job_id, CallCleared, times=len(self.wanted))
        return job_id

    async def waiting(self, job_id: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = (await self.alice.get(f"/agent/jobs/{job_id}/calls")).json()["calls"]
        return found

    async def start(self, job_id: str, call: str) -> tuple[int, dict[str, Any]]:
        answer = await self.alice.post(f"/agent/jobs/{job_id}/calls/{call}/start")
        return answer.status_code, answer.json()

    async def result(self, job_id: str, call: str, **body: Any) -> int:
        answer = await self.alice.post(f"/agent/jobs/{job_id}/calls/{call}/result", json=body)
        return answer.status_code

    async def response(self, job_id: str) -> str | None:
        await self.branch.ended(job_id)
        return (await self.branch.running.desk.job("alice", job_id)).response


@asynccontextmanager
async def _surfing(database: AsyncEngine) -> AsyncIterator[Surfing]:
    async with opened(database, agent=surfer) as branch, branch.client("alice") as alice:
        yield Surfing(branch, alice)


async def test_the_calls_that_wait_for_the_browser_are_told_with_what_it_needs(database: AsyncEngine) -> None:
    async with _surfing(database) as surfing:
        job_id = await surfing.begun()
        deadline = (surfing.branch.clock.now() + timedelta(seconds=SECONDS)).isoformat().replace("+00:00", "Z")
        assert await surfing.waiting(job_id) == [
            {"call_id": f"t1c{number}", "tool": "open_page", "arguments": f'{{"path":"/{path}"}}', "deadline": deadline, "started": False}
            for number, path in ((1, "a"), (2, "b"))
        ]
        assert (await surfing.alice.get(f"/agent/status/{job_id}")).json()["status"] == "INPUT_REQUIRED"


async def test_case_64_the_run_goes_on_once_all_results_are_in_whatever_their_order(database: AsyncEngine) -> None:
    async with _surfing(database) as surfing:
        job_id = await surfing.begun()
        assert await surfing.result(job_id, "t1c2", content="second") == 202
        await surfing.branch.until(job_id, ToolReturned)
        assert [call["call_id"] for call in await surfing.waiting(job_id)] == ["t1c1"] and surfing.asked == 1
        assert await surfing.result(job_id, "t1c1", content={"first": 1}) == 202
        assert await surfing.response(job_id) == '{"first":1} | second'
        assert surfing.asked == 2 and await surfing.waiting(job_id) == []
        await surfing.branch.until(job_id, TurnOpened, times=2)


async def test_case_64_the_first_result_counts_and_the_same_again_changes_nothing(database: AsyncEngine) -> None:
    async with _surfing(database) as surfing:
        job_id = await surfing.begun()
        for status in (202, 200, 200):
            assert await surfing.result(job_id, "t1c1", content={"b": 1, "a": 2}) == status
        assert await surfing.result(job_id, "t1c1", content={"a": 2, "b": 3}) == 409
        assert await surfing.result(job_id, "t1c1", error="it is not there") == 409
        assert await surfing.result(job_id, "t1c2", content="") == 202
        assert await surfing.response(job_id) == '{"b":1,"a":2} | '
        assert await surfing.result(job_id, "t1c1", content={"b": 1, "a": 2}) == 200
        assert await surfing.result(job_id, "t1c1", content="late") == 409
        lines = [line for _, line in await surfing.branch.running.desk.lines("alice", job_id, after=-1)]
        assert sum('"ToolReturned"' in line for line in lines) == 2


async def test_case_64_many_at_the_same_moment_are_one(database: AsyncEngine) -> None:
    async with _surfing(database) as surfing:
        job_id = await surfing.begun()
        statuses = await asyncio.gather(*(surfing.result(job_id, "t1c1", content=str(number)) for number in range(5)))
        assert sorted(statuses) == [202, 409, 409, 409, 409]
        started = await asyncio.gather(*(surfing.start(job_id, "t1c2") for _ in range(5)))
        assert sorted(status for status, _ in started) == [200, 409, 409, 409, 409]


async def test_case_64_a_call_is_handed_out_once(database: AsyncEngine) -> None:
    async with _surfing(database) as surfing:
        job_id = await surfing.begun()
        status, call = await surfing.start(job_id, "t1c1")
        assert (status, call["tool"], call["arguments"], call["started"]) == (200, "open_page", '{"path":"/a"}', True)
        assert (await surfing.start(job_id, "t1c1"))[0] == 409
        await surfing.branch.until(job_id, ToolStarted)
        assert (await surfing.start(job_id, "t1c1"))[0] == 409
        assert [call["started"] for call in await surfing.waiting(job_id)] == [True, False]
        assert await surfing.result(job_id, "t1c1", content="x") == 202
        assert (await surfing.start(job_id, "t1c1"))[0] == 409
        assert await surfing.result(job_id, "t1c2", error="there is no such page") == 202
        assert await surfing.response(job_id) == 'x | {"error":"there is no such page"}'
        await surfing.branch.until(job_id, ToolFailed)


async def test_case_64_what_comes_too_late_is_refused_and_the_run_has_gone_on(database: AsyncEngine) -> None:
    async with _surfing(database) as surfing:
        job_id = await surfing.begun()
        assert (await surfing.start(job_id, "t1c1"))[0] == 200
        await surfing.branch.until(job_id, ToolStarted)
        surfing.branch.clock.advance(SECONDS)
        assert await surfing.result(job_id, "t1c1", content="x") == 410
        assert (await surfing.start(job_id, "t1c2"))[0] == 410
        assert await surfing.waiting(job_id) == []
        said = await surfing.response(job_id)
        assert said is not None and said.count('"error"') == 2
        assert await surfing.result(job_id, "t1c1", content="x") == 410


async def test_case_64_an_unknown_call_and_somebody_elses_are_not_there(database: AsyncEngine) -> None:
    async with _surfing(database) as surfing, surfing.branch.client("mallory") as mallory:
        job_id = await surfing.begun()
        for call in ("t1c3", "t2c1", "x", "t1c1h1"):
            assert (await surfing.start(job_id, call))[0] == 404
            assert await surfing.result(job_id, call, content="x") == 404
        assert await surfing.result("job_" + "0" * 32, "t1c1", content="x") == 404
        for path, body in (("start", None), ("result", {"content": "forged"})):
            assert (await mallory.post(f"/agent/jobs/{job_id}/calls/t1c1/{path}", json=body)).status_code == 404
        assert (await mallory.get(f"/agent/jobs/{job_id}/calls")).status_code == 404
        other = await invoke(surfing.alice, "look again", session="s2")
        await surfing.branch.until(other, CallCleared, times=2)
        assert await surfing.result(other, "t1c1", content="of the other") == 202
        assert [call["call_id"] for call in await surfing.waiting(job_id)] == ["t1c1", "t1c2"]


async def test_case_64_a_cancelled_call_takes_no_result(database: AsyncEngine) -> None:
    async with _surfing(database) as surfing:
        job_id = await surfing.begun()
        assert (await surfing.alice.post(f"/agent/jobs/{job_id}/cancel")).status_code == 202
        assert await surfing.result(job_id, "t1c1", content="x") == 409
        await surfing.branch.until(job_id, RunFinished)
        assert await surfing.result(job_id, "t1c1", content="x") == 409
        assert (await surfing.start(job_id, "t1c2"))[0] == 409
        assert await surfing.waiting(job_id) == []


async def test_case_63_a_write_whose_browser_is_gone_has_an_unknown_outcome(database: AsyncEngine) -> None:
    async with _surfing(database) as surfing:
        surfing.wanted = [("fill_in", {"field": "name", "value": "Ada"})]
        job_id = await surfing.begun()
        assert (await surfing.start(job_id, "t1c1"))[0] == 200
        await surfing.branch.until(job_id, ToolStarted)
        surfing.branch.clock.advance(SECONDS)
        said = await surfing.response(job_id)
        assert said is not None and "unknown" in said.lower()


NO_RESULTS: list[Any] = [{}, {"content": "x", "error": "y"}, {"error": " "}, {"error": 5}, {"content": "x", "facts": []}, ["x"], None]


async def test_case_64_what_is_no_result_is_refused_and_does_not_count(database: AsyncEngine) -> None:
    async with _surfing(database) as surfing:
        job_id = await surfing.begun()
        for body in NO_RESULTS:
            answer = await surfing.alice.post(f"/agent/jobs/{job_id}/calls/t1c1/result", json=body)
            assert answer.status_code == 422, body
        assert await surfing.result(job_id, "t1c1", content="valid") == 202


async def test_a_result_is_bounded_and_has_numbers_that_json_has(database: AsyncEngine) -> None:
    async with _surfing(database) as surfing:
        job_id = await surfing.begun()
        path = f"/agent/jobs/{job_id}/calls/t1c1/result"
        assert (await surfing.alice.post(path, content=b'{"content": [NaN]}')).status_code == 422
        assert await surfing.result(job_id, "t1c1", content="x" * (LONGEST_RESULT + 1)) == 413
        assert await surfing.result(job_id, "t1c1", content="x\0" * 10_000) == 202
        assert await surfing.result(job_id, "t1c2", content=[1.5, None, {"a": "ü"}]) == 202
        said = await surfing.response(job_id)
        assert said is not None and said.endswith('[1.5,null,{"a":"ü"}]')
        assert "[cut: the first 16000 of 20000 characters" in said and "\0" not in said


async def test_case_68_a_browser_declares_no_tools_and_gives_no_result_beside_its_own_route(database: AsyncEngine) -> None:
    async with _surfing(database) as surfing:
        job_id = await surfing.begun()
        function = {"name": "open_page", "description": "Call me.", "parameters": {}}
        tools = [{"type": "function", "function": each} for each in (function, {**function, "name": "__proto__"})]
        bodies: list[dict[str, Any]] = [{"tool_results": [{"call_id": "t1c1", "content": "x"}]}, {"tools": tools}, {"tools": tools * 100}]
        for more in bodies:
            for path, body in (("/agent/invoke", {"session_id": "s1"}), (f"/agent/jobs/{job_id}/messages", {})):
                assert (await surfing.alice.post(path, json={**body, "message": "x", **more})).status_code == 422
        assert len(await surfing.waiting(job_id)) == 2 and surfing.asked == 1
