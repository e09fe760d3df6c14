"""The routes of the storefront. All of them ask for a key; carts, orders and trails are the caller's own, in the query itself.

What an act leads to is told to the run of its session (`Notes`), from the server's own rows, after it is committed.
"""

from fastapi import APIRouter

from handrail.apps.delivery.interface import Notes
from handrail.apps.delivery.routes import acts, carts, orders, pictures, restaurants
from handrail.service import Serving


def router(serving: Serving, notes: Notes | None = None) -> APIRouter:
    """The routes of this app; `notes` tells runs of what happens in the interface, where there are any."""
    routes = APIRouter(prefix="/delivery", tags=["delivery"])
    for noun in (carts, orders, acts):
        routes.include_router(noun.router(serving, notes))
    for noun in (restaurants, pictures):
        routes.include_router(noun.router(serving))
    return routes
