"""A shop at a time of the test's own, the service with it, and customers who click."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import httpx2
import msgspec
from sqlalchemy.ext.asyncio import AsyncEngine

from handrail.apps.delivery import app, data
from handrail.apps.delivery.catalogue import Catalogue, Dish, Restaurant
from handrail.apps.delivery.hours import read_hours
from handrail.apps.delivery.shop import Shop
from handrail.service import App, Noted
from tests.service.branch import Branch, opened

AT = datetime(2026, 12, 1, 12, 15, tzinfo=UTC)
"""A quarter past noon on a Tuesday."""

UUIDS = {line.name: line.restaurant_uuid for line in data.restaurants()}
NOODLE, BANGKOK, ROMA, HARBOUR, CURRY, SAFFRON = (
    UUIDS[name] for name in ("Night Noodle", "Bangkok Corner", "Roma Antica", "Harbour Oven", "Curry Leaf", "Saffron Door")
)
"""Night Noodle never closes, and Saffron Door opens in the evening only."""


class TestShop(Shop):
    """A shop whose time is set by hand, and what runs would have been told of it."""

    __test__ = False

    def __init__(self, database: AsyncEngine, *, images: Path | None = None, meaning: bool = False) -> None:
        self.at = AT
        self.noted: list[tuple[str, str, Noted]] = []
        super().__init__(database, now=lambda: self.at, images=images, meaning=meaning)

    def later(self, **by: float) -> None:
        self.at += timedelta(**by)


class Customer:
    """Somebody with a key and a session, who clicks."""

    def __init__(self, client: httpx2.AsyncClient, session: str) -> None:
        self.client = client
        self.session = session
        self._acts = count(1)

    def acting(self, **more: Any) -> dict[str, Any]:
        return {"session_id": self.session, "act_id": f"act-{next(self._acts)}", **more}

    async def get(self, path: str, **params: Any) -> Any:
        answer = await self.client.get(f"/delivery/{path}", params=params)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def post(self, path: str, **body: Any) -> httpx2.Response:
        return await self.client.post(f"/delivery/{path}", json=self.acting() | body)

    async def add(self, restaurant_uuid: str, food_id: int, quantity: int = 1, **more: Any) -> httpx2.Response:
        return await self.post("cart/items", restaurant_uuid=restaurant_uuid, food_id=food_id, quantity=quantity, **more)

    async def remove(self, restaurant_uuid: str, food_id: int, **more: Any) -> httpx2.Response:
        return await self.post("cart/removals", restaurant_uuid=restaurant_uuid, food_id=food_id, **more)

    async def order(self, idempotency: str = "once", **more: Any) -> httpx2.Response:
        return await self.post("orders", idempotency=idempotency, **more)

    async def did(self, what: str, **more: Any) -> httpx2.Response:
        return await self.post("acts", what=what, **more)

    async def cart(self) -> Any:
        return await self.get("cart", session_id=self.session)

    async def lines(self) -> dict[int, int]:
        return {line["food_id"]: line["quantity"] for line in (await self.cart())["lines"]}

    async def acts(self, last: int = 50) -> list[Any]:
        found: list[Any] = (await self.get("acts", session_id=self.session, last=last))["acts"]
        return found


class Storefront:
    """The service, and who comes in."""

    def __init__(self, branch: Branch, shop: TestShop) -> None:
        self.branch = branch
        self.shop = shop

    @asynccontextmanager
    async def customer(self, user_id: str = "alice", session: str = "s1") -> AsyncIterator[Customer]:
        async with self.branch.client(user_id) as client:
            yield Customer(client, session)


def wired(deps: Callable[[], AbstractAsyncContextManager[TestShop]]) -> App:
    """The app with that shop, and with a recorder before the desk."""
    return msgspec.structs.replace(app, deps=deps, routes="tests.apps.delivery.wired")


@asynccontextmanager
async def front(shop: TestShop) -> AsyncIterator[Storefront]:
    """The service with a shop; runs are not started."""

    @asynccontextmanager
    async def deps() -> AsyncIterator[TestShop]:
        yield shop

    served = wired(deps)
    async with opened(shop.database, apps=[served], start=False) as branch:
        yield Storefront(branch, shop)


def catalogue() -> Catalogue:
    """The catalogue as it is seeded, without a database."""
    restaurants = [Restaurant(**(msgspec.to_builtins(line) | {"hours": read_hours(line.hours)})) for line in data.restaurants()]
    return Catalogue(restaurants, [Dish(**(msgspec.to_builtins(line) | {"tags": tuple(line.tags)})) for line in data.dishes()])


def code(answer: httpx2.Response) -> tuple[int, str]:
    """The status, and the word for programs."""
    return answer.status_code, answer.json()["code"]
