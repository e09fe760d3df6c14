"""Approvals: what somebody has to say yes or no to."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, Self

from pydantic import BaseModel, Field, StrictBool

from handrail.service.schemas.fields import Asking, Comment
from handrail.stores.approvals import Approval, ApprovalStatus


class Decision(Asking):
    """A yes or a no. Only `true` is a yes (case 55)."""

    approve: StrictBool
    comment: Comment = ""
    digest: Annotated[str, Field(max_length=64)] | None = Field(
        default=None, description="Of the approval that was shown; where it is given and is not this one's, nothing is decided (412)."
    )


class ApprovalBody(BaseModel):
    """One approval."""

    approval_id: str
    job_id: str
    session_id: str
    user_id: str
    tool: str
    arguments: str = Field(description="The exact final arguments, as JSON: what a yes is bound to.")
    show: Any = Field(description="The document to say yes or no to.")
    digest: str
    status: ApprovalStatus
    decided_by: str | None
    comment: str | None
    created_at: datetime
    decided_at: datetime | None
    expires_at: datetime | None

    @classmethod
    def of(cls, approval: Approval) -> Self:
        """The approval as a client sees it."""
        return cls(**{name: getattr(approval, name) for name in cls.model_fields})


class Approvals(BaseModel):
    """Approvals, newest first."""

    approvals: list[ApprovalBody]

    @classmethod
    def of(cls, found: Sequence[Approval]) -> Self:
        """The rows as a client sees them."""
        return cls(approvals=[ApprovalBody.of(approval) for approval in found])
