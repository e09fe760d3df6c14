"""`/healthz` and `/readyz`: for whoever starts and stops the service. They ask for no key, and tell nothing of anybody's."""

from collections.abc import Sequence

from fastapi import APIRouter

from handrail.service.opening import what_is_missing
from handrail.service.problems import Problem
from handrail.service.running import Running
from handrail.service.schemas.others import Healthy, Ready
from handrail.service.serving import Serving


def router(served: Sequence[Serving], running: Running | None) -> APIRouter:
    """The routes."""
    routes = APIRouter(tags=["health"])

    @routes.get("/healthz")
    async def healthz() -> Healthy:
        """Whether the process answers."""
        return Healthy(status="ok")

    @routes.get("/readyz")
    async def readyz() -> Ready:
        """Whether the database and every app can work."""
        missing = [(serving.app.name, await serving.missing()) for serving in served]
        if running is not None:
            missing.append(("database", await what_is_missing(running.database)))
        errors = [{"at": name, "rule": "ready", "detail": what} for name, what in missing if what is not None]
        if errors:
            raise Problem(503, "not_ready", "Not every app can work; `errors` says which, and what to do.", errors=errors)
        return Ready(status="ready")

    return routes
