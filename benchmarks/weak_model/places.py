"""Where a task takes place: the service desk with its orders, or the shop with a browser; each in a database of its own.

- What is there in the beginning is what `handrail seed` makes, and what the task says beside it.
- What a person says yes to follows from the task alone: to the cart that they want, and to no other.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime
from typing import Any, Protocol

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from benchmarks.weak_model.browser import Browser, WithBrowser
from benchmarks.weak_model.tasks import DeliveryTask, Ended, OrdersTask, Task
from handrail import No, Yes
from handrail.apps.delivery import carts, trail
from handrail.apps.delivery import orders as shop_orders
from handrail.apps.delivery.interface import beside
from handrail.apps.delivery.seeding import fill as fill_shop
from handrail.apps.delivery.shop import Shop
from handrail.apps.delivery.trail import Owner, What, Who
from handrail.apps.orders.data import fill as fill_orders
from handrail.apps.orders.tables import Order
from handrail.drivers.handle import RunHandle
from handrail.drivers.world import World
from handrail.service import Beside
from handrail.service.database import make_engine
from handrail.vocab.answers import PersonAnswer
from handrail.vocab.outcomes import OpenHold

AT = datetime(2026, 12, 1, 12, 15, tzinfo=UTC)
"""A quarter past noon on a Tuesday."""
OWNER = Owner("somebody", "a-session")
REFUSED = "No, that is not what I want."


class Place(Protocol):
    """Where one task takes place."""

    @property
    def deps(self) -> Any:
        """What the tools work with."""
        ...

    async def beside(self, messages: int) -> Beside:
        """What the interface says along with the next message, after so many."""
        ...

    async def ask(self, hold: OpenHold) -> PersonAnswer:
        """What the person answers."""
        ...

    def world(self, handle: RunHandle, **world: Any) -> World:
        """What serves a run's effects here."""
        ...

    async def ended(self, answers: Sequence[str], looked_up: Sequence[str]) -> Ended:
        """How things stand."""
        ...


def place_of(task: Task) -> AbstractAsyncContextManager[Place]:
    """The place of a task, as it is in the beginning."""
    if isinstance(task, DeliveryTask):
        return _shop(task)
    assert isinstance(task, OrdersTask)
    return _desk()


class Desk:
    """The service desk."""

    def __init__(self, database: AsyncEngine, before: Sequence[Any]) -> None:
        """Keep the orders as they were."""
        self.deps = database
        self._before = before

    async def beside(self, messages: int) -> Beside:
        """Nothing."""
        return Beside(notes=(), facts=())

    async def ask(self, hold: OpenHold) -> PersonAnswer:
        """Nobody is to be asked here."""
        return No(comment=REFUSED)

    def world(self, handle: RunHandle, **world: Any) -> World:
        """The usual one."""
        return World(**world)

    async def ended(self, answers: Sequence[str], looked_up: Sequence[str]) -> Ended:
        """How things stand."""
        changed = [] if await _orders(self.deps) == self._before else ["the orders were changed"]
        return Ended(answers=list(answers), looked_up=list(looked_up), changed=changed)


class Storefront:
    """The shop, and somebody in it."""

    def __init__(self, shop: Shop, task: DeliveryTask) -> None:
        """Nothing was done yet."""
        self.deps = shop
        self.browser = Browser(shop, OWNER)
        self._task = task

    async def begin(self) -> None:
        """What the user did before they said anything."""
        uuids = {each.name: uuid for uuid, each in (await self.deps.catalogue()).restaurants.items()}
        if self._task.shows is not None:
            await self.browser.do("open_restaurant_page", {"restaurant_uuid": uuids[self._task.shows]}, Who.USER)
        if self._task.listens:
            await self.browser.do("activate_handsfree", {"on": True}, Who.USER)
        await self._click(self._task.begins)

    async def beside(self, messages: int) -> Beside:
        """What the user has clicked meanwhile, the cart, and the open page."""
        await self._click(self._task.clicks.get(messages, {}))
        return await beside(self.deps, OWNER.user_id, OWNER.session_id)

    async def ask(self, hold: OpenHold) -> PersonAnswer:
        """Yes to the cart that they want."""
        show = hold.show if isinstance(hold.show, dict) else {}
        shown = {line["food_id"]: line["quantity"] for line in show.get("lines", ())}
        if self._task.agrees is None or shown != dict(self._task.agrees):
            return No(comment=REFUSED)
        self.browser.shown = show["cart"]
        return Yes(by=OWNER.user_id)

    def world(self, handle: RunHandle, **world: Any) -> World:
        """One with the browser in it."""
        return WithBrowser(self.browser, handle.inbox.put, **world)

    async def ended(self, answers: Sequence[str], looked_up: Sequence[str]) -> Ended:
        """How things stand."""
        shop, catalogue = self.deps, await self.deps.catalogue()
        acts = await trail.acts(shop.database, OWNER, last=1_000)
        page = await trail.open_page(shop.database, OWNER)
        heard = [act.what for act in acts if act.what in {What.HANDSFREE_ON, What.HANDSFREE_OFF}]
        return Ended(
            answers=list(answers),
            cart=_lines(await carts.cart(shop, OWNER)),
            ordered=[_lines(order) for order in reversed(await shop_orders.orders(shop, OWNER.user_id))],
            page=None if page is None else catalogue.restaurants[page].name,
            listening=heard[-1:] == [What.HANDSFREE_ON],
            acts=[(act.who.value, act.what.value) for act in acts],
        )

    async def _click(self, dishes: Any) -> None:
        catalogue = await self.deps.catalogue()
        for food_id, quantity in dishes.items():
            dish = {"restaurant_uuid": catalogue.dishes[food_id].restaurant_uuid, "food_id": food_id, "quantity": quantity}
            await self.browser.do("add_food_to_cart", dish, Who.USER)


@asynccontextmanager
async def _desk() -> AsyncIterator[Desk]:
    async with _database() as database:
        await fill_orders(database)
        yield Desk(database, await _orders(database))


@asynccontextmanager
async def _shop(task: DeliveryTask) -> AsyncIterator[Storefront]:
    async with _database() as database:
        await fill_shop(database)
        shop = Shop(database, now=lambda: AT, meaning=False)
        storefront = Storefront(shop, task)
        await storefront.begin()
        yield storefront
        await shop.close()


@asynccontextmanager
async def _database() -> AsyncIterator[AsyncEngine]:
    database = make_engine("sqlite://")
    try:
        yield database
    finally:
        await database.dispose()


async def _orders(database: AsyncEngine) -> Sequence[Any]:
    async with database.connect() as connection:
        rows = await connection.execute(
            select(Order.order_id, Order.customer_email, Order.status, Order.total_cents).order_by(Order.order_id)
        )
        return [tuple(row) for row in rows]


def _lines(of: carts.Cart | shop_orders.Order) -> dict[int, int]:
    return {line.food_id: line.quantity for line in of.lines}
