"""The transcript's messages, as chat completions know them, in our own form.

The system text is no message here: it is the agent's, and is put in front when a request is made.
"""

from typing import Any

import msgspec

from handrail.vocab.calls import ProposedCall


class Said(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """One thing said in the user's role: by the user, or (`ours`) a note of the ring's."""

    text: str
    ours: bool = False


class UserMessage(msgspec.Struct, frozen=True, kw_only=True, tag="user", forbid_unknown_fields=True):
    """What the user said and what the ring noted, merged, since providers refuse two user messages in a row."""

    said: tuple[Said, ...]


class AssistantMessage(msgspec.Struct, frozen=True, kw_only=True, tag="assistant", omit_defaults=True, forbid_unknown_fields=True):
    """A model's reply: text, calls, and fields of the provider's (such as `reasoning_content`) to be sent back."""

    text: str | None = None
    calls: tuple[ProposedCall, ...] = ()
    extra: dict[str, Any] = {}


class ToolMessage(msgspec.Struct, frozen=True, kw_only=True, tag="tool", forbid_unknown_fields=True):
    """What one call led to, as the model sees it."""

    call: str
    content: str


Message = UserMessage | AssistantMessage | ToolMessage


def user(text: str) -> UserMessage:
    """A message of the user's own."""
    return UserMessage(said=(Said(text=text),))
