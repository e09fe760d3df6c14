"""How a run ends, or what it waits for.

An outcome is a value, never an exception: a refusal, a failure and a cancellation are ways to end.
"""

from datetime import datetime
from enum import StrEnum
from typing import Any

import msgspec

from handrail.vocab.calls import By
from handrail.vocab.usage import Usage


class Status(StrEnum):
    """The four ways to end."""

    COMPLETED = "completed"
    REFUSED = "refused"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Outcome(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """How a run ended.

    Args:
        status: one of the four.
        output: the answer's text, what the submit tool returned, or what landing composed.
        partial: a limit made it shorter than it was meant to be.
        unconfirmed: a person should have said yes to it, and has not.
        unreviewed: a reviewer should have looked at it, and has not, or has found flaws.
        limit: the name of the limit that ended it.
        reason: why it failed, was refused or cancelled; one line without secrets.
        unread: messages of the user's that came too late to be read.
        usage: tokens used, the reviewer's included.
    """

    status: Status
    output: Any = None
    partial: bool = False
    unconfirmed: bool = False
    unreviewed: bool = False
    limit: str | None = None
    reason: str | None = None
    unread: tuple[str, ...] = ()
    usage: Usage = Usage()


class HoldKind(StrEnum):
    """What a person is asked for."""

    APPROVAL = "approval"
    QUESTION = "question"
    MESSAGE = "message"


class OpenHold(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something that a person (or a reviewer) has to answer before the run goes on.

    Args:
        id: what an answer names.
        kind: an approval of a call, a question whose answer is the call's result, or any message of the user's.
        digest: what an approval is bound to; an answer gives it back.
        show: the document to say yes or no to, the question, or the text that waits for a message.
    """

    id: str
    kind: HoldKind
    by: By
    tool: str | None = None
    arguments: str | None = None
    show: str | dict[str, Any] = ""
    digest: str = ""
    expires_at: datetime | None = None


class Parked(msgspec.Struct, frozen=True, kw_only=True):
    """A run that waits for people and holds no process meanwhile; `resume` goes on with it."""

    run_id: str
    holds: tuple[OpenHold, ...]
