"""A user's jobs across sessions, and what runs them."""

from typing import Self

from pydantic import BaseModel, Field

from handrail.service.schemas.jobs import JobListed
from handrail.stores.jobs import Job, JobStatus


class JobRow(JobListed):
    """A job, with where it belongs."""

    session_id: str
    app: str
    retry_of: str | None

    @classmethod
    def of(cls, job: Job) -> Self:
        """The job as a client sees it."""
        return cls(**{name: getattr(job, name) for name in cls.model_fields})


class Jobs(BaseModel):
    """Jobs, newest first."""

    jobs: list[JobRow]


class Fleet(BaseModel):
    """What runs jobs, and how many there are."""

    engine: str = Field(description="Who wakes sessions: `embedded` (this process, over SQLite), `postgres` or `lambda`.")
    runs_here: bool = Field(description="Whether the process that answers runs jobs itself; otherwise workers do.")
    workers: int | None = Field(description="Workers that live, on any machine; `null` where none are needed.")
    jobs: dict[JobStatus, int] = Field(description="The user's jobs, by status.")
