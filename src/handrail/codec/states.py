"""A whole state as JSON, for snapshots. The journal is the truth: a snapshot that cannot be read is thrown away and folded again."""

from typing import Any

import msgspec

from handrail.codec.events import VERSION, lifted
from handrail.codec.text import cleaned
from handrail.core.state import RunState
from handrail.errors import JournalError

_encoder = msgspec.json.Encoder()


class _Stored(msgspec.Struct, frozen=True):
    v: int
    state: RunState


def encode_state(state: RunState) -> bytes:
    """The state as one line of JSON."""
    return _encoder.encode(cleaned(_Stored(VERSION, state)))


def decode_state(text: bytes | str) -> RunState:
    """The state of such a line.

    Raises:
        JournalError: what it is instead.
    """
    try:
        stored: Any = msgspec.json.decode(text)
        return msgspec.convert(lifted(stored, VERSION, {}).get("state"), type=RunState)
    except msgspec.ValidationError as error:
        raise JournalError(f"this is no state: {error}") from error
    except (msgspec.DecodeError, UnicodeError) as error:
        raise JournalError(f"this is no state: {error}") from error
