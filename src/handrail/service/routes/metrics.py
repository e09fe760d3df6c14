"""`GET /metrics`: the numbers of this process, for Prometheus. It asks for a key with the scope `metrics`; a cookie does not do."""

from fastapi import APIRouter, Response
from fastapi.responses import PlainTextResponse

from handrail.service.auth.callers import METRICS, CalledBy
from handrail.service.problems import Problem
from handrail.service.running import Running
from handrail.service.telemetry.numbers import MEDIA_TYPE
from handrail.stores import jobs
from handrail.stores.transactions import read


def router(running: Running) -> APIRouter:
    """The route."""
    routes = APIRouter(tags=["health"])

    @routes.get("/metrics", response_class=PlainTextResponse)
    async def metrics(called_by: CalledBy) -> Response:
        """Numbers of this process, and the open jobs of the database."""
        if METRICS not in called_by.scopes:
            raise Problem(403, "no_scope", f"This asks for a key with the scope {METRICS}.")
        text = running.telemetry.numbers.text(await read(running.database, jobs.open_by_status))
        return Response(text, media_type=None, headers={"Content-Type": MEDIA_TYPE, "Cache-Control": "no-store"})

    return routes
