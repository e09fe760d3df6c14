"""The user's browser, played: it does in the interface what the agent asks for, and the server notes what came of it.

- What is done, is done by the app's own functions, those that its routes call; what cannot be done comes back in their words.
- An order is of the cart that the person said yes to. Where nobody was asked it is of the cart as it is, as a page without the ring has it.
- The cart and the open page reach the run before the click's result does, as they do in the service.
"""

import json
from collections.abc import Callable
from itertools import count
from typing import Any

from handrail.apps.delivery import carts, orders, trail
from handrail.apps.delivery.bodies import ActBody, ActsBody, CartBody, OrderBody
from handrail.apps.delivery.carts import Wanted
from handrail.apps.delivery.interface import noted
from handrail.apps.delivery.orders import Placing
from handrail.apps.delivery.possible import NotPossible
from handrail.apps.delivery.shop import Shop
from handrail.apps.delivery.trail import NewAct, Owner, What, Who
from handrail.core.effects import AskClient, Effect
from handrail.core.events import FactsNoted, Input, ToolFailed, ToolReturned
from handrail.core.state import RunState
from handrail.drivers.handle import Unserved
from handrail.drivers.world import World

PLAIN = {
    "close_restaurant_page": What.PAGE_CLOSED,
    "open_shopping_cart": What.CART_OPENED,
    "close_shopping_cart": What.CART_CLOSED,
}


class Browser:
    """One tab of the shop's.

    Attributes:
        shop, owner: where, and whose.
        shown: the version of the cart that the person said yes to last.
    """

    def __init__(self, shop: Shop, owner: Owner) -> None:
        """Nothing was done yet."""
        self.shop = shop
        self.owner = owner
        self.shown: str | None = None
        self._ids = count(1)

    async def do(self, tool: str, arguments: dict[str, Any], by: Who = Who.AGENT) -> str:
        """Do it; what the route would answer.

        Raises:
            NotPossible: nothing was done, and why.
        """
        act = f"act-{next(self._ids)}"
        match tool:
            case "get_user_actions":
                return await self._acts(int(arguments.get("last", 10)))
            case "add_food_to_cart":
                return _cart(await carts.add(self.shop, self.owner, Wanted(act_id=act, by=by, **arguments)))
            case "remove_food_from_cart":
                return _cart(await carts.remove(self.shop, self.owner, Wanted(act_id=act, by=by, **arguments)))
            case "place_order":
                return await self._order(act, by)
            case _:
                return await self._act(act, tool, arguments, by)

    async def _acts(self, last: int) -> str:
        where = (self.shop.database, self.owner)
        acts = [ActBody.model_validate(each) for each in await trail.acts(*where, last=last)]
        found = ActsBody(acts=acts, open_page=await trail.open_page(*where), cart_is_open=await trail.cart_is_open(*where))
        return found.model_dump_json()

    async def _order(self, act: str, by: Who) -> str:
        cart = self.shown or (await carts.cart(self.shop, self.owner)).version
        self.shown = None
        placed = await orders.place(self.shop, self.owner, Placing(act_id=act, by=by, idempotency=act, cart=cart))
        return OrderBody.model_validate(placed).model_dump_json()

    async def _act(self, act: str, tool: str, arguments: dict[str, Any], by: Who) -> str:
        if tool == "open_restaurant_page":
            if arguments["restaurant_uuid"] not in (await self.shop.catalogue()).restaurants:
                raise NotPossible("no_such_restaurant", "there is no such restaurant")
            what = What.PAGE_OPENED
        elif tool == "activate_handsfree":
            what = What.HANDSFREE_ON if arguments["on"] else What.HANDSFREE_OFF
        else:
            what = PLAIN[tool]
        ids = arguments if what is What.PAGE_OPENED else {}
        told = await trail.record(self.shop.database, self.owner, NewAct(act_id=act, who=by, what=what, ids=ids), at=self.shop.now())
        if what is What.CART_OPENED:
            return _cart(await carts.cart(self.shop, self.owner))
        return ActBody.model_validate(told).model_dump_json()


class WithBrowser(World):
    """A world with a browser in it: it serves what the agent asks the page for."""

    def __init__(self, browser: Browser, put: Callable[[Input], None], **world: Any) -> None:
        """Keep the browser, and the way by which facts come into the run."""
        super().__init__(**world)
        self._browser = browser
        self._put = put

    def serves(self, effect: Effect) -> bool:
        """What a browser does, too."""
        return isinstance(effect, AskClient) or super().serves(effect)

    async def serve(self, effect: Effect, state: RunState) -> Input | Unserved:
        """Do it, and say what came of it."""
        if not isinstance(effect, AskClient):
            return await super().serve(effect, state)
        try:
            content = await self._browser.do(effect.tool, json.loads(effect.arguments))
        except NotPossible as no:
            return ToolFailed(at=self.clock.now(), call=effect.call, error=no.detail)
        facts = await noted(self._browser.shop, self._browser.owner)
        self._put(FactsNoted(at=self.clock.now(), source=facts.source, facts=facts.facts, replaces=facts.replaces))
        return ToolReturned(at=self.clock.now(), call=effect.call, content=content)


def _cart(found: carts.Cart) -> str:
    return CartBody.model_validate(found).model_dump_json()
