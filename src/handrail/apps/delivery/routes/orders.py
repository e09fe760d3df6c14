"""`/delivery/orders`: ordering what is in the cart, and how far orders are."""

from typing import Annotated

from fastapi import APIRouter, Path

from handrail.apps.delivery import orders
from handrail.apps.delivery.bodies import OrderBody, Ordering, OrdersBody
from handrail.apps.delivery.interface import tell
from handrail.apps.delivery.orders import Placing
from handrail.apps.delivery.routes.answers import owner, shop_of, told
from handrail.service import Serving
from handrail.service.auth.callers import CalledBy
from handrail.service.desk import NotThere


def router(serving: Serving) -> APIRouter:
    """The routes."""
    routes = APIRouter(prefix="/orders")

    @routes.post("", responses={409: {}})
    async def place(ordering: Ordering, called_by: CalledBy) -> OrderBody:
        """Order what is in the cart, once; the same request again is the same order."""
        whose = owner(called_by, ordering.session_id)
        placing = Placing(act_id=ordering.act_id, by=ordering.by, idempotency=ordering.idempotency, cart=ordering.cart)
        with told():
            found = await orders.place(shop_of(serving), whose, placing)
        await tell(shop_of(serving), serving.notes, whose)
        return OrderBody.model_validate(found)

    @routes.get("")
    async def listed(called_by: CalledBy) -> OrdersBody:
        """The caller's orders."""
        found = await orders.orders(shop_of(serving), called_by.user_id)
        return OrdersBody(orders=[OrderBody.model_validate(each) for each in found])

    @routes.get("/{order_id}", responses={404: {}})
    async def one(order_id: Annotated[str, Path(max_length=40)], called_by: CalledBy) -> OrderBody:
        """An order of the caller's."""
        found = await orders.order(shop_of(serving), called_by.user_id, order_id)
        if found is None:
            raise NotThere(f"there is no order {order_id!r}")
        return OrderBody.model_validate(found)

    return routes
