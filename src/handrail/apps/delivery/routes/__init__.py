"""The routes of the storefront. All of them ask for a key; carts, orders and trails are the caller's own, in the query itself.

What an act leads to is told to the run of its session (`Serving.notes`), from the server's own rows, after it is committed.
"""

from fastapi import APIRouter

from handrail.apps.delivery.routes import acts, carts, orders, pictures, restaurants
from handrail.service import Serving


def router(serving: Serving) -> APIRouter:
    """The routes of this app."""
    routes = APIRouter(prefix="/delivery", tags=["delivery"])
    for noun in (carts, orders, acts, restaurants, pictures):
        routes.include_router(noun.router(serving))
    return routes
