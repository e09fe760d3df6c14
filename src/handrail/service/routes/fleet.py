"""`GET /agent/jobs` and `GET /agent/fleet`: the user's jobs, and what runs them."""

from typing import Annotated

from fastapi import APIRouter, Query

from handrail.service.apps import named
from handrail.service.auth.callers import CalledBy
from handrail.service.opening import WORKERS
from handrail.service.running import Running
from handrail.service.schemas.fleet import Fleet, JobRow, Jobs
from handrail.stores import jobs
from handrail.stores.jobs import JobStatus
from handrail.stores.transactions import read


def router(running: Running) -> APIRouter:
    """The routes."""
    routes = APIRouter(prefix="/agent", tags=["jobs"])

    @routes.get("/jobs")
    async def listed(called_by: CalledBy, status: Annotated[JobStatus | None, Query(description="Only those.")] = None) -> Jobs:
        """The user's jobs of all sessions, newest first; 100 at most."""
        found = await read(running.database, jobs.listed, user_id=called_by.user_id, status=status)
        return Jobs(jobs=[JobRow.of(job) for job in found])

    @routes.get("/fleet")
    async def fleet(called_by: CalledBy) -> Fleet:
        """How many jobs of the user's there are, by status, and what runs them."""
        counted = await read(running.database, jobs.by_status, user_id=called_by.user_id)
        engine = type(running.engine).__name__.removesuffix("Engine").lower()
        workers = (await named(WORKERS)(running.database))[0] if engine == "postgres" else None
        return Fleet(engine=engine, runs_here=running.runs, workers=workers, jobs={status: counted.get(status, 0) for status in JobStatus})

    return routes
