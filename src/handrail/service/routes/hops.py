"""`POST /agent/sessions/{session_id}/hop`: what happened in a page, against what there is to do now."""

from collections.abc import Sequence
from datetime import timedelta

from fastapi import APIRouter

from handrail.service.auth.callers import CalledBy
from handrail.service.hops import Hops
from handrail.service.routes.agent import waiting_for
from handrail.service.routes.sessions import SessionPath
from handrail.service.running import Running
from handrail.service.schemas.hops import CallBody, HopBody, HoppedBody, RefusedBody
from handrail.service.schemas.jobs import JobBody
from handrail.service.serving import Serving


def router(running: Running, served: Sequence[Serving]) -> APIRouter:
    """The route."""
    routes = APIRouter(prefix="/agent/sessions/{session_id}", tags=["sessions"])
    hops = Hops(running, served)

    @routes.post("/hop", responses={404: {}})
    async def hop(session_id: SessionPath, body: HopBody, called_by: CalledBy) -> HoppedBody:
        """Say what happened, and hear what there is to do: calls to make, or that the run rests."""
        if body.message is not None:
            running.messages.take(called_by.user_id)
        found = await hops.hop(
            called_by.user_id,
            session_id,
            app=body.app,
            message=body.message,
            done=[each.done() for each in body.results],
            resume=body.resume,
            wait=timedelta(seconds=body.wait),
        )
        job = found.job
        return HoppedBody(
            job=None if job is None else JobBody.of(job, await waiting_for(running, job)),
            calls=[] if job is None else [CallBody.of(job.job_id, call) for call in found.calls],
            refused=[RefusedBody.of(each) for each in found.refused],
        )

    return routes
