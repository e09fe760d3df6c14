"""One exchange between a page and the runs of its session."""

from datetime import datetime
from typing import Annotated, Any, Self

import msgspec
from pydantic import BaseModel, Field

from handrail.drivers.messages import ClientResult
from handrail.service.client_calls import LONGEST_ERROR, ClientCall, failed, returned
from handrail.service.hops import LONGEST_WAIT, Done, Refused
from handrail.service.schemas.fields import NAME, NOT_BLANK, Asking, MessageText
from handrail.service.schemas.jobs import JobBody

MOST_RESULTS = 32


class DoneBody(Asking):
    """What came of a client call: its content, or why it was not made."""

    job_id: Annotated[str, Field(max_length=64)]
    call_id: Annotated[str, Field(max_length=64)]
    content: Any = None
    error: Annotated[str, Field(min_length=1, max_length=LONGEST_ERROR, pattern=NOT_BLANK)] | None = None

    def done(self) -> Done:
        """What the run is told."""
        result: ClientResult = returned(self.call_id, self.content) if self.error is None else failed(self.call_id, self.error)
        return Done(self.job_id, result)


class HopBody(Asking):
    """What happened in the page."""

    app: Annotated[str, Field(pattern=NAME)] = Field(description="Which agent the page is for.")
    message: MessageText | None = None
    results: list[DoneBody] = Field(default_factory=list, max_length=MOST_RESULTS)
    resume: bool = Field(
        default=False, description="The page has just been opened: what was handed out before may be made again, but for writes."
    )
    wait: float = Field(
        default=LONGEST_WAIT.total_seconds(), ge=0, le=LONGEST_WAIT.total_seconds(), description="How long to wait for news, in seconds."
    )


class CallBody(BaseModel):
    """A call that is this page's to make, now."""

    job_id: str
    call_id: str
    tool: str
    arguments: dict[str, Any]
    deadline: datetime

    @classmethod
    def of(cls, job_id: str, call: ClientCall) -> Self:
        """The call as a page sees it."""
        arguments = msgspec.json.decode(call.arguments, type=dict[str, Any])
        return cls(job_id=job_id, call_id=call.call_id, tool=call.tool, arguments=arguments, deadline=call.deadline)


class RefusedBody(BaseModel):
    """A result that does not count: `twice`, `expired`, `phase`, or `call` (there is no place for it any more)."""

    call_id: str
    code: str

    @classmethod
    def of(cls, refused: Refused) -> Self:
        """The refusal as a page sees it."""
        return cls(call_id=refused.call_id, code=refused.code)


class HoppedBody(BaseModel):
    """What there is to do now."""

    job: JobBody | None = Field(description="The session's job as it stands; none before there was a first message.")
    calls: list[CallBody]
    refused: list[RefusedBody]
