"""Asking an agent, and how that goes."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Self

from pydantic import BaseModel, Field

from handrail.service.schemas.fields import NAME, Asking, MessageText, SessionId, UserId
from handrail.stores.jobs import Job, JobStatus
from handrail.vocab.outcomes import HoldKind, OpenHold


class Invoke(Asking):
    """One message to an agent. What was said before is the server's: it is not sent along."""

    session_id: SessionId
    user_id: UserId | None = Field(default=None, description="For whom; the key's own user where it is left away.")
    message: MessageText
    app: Annotated[str, Field(pattern=NAME)] | None = Field(
        default=None, description="Which agent; the session's, or the only one that is served, where it is left away."
    )


class Say(Asking):
    """Something that the user says into a run that is going on."""

    message: MessageText


class Accepted(BaseModel):
    """The message is taken on."""

    job_id: str
    session_id: str
    status: JobStatus


class WaitingFor(BaseModel):
    """What a person has to answer before the run goes on: an approval is decided, everything else is answered with a message."""

    hold: str
    kind: HoldKind
    tool: str | None
    show: Any = Field(description="The document to say yes or no to, the question, or the text that waits for a message.")
    expires_at: datetime | None
    approval_id: str | None = Field(description="What to decide, where it is an approval.")

    @classmethod
    def of(cls, hold: OpenHold, approvals: Mapping[str, str]) -> Self:
        """The hold as a client sees it; `approvals` are those of its job, by their holds."""
        approval_id = approvals.get(hold.id)
        return cls(hold=hold.id, kind=hold.kind, tool=hold.tool, show=hold.show, expires_at=hold.expires_at, approval_id=approval_id)


class JobListed(BaseModel):
    """A job, with what was asked and what was answered."""

    job_id: str
    status: JobStatus
    message: str
    response: str | None
    created_at: datetime
    updated_at: datetime


class JobBody(BaseModel):
    """A job as it stands."""

    job_id: str
    session_id: str
    user_id: str
    app: str
    status: JobStatus
    message: str
    response: str | None = Field(description="The answer, once there is one; where the run failed, why.")
    outcome: dict[str, Any] | None = Field(description="How the run ended: status, partial, unconfirmed, unreviewed, limit, reason, usage.")
    waiting_for: list[WaitingFor] = Field(description="What people have to answer while the status is INPUT_REQUIRED.")
    history_tokens: int = Field(description="Tokens of the session's history at the last model call.")
    history_limit: int = Field(description="Tokens beyond which older turns are summarised; warn people at 80%.")
    retry_of: str | None
    created_at: datetime
    updated_at: datetime

    @classmethod
    def of(cls, job: Job, waiting_for: list[WaitingFor]) -> Self:
        """The job as a client sees it."""
        return cls(
            job_id=job.job_id,
            session_id=job.session_id,
            user_id=job.user_id,
            app=job.app,
            status=job.status,
            message=job.message,
            response=job.response,
            outcome=job.outcome,
            waiting_for=waiting_for,
            history_tokens=job.history_tokens,
            history_limit=job.history_limit,
            retry_of=job.retry_of,
            created_at=job.created_at,
            updated_at=job.updated_at,
        )
