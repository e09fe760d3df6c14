"""`GET /agent/apps`: which agents are served here, how their tools hang together, and what a walk through their rings says."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Path

from handrail.errors import AgentError
from handrail.service.auth.callers import CalledBy
from handrail.service.desk import LONGEST_ID
from handrail.service.problems import Problem
from handrail.service.schemas.apps import AgentBody, AppBody, Apps, CheckBody
from handrail.service.serving import Serving
from handrail.service.walks import Walks

AppName = Annotated[str, Path(max_length=LONGEST_ID, description="As the list of apps has it.")]


def router(served: Sequence[Serving]) -> APIRouter:
    """The routes."""
    routes = APIRouter(prefix="/agent/apps", tags=["apps"])
    by_name = {serving.app.name: serving for serving in served}
    walks = Walks(served)

    def there(name: str) -> Serving:
        if name not in by_name:
            raise Problem(404, "no_app", "There is no such app here.")
        return by_name[name]

    @routes.get("")
    async def listed(called_by: CalledBy) -> Apps:
        """The apps that are served here."""
        found = (serving.app for serving in served)
        return Apps(apps=[AppBody(name=app.name, summary=app.summary, page=app.page, example=app.example) for app in found])

    @routes.get("/{app}", responses={404: {}})
    async def one(app: AppName, called_by: CalledBy) -> AgentBody:
        """An app's agent: its tools, its ring, and the order as nodes and edges."""
        return AgentBody.made(there(app))

    @routes.get("/{app}/check", responses={404: {}})
    async def check(app: AppName, called_by: CalledBy) -> CheckBody:
        """What a walk through everything that any model can do has found; made once, which can take some seconds."""
        try:
            return CheckBody.of(await walks.report(there(app).app.name))
        except AgentError as error:
            return CheckBody.not_walked(str(error))

    return routes
