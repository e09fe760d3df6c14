"""`/agent/jobs/{job_id}/calls/…`: what the user's browser does for a run (client tools).

- The first valid result counts: the same again is 200, and changes nothing; another one is 409.
- What is too late is 410, what was answered otherwise or handed out already 409, and what was never there, or is somebody else's, 404.
"""

from typing import Annotated

from fastapi import APIRouter, Path, Response

from handrail.service.auth.callers import CalledBy
from handrail.service.client_calls import ClientCalls
from handrail.service.routes.agent import JobId
from handrail.service.running import Running
from handrail.service.schemas import calls as schemas
from handrail.service.schemas.calls import ClientCallBody, FailedBody, ReturnedBody, Taken

CallId = Annotated[str, Path(max_length=64, description="As the list of calls gave it.")]


def router(running: Running) -> APIRouter:
    """The routes."""
    routes = APIRouter(prefix="/agent/jobs/{job_id}/calls", tags=["calls"])
    acts = ClientCalls(running)

    @routes.get("", responses={404: {}})
    async def waiting(job_id: JobId, called_by: CalledBy) -> schemas.ClientCalls:
        """The calls that wait for the user's browser."""
        return schemas.ClientCalls.of(await acts.waiting(called_by.user_id, job_id))

    @routes.post("/{call_id}/start", responses={404: {}, 409: {}, 410: {}})
    async def start(job_id: JobId, call_id: CallId, called_by: CalledBy) -> ClientCallBody:
        """Hand a call out, once: whoever gets 200 makes the call, and nobody else does."""
        return ClientCallBody.of(await acts.start(called_by.user_id, job_id, call_id))

    @routes.post("/{call_id}/result", status_code=202, responses={200: {"description": "It counts already."}, 404: {}, 409: {}, 410: {}})
    async def result(job_id: JobId, call_id: CallId, given: ReturnedBody | FailedBody, called_by: CalledBy, response: Response) -> Taken:
        """Give the result of a call: the run goes on once all of its calls have theirs."""
        if not await acts.answer(called_by.user_id, job_id, given.result(call_id)):
            response.status_code = 200
        return Taken(job_id=job_id, call_id=call_id)

    return routes
