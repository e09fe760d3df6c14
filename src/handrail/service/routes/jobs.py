"""`/agent/jobs/{job_id}/…`: watch a job, speak into it, end it."""

from typing import Annotated, Any

from fastapi import APIRouter, Header, Response
from starlette.responses import StreamingResponse

from handrail.service.auth.callers import CalledBy
from handrail.service.routes.agent import LOOK_AGAIN, JobId, shown
from handrail.service.running import Running
from handrail.service.schemas.jobs import JobBody, Say
from handrail.service.streams import MEDIA_TYPE

EVENT_NUMBER = "^(0|[1-9][0-9]{0,8})$"
UNBUFFERED = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
"""Nobody between here and the client keeps an event back."""

EVENT = {
    "type": "object",
    "description": "One event of the stream.",
    "properties": {
        "id": {"type": "string", "pattern": EVENT_NUMBER, "description": "Its number in the job; for Last-Event-ID."},
        "data": {"type": "string", "contentMediaType": "application/json", "description": "The event as the journal has it."},
    },
    "required": ["id", "data"],
}
STREAM: dict[int | str, dict[str, Any]] = {
    200: {"description": "Events as they happen; the stream ends with the job.", "content": {MEDIA_TYPE: {"schema": EVENT}}},
    204: {"description": "The job has ended, and the client has its last event: there is nothing to come back for."},
    404: {},
}


def router(running: Running) -> APIRouter:
    """The routes."""
    routes = APIRouter(prefix="/agent/jobs/{job_id}", tags=["jobs"])

    @routes.get("/events", response_class=StreamingResponse, responses=STREAM)
    async def events(
        job_id: JobId,
        called_by: CalledBy,
        last_event_id: Annotated[
            str | None, Header(alias="Last-Event-ID", pattern=EVENT_NUMBER, description="The last event that the client has.")
        ] = None,
    ) -> Response:
        """What happens in a job, each event once, from the beginning or after the last one that the client has."""
        after = -1 if last_event_id is None else int(last_event_id)
        sent = await running.streams.opened(called_by.user_id, job_id, after=after)
        if sent is None:
            return Response(status_code=204)
        return StreamingResponse(sent, media_type=MEDIA_TYPE, headers=UNBUFFERED)

    @routes.post("/messages", status_code=202, response_model=JobBody, responses={404: {}, 409: {}})
    async def say(job_id: JobId, said: Say, called_by: CalledBy) -> Response:
        """Say something into a run that is going on, or that waits for it."""
        running.messages.take(called_by.user_id)
        return _accepted(await shown(running, await running.desk.say(called_by.user_id, job_id, said.message), status=202))

    @routes.post("/cancel", status_code=202, response_model=JobBody, responses={404: {}})
    async def cancel(job_id: JobId, called_by: CalledBy) -> Response:
        """Want an end. A job that has ended stays as it ended."""
        return _accepted(await shown(running, await running.desk.cancel(called_by.user_id, job_id), status=202))

    @routes.post("/land", status_code=202, response_model=JobBody, responses={404: {}, 409: {}})
    async def land(job_id: JobId, called_by: CalledBy) -> Response:
        """Want what there is, now: the run lands with what it has found so far."""
        return _accepted(await shown(running, await running.desk.land(called_by.user_id, job_id), status=202))

    @routes.post("/retry", status_code=202, response_model=JobBody, responses={404: {}, 409: {}})
    async def retry(job_id: JobId, called_by: CalledBy) -> Response:
        """Ask the same again, as a new job of the same session; the old one, which has ended, stays as it is."""
        running.messages.take(called_by.user_id)
        return _accepted(await shown(running, await running.desk.retry(called_by.user_id, job_id), status=202))

    return routes


def _accepted(response: Response) -> Response:
    response.headers["Retry-After"] = LOOK_AGAIN
    return response
