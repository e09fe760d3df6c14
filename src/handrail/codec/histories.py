"""A session's messages, written by a version that knew more fields than this one: what is unknown here is left out, and the session opens.

- Journals are strict, since a run is what its events say. A history is only what a model is told of the past, and a session has but one.
- A message of an unknown kind stays, and cannot be read: left out, it could take a call away from its result.
"""

from typing import Any

import msgspec

from handrail.vocab.calls import ProposedCall
from handrail.vocab.messages import AssistantMessage, Said, ToolMessage, UserMessage

_KINDS: dict[Any, type[msgspec.Struct]] = {kind.__struct_config__.tag: kind for kind in (UserMessage, AssistantMessage, ToolMessage)}
_PARTS: dict[str, type[msgspec.Struct]] = {"said": Said, "calls": ProposedCall}
_TAG = "type"


def known_messages(stored: Any) -> Any:
    """The stored messages without the fields that this version does not know."""
    return [_message(each) if isinstance(each, dict) else each for each in stored] if isinstance(stored, list) else stored


def _message(stored: dict[str, Any]) -> dict[str, Any]:
    kind = _KINDS.get(stored.get(_TAG))
    if kind is None:
        return stored
    message = _known(stored, kind) | {_TAG: stored[_TAG]}
    for name, part in _PARTS.items():
        if isinstance(message.get(name), list):
            message[name] = [_known(each, part) if isinstance(each, dict) else each for each in message[name]]
    return message


def _known(stored: dict[str, Any], kind: type[msgspec.Struct]) -> dict[str, Any]:
    return {name: value for name, value in stored.items() if name in kind.__struct_encode_fields__}
