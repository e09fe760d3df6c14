"""One event as one line of JSON, such as `{"v":2,"event":"Ticked","at":"2026-01-01T12:00:00Z"}`.

- Reading is strict: an unknown event, an unknown or missing field, a time without a zone or an unknown schema version is refused, by name.
- A version that is no longer the newest is lifted by `handrail.codec.upcasters`, one file a version, before it is read.
- The line has no line break of its own; whoever stores it puts one after it.
"""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from handrail.codec.text import cleaned
from handrail.codec.upcasters import UPCASTERS
from handrail.core.events import Event
from handrail.errors import JournalError

VERSION = 2
PREVIEW = 120

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder()
_HEAD = f'{{"v":{VERSION},'.encode()


def encode(event: Event) -> bytes:
    """The event's line.

    Raises:
        JournalError: it holds a value that has no JSON form.
    """
    try:
        return _HEAD + _encoder.encode(cleaned(event))[1:]
    except (TypeError, ValueError, OverflowError) as error:
        raise JournalError(f"{type(event).__name__} cannot be stored: {error}") from error


def decode(line: bytes | str) -> Event:
    """The event of a line.

    Raises:
        JournalError: what the line is instead.
    """
    try:
        stored = _decoder.decode(line)
    except (msgspec.DecodeError, UnicodeError) as error:
        raise JournalError(f"this is no line of a journal: {error}: {_preview(line)}") from error
    return read(stored)


def read(stored: Any) -> Event:
    """The event of a line that has been parsed already.

    Raises:
        JournalError: what it is instead.
    """
    fields = lifted(stored, VERSION, UPCASTERS)
    name = fields.get("event")
    try:
        event: Event = msgspec.convert(fields, type=Event)
    except msgspec.ValidationError as error:
        unknown = str(error).startswith("Invalid value") and str(error).endswith("$.event`")
        what = f"there is no event {name!r}" if unknown else f"this is no {name if isinstance(name, str) else 'event'}: {error}"
        raise JournalError(what) from error
    at = getattr(event, "at", None)
    if at is not None and at.tzinfo is None:
        raise JournalError(f"{name} has a time without a zone: {at.isoformat()!r}")
    return event


def lifted(stored: Any, newest: int, upcasters: Mapping[int, Callable[[dict[str, Any]], dict[str, Any]]]) -> dict[str, Any]:
    """What was stored without its version, lifted to the newest one.

    Raises:
        JournalError: it is no object, it names no version, or one that is not known here.
    """
    if not isinstance(stored, dict):
        raise JournalError(f"an object is expected, not {_preview(msgspec.json.encode(stored))}")
    version = stored.get("v")
    if type(version) is not int:
        raise JournalError(f"it names no schema version: {_preview(msgspec.json.encode(stored))}")
    fields = {key: value for key, value in stored.items() if key != "v"}
    while version < newest and version in upcasters:
        fields = upcasters[version](fields)
        version += 1
    if version != newest:
        newer = "It was written by a newer handrail; install that one." if version > newest else "No handrail has written that version."
        raise JournalError(f"schema version {version} cannot be read here (this is {newest}). {newer}")
    return fields


def _preview(line: bytes | str) -> str:
    text = line.decode(errors="replace") if isinstance(line, bytes) else line
    return repr(text if len(text) <= PREVIEW else text[: PREVIEW - 1] + "…")
