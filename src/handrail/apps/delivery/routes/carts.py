"""`/delivery/cart`: what is in it, adding, and taking out."""

from typing import Annotated

from fastapi import APIRouter, Query

from handrail.apps.delivery import carts
from handrail.apps.delivery.bodies import Adding, CartBody, Removing
from handrail.apps.delivery.carts import Wanted
from handrail.apps.delivery.interface import tell
from handrail.apps.delivery.routes.answers import owner, shop_of, told
from handrail.service import Serving
from handrail.service.auth.callers import CalledBy
from handrail.service.schemas.fields import SessionId


def router(serving: Serving) -> APIRouter:
    """The routes."""
    routes = APIRouter()

    @routes.get("/cart")
    async def cart(session_id: Annotated[SessionId, Query()], called_by: CalledBy) -> CartBody:
        """The cart of a session."""
        return CartBody.model_validate(await carts.cart(shop_of(serving), owner(called_by, session_id)))

    @routes.post("/cart/items", responses={404: {}, 409: {}})
    async def add(adding: Adding, called_by: CalledBy) -> CartBody:
        """Put a dish into the cart; it adds to what is there."""
        whose = owner(called_by, adding.session_id)
        with told():
            found = await carts.add(shop_of(serving), whose, _wanted(adding))
        await tell(shop_of(serving), serving.notes, whose)
        return CartBody.model_validate(found)

    @routes.post("/cart/removals", responses={404: {}, 409: {}})
    async def remove(removing: Removing, called_by: CalledBy) -> CartBody:
        """Take some or all of a dish out of the cart."""
        whose = owner(called_by, removing.session_id)
        with told():
            found = await carts.remove(shop_of(serving), whose, _wanted(removing))
        await tell(shop_of(serving), serving.notes, whose)
        return CartBody.model_validate(found)

    return routes


def _wanted(asked: Adding | Removing) -> Wanted:
    return Wanted(act_id=asked.act_id, by=asked.by, restaurant_uuid=asked.restaurant_uuid, food_id=asked.food_id, quantity=asked.quantity)
