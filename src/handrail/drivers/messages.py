"""What a message of the mailbox is to the run.

It counts from when it was sent, not from when a worker came to read it: a yes that was given in time stays in time (case 52).
"""

from datetime import datetime
from typing import Any, TypeVar

import msgspec

from handrail.core.events import Cancelled, FactsNoted, HoldAnswered, Input, LandRequested, ToolFailed, ToolReturned, ToolStarted, UserSaid
from handrail.errors import StoredDataError
from handrail.stores.mailbox import MessageKind, RunMessage
from handrail.vocab.facts import Noted
from handrail.vocab.reviews import Answer

BY_USER = "cancelled by the user"
B = TypeVar("B", bound=msgspec.Struct)


class Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of what the user says, with what the interface has to say beside it."""

    text: str
    notes: tuple[str, ...] = ()


class Decision(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of a decision on an approval."""

    hold: str
    digest: str
    approve: bool
    comment: str
    by: str


class Started(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of a call that is handed out."""

    call: str


class ClientResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The body of what a client has made of a call: a result as the journal has it, or (`error`) that nothing happened."""

    call: str
    content: str = ""
    text: bool = False
    shown: str | None = None
    error: str | None = None


def input_of(message: RunMessage) -> Input:
    """The input.

    Raises:
        StoredDataError: the message is not what its kind says.
    """
    at = message.created_at
    match message.kind:
        case MessageKind.SAY:
            words = _body(message, Words)
            return UserSaid(at=at, text=words.text, notes=words.notes)
        case MessageKind.FACTS:
            noted = _body(message, Noted)
            return FactsNoted(at=at, source=noted.source, facts=noted.facts, replaces=noted.replaces)
        case MessageKind.LAND:
            return LandRequested(at=at)
        case MessageKind.CANCEL:
            return Cancelled(at=at, reason=BY_USER)
        case MessageKind.STARTED:
            return ToolStarted(at=at, call=_body(message, Started).call)
        case MessageKind.RESULT:
            return result_of(_body(message, ClientResult), at)
        case MessageKind.DECISION:
            said = _body(message, Decision)
            answer = Answer.YES if said.approve else Answer.NO
            return HoldAnswered(at=at, hold=said.hold, digest=said.digest, answer=answer, comment=said.comment, by=said.by)


def result_of(result: ClientResult, at: datetime) -> ToolReturned | ToolFailed:
    """What a client's result is to the run."""
    if result.error is not None:
        return ToolFailed(at=at, call=result.call, error=result.error)
    return ToolReturned(at=at, call=result.call, content=result.content, text=result.text, shown=result.shown)


def _body(message: RunMessage, kind: type[B]) -> B:
    body: Any = message.body
    try:
        return msgspec.convert(body, type=kind)
    except msgspec.ValidationError as error:
        raise StoredDataError(f"message {message.message_id} is no {message.kind.value}: {error}") from error
