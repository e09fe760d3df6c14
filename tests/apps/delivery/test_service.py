"""Dinner through the whole service: jobs, the hops of a page, approvals, and facts that reach a run while it is going on."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from typing import Any

import httpx2
import pytest
from pydantic import SecretStr

from handrail.apps.delivery.scenarios import scenarios
from handrail.engines.embedded import EmbeddedEngine
from handrail.models import OpenAIChat
from handrail.models.rehearsal.server import started
from handrail.ports import Model
from handrail.service.app import make_app
from handrail.service.running import Running
from handrail.service.settings import Settings
from handrail.stores import keys
from handrail.stores.transactions import write
from handrail.testing import ManualClock, ScriptedModel, calls, says
from tests.apps.delivery.kit import NOODLE, Customer, TestShop, wired
from tests.apps.delivery.page import clicked
from tests.service.branch import LONGEST, SECRET


class Tab:
    """A tab: it posts what happened, does what there is to do, and lets a person decide."""

    def __init__(self, customer: Customer, clock: ManualClock, *, approve: bool = True) -> None:
        self.customer, self._clock = customer, clock
        self.shown: list[Any] = []
        self.clicks: list[str] = []
        self._approve = approve
        self._keys = count(1)

    async def say(self, message: str) -> str:
        """One message, until its run has ended."""
        self._clock.advance(1)  # which of two jobs is the newer one is told by the time
        body: dict[str, Any] = {"app": "delivery", "message": message}
        async with asyncio.timeout(LONGEST):
            while True:
                found = await self._asked("POST", f"/agent/sessions/{self.customer.session}/hop", json=body)
                job = found["job"]
                if job["status"] in {"COMPLETE", "ERROR"}:
                    return str(job["response"])
                body = {"app": "delivery", "results": [await self._made(call) for call in found["calls"]]}
                for hold in job["waiting_for"] if job["status"] == "INPUT_REQUIRED" and not found["calls"] else ():
                    self.shown.append(hold["show"])
                    await self._asked("POST", f"/agent/approvals/{hold['approval_id']}/decision", json={"approve": self._approve})

    async def _made(self, call: dict[str, Any]) -> dict[str, Any]:
        self.clicks.append(call["tool"])
        cart = self.shown[-1]["cart"] if self.shown else "empty"
        answer = await clicked(self.customer, call["tool"], call["arguments"], cart=cart, key=f"o-{next(self._keys)}")
        came = {"content": answer.json()} if answer.status_code == 200 else {"error": answer.json()["detail"]}
        return {"job_id": call["job_id"], "call_id": call["call_id"], **came}

    async def _asked(self, method: str, path: str, **more: Any) -> Any:
        answer = await self.customer.client.request(method, path, **more)
        assert answer.status_code == 200, answer.text
        return answer.json()


@asynccontextmanager
async def serving(shop: TestShop, model: Model) -> AsyncIterator[tuple[Customer, ManualClock]]:
    """The service with the shop and a model, and somebody who has a key."""

    @asynccontextmanager
    async def deps() -> AsyncIterator[TestShop]:
        yield shop

    app, clock, settings = wired(deps), ManualClock(shop.at), Settings(secret=SecretStr(SECRET))
    engine = EmbeddedEngine(shop.database, clock=clock)
    running = Running(shop.database, apps=[app.name], settings=settings, clock=clock, engine=engine, runs=True)
    service = make_app([app], model=model, settings=settings, running=running)
    key, _ = await write(shop.database, keys.create, user_id="alice", at=clock.now())
    transport = httpx2.ASGITransport(service, raise_app_exceptions=False)
    headers = {"Authorization": f"Bearer {key}"}
    async with (
        service.router.lifespan_context(service),
        httpx2.AsyncClient(transport=transport, base_url="http://service.test", headers=headers) as client,
    ):
        yield Customer(client, "s1"), clock


@pytest.mark.slow
async def test_dinner_is_ordered_through_the_service(shop: TestShop) -> None:
    async with started(scenarios()) as url:
        model = OpenAIChat(base_url=url, api_key="rehearsal")
        async with serving(shop, model) as (alice, clock):
            tab = Tab(alice, clock)
            assert (await tab.say("something spicy and noodly")).startswith("Night Noodle has ")
            assert (await tab.say("add two dan dan noodles and a jasmine tea")).endswith("27.00 in all.")
            await alice.remove(NOODLE, 108)
            assert await tab.say("place the order") == "Your order at Night Noodle is placed: 23.80 in all."
            assert (await tab.say("what did i do?")).startswith("You: food removed. Me: page opened, food added, food added")
            (order,) = (await alice.get("orders"))["orders"]
        await model.close()
    assert order["total_cents"] == 2380 and [show["total"] for show in tab.shown] == ["23.80"]


async def test_what_was_added_in_a_run_can_be_ordered_in_the_same_run(shop: TestShop) -> None:
    """The server's fact of the cart is there before the browser's result is, so the order is judged by what is really in it."""
    buy = {"restaurant_uuid": NOODLE, "food_id": 101, "quantity": 2}
    script = (
        calls(("get_restaurant_pages", {"food_requested": ["dan dan noodles"], "quantity": 1})),
        calls(("add_food_to_cart", buy), ("place_order", {})),
        says("Dinner is on its way."),
    )
    with ScriptedModel(*script) as model:
        async with serving(shop, model) as (alice, clock):
            tab = Tab(alice, clock)
            assert await tab.say("two dan dan noodles, and order them") == "Dinner is on its way."
            assert [order["total_cents"] for order in (await alice.get("orders"))["orders"]] == [2380]
    assert tab.clicks == ["add_food_to_cart", "place_order"] and [show["total_cents"] for show in tab.shown] == [2380]


async def test_a_no_orders_nothing(shop: TestShop) -> None:
    script = (calls(("place_order", {})), says("Then not."))
    with ScriptedModel(*script) as model:
        async with serving(shop, model) as (alice, clock):
            await alice.add(NOODLE, 101)
            tab = Tab(alice, clock, approve=False)
            assert await tab.say("order it") == "Then not."
            assert (await alice.get("orders"))["orders"] == [] and await alice.lines() == {101: 1}
    assert tab.clicks == []
