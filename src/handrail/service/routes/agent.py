"""`POST /agent/invoke`, `GET /agent/status/{job_id}`, `GET /agent/warmup`: ask an agent, and look how it goes.

- To invoke is to write a row: no model is called, and the answer comes at once.
- The same request with the same `Idempotency-Key` is one job, however often it comes. While the first is being taken on, it is told so.
- A status has an `ETag`: whoever looks again with `If-None-Match` gets 304 while nothing has changed.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from typing import Annotated

from fastapi import APIRouter, Header, Path, Response
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from handrail.codec import decode
from handrail.core.evolve import fold
from handrail.core.outstanding import open_holds
from handrail.errors import StoredDataError
from handrail.service.auth.callers import CalledBy, Caller
from handrail.service.desk import LONGEST_ID, Asked, NotThere
from handrail.service.problems import Problem
from handrail.service.running import Running
from handrail.service.schemas.fields import KEY
from handrail.service.schemas.jobs import Accepted, Invoke, JobBody, WaitingFor
from handrail.service.schemas.others import Warm
from handrail.stores.approvals import ApprovalStatus
from handrail.stores.jobs import Job, JobStatus
from handrail.stores.transactions import read

LOOK_AGAIN = "1"
"""Seconds after which to look how a job goes."""

JobId = Annotated[str, Path(max_length=LONGEST_ID, description="As `POST /agent/invoke` gave it.")]
logger = logging.getLogger(__name__)


def router(running: Running) -> APIRouter:
    """The routes."""
    routes = APIRouter(prefix="/agent", tags=["agent"])
    in_flight: set[tuple[str, str]] = set()

    @routes.post("/invoke", status_code=202, responses={404: {}, 409: {}})
    async def invoke(
        asking: Invoke,
        response: Response,
        called_by: CalledBy,
        idempotency_key: Annotated[str | None, Header(alias="Idempotency-Key", pattern=KEY, description="Safe to ask again.")] = None,
    ) -> Accepted:
        """Ask an agent. Where a run of the session waits for somebody, the message goes into that run, and its job is the answer."""
        caller = called_by.acting_for(asking.user_id)
        running.messages.take(caller.user_id)
        asked = Asked(
            user_id=caller.user_id,
            session_id=asking.session_id,
            app=await _app(running, caller, asking),
            message=asking.message,
            idempotency_key=idempotency_key,
        )
        with _alone(in_flight, caller, idempotency_key):
            job = await running.desk.invoke(asked)
        response.headers.update({"Location": f"/agent/status/{job.job_id}", "Retry-After": LOOK_AGAIN})
        return Accepted(job_id=job.job_id, session_id=job.session_id, status=job.status)

    @routes.get("/status/{job_id}", response_model=JobBody, responses={304: {"description": "Nothing has changed."}, 404: {}})
    async def status(
        job_id: JobId,
        called_by: CalledBy,
        if_none_match: Annotated[str | None, Header(alias="If-None-Match", description="The ETag of what is known already.")] = None,
    ) -> Response:
        """How a job goes."""
        return await shown(running, await running.desk.job(called_by.user_id, job_id), seen=if_none_match)

    @routes.get("/warmup")
    async def warmup(called_by: CalledBy) -> Warm:
        """Open the way to the database, so that what comes next is quick."""
        await read(running.database, _select_one)
        return Warm(status="warm")

    return routes


async def shown(running: Running, job: Job, *, seen: str | None = None, status: int = 200) -> Response:
    """A job as an answer; 304 where the client has seen it as it is."""
    body = JobBody.of(job, await waiting_for(running, job)).model_dump_json().encode()
    tag = f'"{sha256(body).hexdigest()[:32]}"'
    headers = {"ETag": tag, "Cache-Control": "private, no-cache"}
    if seen is not None and _is_seen(seen, tag):
        return Response(status_code=304, headers=headers)
    return Response(body, status_code=status, media_type="application/json", headers=headers)


async def waiting_for(running: Running, job: Job) -> list[WaitingFor]:
    """What the job waits for, as its journal says; a journal that cannot be read does not hide the job."""
    if job.status is not JobStatus.INPUT_REQUIRED:
        return []
    lines = await running.desk.lines(job.user_id, job.job_id, after=-1)
    pending = await running.desk.approvals(job.user_id, status=ApprovalStatus.PENDING)
    approvals = {approval.hold: approval.approval_id for approval in pending if approval.job_id == job.job_id}
    try:
        return [WaitingFor.of(hold, approvals) for hold in open_holds(fold(decode(line) for _, line in lines))]
    except StoredDataError:
        logger.exception("%s: what it waits for cannot be read", job.job_id)
        return []


async def _app(running: Running, caller: Caller, asking: Invoke) -> str:
    """The app that is named, the session's, or the only one."""
    if asking.app is not None:
        if asking.app not in running.apps:
            raise Problem(404, "no_app", "There is no such app here.")
        return asking.app
    if len(running.apps) == 1:
        return running.apps[0]
    try:
        return (await running.desk.session(caller.user_id, asking.session_id)).app
    except NotThere:
        detail = f"Several apps are served; name one as `app`: {', '.join(running.apps)}."
        raise Problem(404, "no_app", detail) from None


@contextmanager
def _alone(in_flight: set[tuple[str, str]], caller: Caller, key: str | None) -> Iterator[None]:
    """Nobody else in this process asks with the same key meanwhile."""
    if key is None:
        yield
        return
    claimed = (caller.user_id, key)
    if claimed in in_flight:
        detail = "The same request is being taken on at this moment; ask again for its job."
        raise Problem(409, "in_flight", detail, headers={"Retry-After": LOOK_AGAIN})
    in_flight.add(claimed)
    try:
        yield
    finally:
        in_flight.discard(claimed)


def _is_seen(seen: str, tag: str) -> bool:
    """Whether `If-None-Match` has the tag (RFC 9110, 13.1.2: weakly compared)."""
    return seen.strip() == "*" or tag in {one.strip().removeprefix("W/") for one in seen.split(",")}


async def _select_one(connection: AsyncConnection) -> None:
    await connection.execute(text("SELECT 1"))
