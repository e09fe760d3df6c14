"""What a message of the mailbox is to the run.

It counts from when it was sent, not from when a worker came to read it: a yes that was given in time stays in time (case 52).
"""

from typing import Any, TypeVar

import msgspec

from handrail.core.events import Cancelled, HoldAnswered, Input, LandRequested, UserSaid
from handrail.errors import StoredDataError
from handrail.stores.mailbox import MessageKind, RunMessage
from handrail.vocab.reviews import Answer

BY_USER = "cancelled by the user"
B = TypeVar("B", bound=msgspec.Struct)


class Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of what the user says."""

    text: str


class Decision(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of a decision on an approval."""

    hold: str
    digest: str
    approve: bool
    comment: str
    by: str


def input_of(message: RunMessage) -> Input:
    """The input.

    Raises:
        StoredDataError: the message is not what its kind says.
    """
    at = message.created_at
    match message.kind:
        case MessageKind.SAY:
            return UserSaid(at=at, text=_body(message, Words).text)
        case MessageKind.LAND:
            return LandRequested(at=at)
        case MessageKind.CANCEL:
            return Cancelled(at=at, reason=BY_USER)
        case MessageKind.DECISION:
            said = _body(message, Decision)
            answer = Answer.YES if said.approve else Answer.NO
            return HoldAnswered(at=at, hold=said.hold, digest=said.digest, answer=answer, comment=said.comment, by=said.by)


def _body(message: RunMessage, kind: type[B]) -> B:
    body: Any = message.body
    try:
        return msgspec.convert(body, type=kind)
    except msgspec.ValidationError as error:
        raise StoredDataError(f"message {message.message_id} is no {message.kind.value}: {error}") from error
