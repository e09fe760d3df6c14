"""Calls that the user's browser makes for a run."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, Self

from pydantic import BaseModel, Field

from handrail.drivers.messages import ClientResult
from handrail.service.client_calls import LONGEST_ERROR, ClientCall, failed, returned
from handrail.service.schemas.fields import NOT_BLANK, Asking


class ClientCallBody(BaseModel):
    """A call that waits for the browser."""

    call_id: str
    tool: str
    arguments: str = Field(description="The arguments, as JSON, as they were judged.")
    deadline: datetime = Field(description="When it is too late: the run goes on without a result.")
    started: bool = Field(description="It has been handed out, and is not handed out again.")

    @classmethod
    def of(cls, call: ClientCall) -> Self:
        """The call as a client sees it."""
        return cls(**{name: getattr(call, name) for name in cls.model_fields})


class ClientCalls(BaseModel):
    """A job's calls that wait for the browser, in the model's order."""

    calls: list[ClientCallBody]

    @classmethod
    def of(cls, found: Sequence[ClientCall]) -> Self:
        """The calls as a client sees them."""
        return cls(calls=[ClientCallBody.of(call) for call in found])


class ReturnedBody(Asking):
    """The call was made."""

    content: Any = Field(description="What came of it: text, or anything else that is JSON.")

    def result(self, call_id: str) -> ClientResult:
        """What the run is told."""
        return returned(call_id, self.content)


class FailedBody(Asking):
    """The call was not made, and nothing has happened."""

    error: Annotated[str, Field(min_length=1, max_length=LONGEST_ERROR, pattern=NOT_BLANK, description="Why; the model is told.")]

    def result(self, call_id: str) -> ClientResult:
        """What the run is told."""
        return failed(call_id, self.error)


class Taken(BaseModel):
    """The result counts."""

    job_id: str
    call_id: str
