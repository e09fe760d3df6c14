"""`/delivery/acts`: the action trail, and telling it of what changes no cart and no order."""

from typing import Annotated

from fastapi import APIRouter, Query

from handrail.apps.delivery import trail
from handrail.apps.delivery.bodies import MOST_ACTS, ActBody, ActsBody, Noting
from handrail.apps.delivery.interface import tell
from handrail.apps.delivery.routes.answers import owner, shop_of, told
from handrail.apps.delivery.trail import NewAct, What
from handrail.service import Serving
from handrail.service.auth.callers import CalledBy
from handrail.service.desk import NotThere
from handrail.service.schemas.fields import SessionId


def router(serving: Serving) -> APIRouter:
    """The routes."""
    routes = APIRouter(prefix="/acts")

    @routes.get("")
    async def listed(
        session_id: Annotated[SessionId, Query()], called_by: CalledBy, last: Annotated[int, Query(ge=1, le=MOST_ACTS)] = 10
    ) -> ActsBody:
        """The last acts. Reading them changes nothing."""
        shop, whose = shop_of(serving), owner(called_by, session_id)
        found = await trail.acts(shop.database, whose, last=last)
        return ActsBody(
            acts=[ActBody.model_validate(act) for act in found],
            open_page=await trail.open_page(shop.database, whose),
            cart_is_open=await trail.cart_is_open(shop.database, whose),
        )

    @routes.post("", responses={404: {}, 409: {}})
    async def note(noting: Noting, called_by: CalledBy) -> ActBody:
        """Tell of an act: a page, the cart's drawer, hands-free."""
        shop, whose = shop_of(serving), owner(called_by, noting.session_id)
        if noting.restaurant_uuid is not None and noting.restaurant_uuid not in (await shop.catalogue()).restaurants:
            raise NotThere("there is no such restaurant")
        ids = {} if noting.restaurant_uuid is None else {"restaurant_uuid": noting.restaurant_uuid}
        new = NewAct(act_id=noting.act_id, who=noting.by, what=What(noting.what), ids=ids)
        with told():
            found = await trail.record(shop.database, whose, new, at=shop.now())
        await tell(shop, serving.notes, whose)
        return ActBody.model_validate(found)

    return routes
