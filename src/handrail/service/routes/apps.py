"""`GET /agent/apps`: which agents are served here."""

from collections.abc import Sequence

from fastapi import APIRouter
from pydantic import BaseModel

from handrail.service.auth.callers import CalledBy
from handrail.service.serving import Serving


class AppBody(BaseModel):
    """An app that is served."""

    name: str
    summary: str
    page: str | None
    example: str


class Apps(BaseModel):
    """What is served, by name."""

    apps: list[AppBody]


def router(served: Sequence[Serving]) -> APIRouter:
    """The routes."""
    routes = APIRouter(prefix="/agent/apps", tags=["apps"])

    @routes.get("")
    async def listed(called_by: CalledBy) -> Apps:
        """The apps that are served here."""
        found = (serving.app for serving in served)
        return Apps(apps=[AppBody(name=app.name, summary=app.summary, page=app.page, example=app.example) for app in found])

    return routes
