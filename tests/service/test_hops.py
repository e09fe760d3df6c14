"""The loop in the browser: a page says what happened, and hears what there is to do now (cases 63 and 64)."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from handrail.core.events import CallCleared, CallLost, CallRefused, FactsNoted, ModelReplied, RunStarted
from handrail.service import App, Beside, Noted
from handrail.stores import run_events
from handrail.stores.transactions import read
from handrail.vocab.facts import Fact
from tests.service.branch import Branch, opened
from tests.service.test_client_calls import SECONDS, Surfing, surfer

SESSION = "/agent/sessions/s1/hop"


async def beside(deps: Any, user_id: str, session_id: str) -> Beside:
    cart = Noted(source="page", facts=(Fact("cart", {"total": 900}, key="cart"),), replaces=("cart",))
    return Beside(notes=(f"{user_id} looked at the menu.",), facts=(cart,))


SURFER = App(name="surf", summary="Surfs.", agent=surfer, beside="tests.service.test_hops:beside")


class Page:
    """A tab: it makes what it is told to, and posts what came of it."""

    def __init__(self, client: httpx2.AsyncClient, url: str = SESSION) -> None:
        self.client = client
        self.url = url

    async def hop(self, **body: Any) -> dict[str, Any]:
        answer = await self.client.post(self.url, json={"app": "surf", **body})
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    @staticmethod
    def done(call: dict[str, Any], **came: Any) -> dict[str, Any]:
        return {"job_id": call["job_id"], "call_id": call["call_id"], **(came or {"content": f"saw {call['arguments']['path']}"})}


@asynccontextmanager
async def _page(database: AsyncEngine) -> AsyncIterator[tuple[Page, Surfing]]:
    async with opened(database, apps=[SURFER]) as branch, branch.client("alice") as alice:
        yield Page(alice), Surfing(branch, alice)


async def _events(branch: Branch, job_id: str) -> tuple[Any, ...]:
    return await read(branch.running.database, run_events.read, job_id)


async def test_a_message_comes_back_with_the_calls_to_make_and_their_results_with_the_answer(database: AsyncEngine) -> None:
    async with _page(database) as (page, surfing):
        first = await page.hop(message="look around")
        assert [(call["tool"], call["arguments"]) for call in first["calls"]] == [
            ("open_page", {"path": "/a"}),
            ("open_page", {"path": "/b"}),
        ]
        last = await page.hop(results=[page.done(call) for call in first["calls"]])
        assert (last["job"]["status"], last["job"]["response"]) == ("COMPLETE", "saw /a | saw /b")
        assert last["calls"] == last["refused"] == [] and surfing.asked == 2


async def test_what_the_interface_knows_goes_along_with_the_message(database: AsyncEngine) -> None:
    async with _page(database) as (page, surfing):
        first = await page.hop(message="look around")
        events = await _events(surfing.branch, first["job"]["job_id"])
        assert isinstance(events[0], RunStarted) and events[0].notes == ("alice looked at the menu.",)
        noted = next(event for event in events if isinstance(event, FactsNoted))
        assert (noted.source, noted.replaces) == ("page", ("cart",))
        assert [type(event) for event in events].index(FactsNoted) < [type(event) for event in events].index(ModelReplied)


async def test_case_64_a_call_is_handed_out_to_one_tab_only(database: AsyncEngine) -> None:
    async with _page(database) as (page, surfing):
        first = await page.hop(message="look around")
        assert (await page.hop(wait=0))["calls"] == []
        again = await page.hop(results=[page.done(first["calls"][0]), page.done(first["calls"][0])], wait=0)
        assert again["refused"] == []
        other = await page.hop(results=[page.done(first["calls"][0], content="something else")], wait=0)
        assert other["refused"] == [{"call_id": "t1c1", "code": "twice"}]
        assert (await page.hop(results=[page.done(first["calls"][1])]))["job"]["response"] == "saw /a | saw /b"
        assert surfing.asked == 2


async def test_case_63_a_page_that_was_reloaded_gets_what_may_be_done_again(database: AsyncEngine) -> None:
    async with _page(database) as (page, surfing):
        surfing.wanted = [("open_page", {"path": "/a"})]
        first = await page.hop(message="look around")
        resumed = await page.hop(resume=True)
        assert resumed["calls"] == first["calls"]
        assert (await page.hop(results=[page.done(resumed["calls"][0])]))["job"]["status"] == "COMPLETE"


async def test_case_63_a_write_that_was_handed_out_to_a_lost_tab_is_not_handed_out_again_and_is_unknown(database: AsyncEngine) -> None:
    async with _page(database) as (page, surfing):
        surfing.wanted = [("fill_in", {"field": "name", "value": "Ann"})]
        first = await page.hop(message="fill it in")
        assert [call["tool"] for call in first["calls"]] == ["fill_in"]
        assert (await page.hop(resume=True, wait=0))["calls"] == []
        surfing.branch.clock.advance(SECONDS + 1)
        await surfing.branch.until(first["job"]["job_id"], CallLost)
        assert "outcome" in (await page.hop(resume=True))["job"]["response"]


async def test_case_63_a_call_that_no_tab_takes_is_over_at_its_deadline_and_the_run_goes_on(database: AsyncEngine) -> None:
    async with _page(database) as (page, surfing):
        surfing.wanted = [("open_page", {"path": "/a"})]
        job_id = (await surfing.alice.post("/agent/invoke", json={"session_id": "s1", "message": "look", "app": "surf"})).json()["job_id"]
        await surfing.branch.until(job_id, CallCleared)
        surfing.branch.clock.advance(SECONDS + 1)
        await surfing.branch.until(job_id, CallRefused)
        assert "Nobody answered in time" in (await page.hop(resume=True))["job"]["response"]


async def test_case_63_an_action_that_the_page_does_not_have_is_an_error_result_and_the_run_goes_on(database: AsyncEngine) -> None:
    async with _page(database) as (page, _):
        first = await page.hop(message="look around")
        results = [page.done(call, error="This interface has no open_page.") for call in first["calls"]]
        assert "has no open_page" in (await page.hop(results=results))["job"]["response"]


async def test_a_hop_waits_for_news_and_no_longer_than_it_was_told_to(database: AsyncEngine) -> None:
    async with _page(database) as (page, surfing):
        surfing.wanted = [("fill_in", {"field": "name", "value": "Ann"})]
        await page.hop(message="fill it in")
        waiting = asyncio.create_task(page.hop(wait=20))
        for _ in range(100_000):
            if any(task.get_name().endswith("/hop") for task in asyncio.all_tasks()):
                break
            await asyncio.sleep(0)
        surfing.branch.clock.advance(21)
        assert (await waiting)["calls"] == [] and (await waiting)["job"]["status"] in {"RUNNING", "INPUT_REQUIRED"}


async def test_what_a_second_message_says_goes_into_the_run_that_is_going_on_or_after_it(database: AsyncEngine) -> None:
    async with _page(database) as (page, _):
        first = await page.hop(message="look around")
        second = await page.hop(message="and hurry", wait=0)
        assert second["job"]["job_id"] == first["job"]["job_id"]


async def test_before_a_first_message_there_is_nothing_to_do(database: AsyncEngine) -> None:
    async with _page(database) as (page, _):
        assert await page.hop(resume=True) == {"job": None, "calls": [], "refused": []}


async def test_case_64_a_result_for_another_users_job_and_a_message_to_another_users_session_find_nothing(database: AsyncEngine) -> None:
    async with _page(database) as (page, surfing), surfing.branch.client("mallory") as mallory:
        first = await page.hop(message="look around")
        answer = await mallory.post(SESSION, json={"app": "surf", "results": [page.done(first["calls"][0])]})
        assert answer.status_code == 404
        assert (await mallory.post(SESSION, json={"app": "surf", "message": "hello"})).status_code == 404
        assert (await mallory.post(SESSION, json={"app": "surf", "resume": True})).json()["job"] is None


@pytest.mark.parametrize(
    "body", [{}, {"app": "nowhere"}, {"app": "surf", "tools": []}, {"app": "surf", "wait": 26}, {"app": "surf", "message": " "}]
)
async def test_a_body_that_does_not_fit_is_refused(database: AsyncEngine, body: dict[str, Any]) -> None:
    async with _page(database) as (page, _):
        assert (await page.client.post(SESSION, json=body)).status_code in {404, 422}
