"""Conversations, and what was said in them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal, Self

from pydantic import BaseModel, Field

from handrail.core.history import DROPPED, QUOTED
from handrail.service.schemas.jobs import JobListed
from handrail.stores.jobs import Job
from handrail.stores.sessions import SessionRow
from handrail.vocab.messages import AssistantMessage, Message, ToolMessage, UserMessage

MOST_MESSAGES = 500


class SessionListed(BaseModel):
    """A conversation, without what was said."""

    session_id: str
    user_id: str
    app: str
    created_at: datetime
    updated_at: datetime


class Sessions(BaseModel):
    """A user's conversations, most recent first."""

    sessions: list[SessionListed]

    @classmethod
    def of(cls, rows: Sequence[SessionRow]) -> Self:
        """The rows as a client sees them."""
        return cls(sessions=[SessionListed(**_listed(row)) for row in rows])


class CallSaid(BaseModel):
    """A tool call that a model proposed: its arguments are the model's text, as it came."""

    id: str
    name: str
    arguments: str | None


class MessageSaid(BaseModel):
    """One message. `call` says which call a tool's message answers."""

    role: Literal["user", "assistant", "tool"]
    content: str | None
    calls: list[CallSaid] = []
    call: str | None = None

    @classmethod
    def of(cls, message: Message) -> Self:
        """The message as a client sees it; notes of the ring's are for the model only."""
        match message:
            case UserMessage():
                return cls(role="user", content="\n\n".join(said.text for said in message.said if not said.ours))
            case AssistantMessage():
                calls = [CallSaid(id=call.id, name=call.name, arguments=call.arguments) for call in message.calls]
                return cls(role="assistant", content=message.text, calls=calls)
            case ToolMessage():
                return cls(role="tool", content=message.content, call=message.call)


class SessionBody(SessionListed):
    """A conversation."""

    messages: list[MessageSaid] = Field(description=f"What was said in runs that have ended, oldest first; the last {MOST_MESSAGES}.")
    messages_before: int = Field(description="How many older ones there are.")
    summary: str | None = Field(
        description="What stands for the oldest messages to the model, where they were summarised or left out; people find them in `jobs`."
    )
    jobs: list[JobListed] = Field(description="Its jobs, newest first; the last 100.")

    @classmethod
    def made(cls, row: SessionRow, history: Sequence[Message], jobs: Sequence[Job]) -> Self:
        """The session as a client sees it."""
        heard = [message for message in history if not _is_note(message)]
        said = heard[-MOST_MESSAGES:]
        return cls(
            **_listed(row),
            messages=[MessageSaid.of(message) for message in said],
            messages_before=len(heard) - len(said),
            summary=summary_in(history),
            jobs=[
                JobListed(
                    job_id=job.job_id,
                    status=job.status,
                    message=job.message,
                    response=job.response,
                    created_at=job.created_at,
                    updated_at=job.updated_at,
                )
                for job in jobs
            ],
        )


def summary_in(history: Sequence[Message]) -> str | None:
    """What stands for the oldest messages, where the history was cut."""
    first = history[0] if history else None
    notes = [said.text for said in first.said if said.ours] if isinstance(first, UserMessage) else []
    return next((note for note in notes if note.startswith((QUOTED, DROPPED))), None)


def _is_note(message: Message) -> bool:
    return isinstance(message, UserMessage) and all(said.ours for said in message.said)


def _listed(row: SessionRow) -> dict[str, Any]:
    return {name: getattr(row, name) for name in SessionListed.model_fields}
