"""Long ids as short ones, for as long as the model sees them: a small model garbles 36 characters, and a UUID costs 25 tokens.

- Each id is numbered where it first appears, so that a conversation that grows keeps its beginning.
- What the model writes is put back before anybody else sees it. A short id that stands for nothing stays what it is, and is judged like any
  value.
"""

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from handrail.vocab.messages import AssistantMessage, Message, Said, ToolMessage, UserMessage

LONG = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b[0-9a-f]{24,}\b")
SHORT = re.compile(r"\bid-\d+\b")


class Aliases:
    """The short ids of one request."""

    def __init__(self) -> None:
        """None yet."""
        self._short: dict[str, str] = {}
        self._long: dict[str, str] = {}

    def shorten(self, text: str) -> str:
        """The text with short ids."""
        return LONG.sub(lambda found: self._of(found[0]), text)

    def shortened(self, messages: Sequence[Message]) -> tuple[Message, ...]:
        """The messages with short ids in their texts."""
        return tuple(self._message(message) for message in messages)

    def lengthen(self, value: Any) -> Any:
        """A value with the ids themselves."""
        match value:
            case str():
                return SHORT.sub(lambda found: self._long.get(found[0], found[0]), value)
            case dict():
                return {name: self.lengthen(part) for name, part in value.items()}
            case list():
                return [self.lengthen(part) for part in value]
            case _:
                return value

    def _of(self, id: str) -> str:
        short = self._short.setdefault(id, f"id-{len(self._short) + 1}")
        self._long[short] = id
        return short

    def _message(self, message: Message) -> Message:
        match message:
            case UserMessage():
                said = tuple(Said(text=self.shorten(part.text), ours=part.ours) for part in message.said)
                return msgspec.structs.replace(message, said=said)
            case AssistantMessage() if message.text:
                return msgspec.structs.replace(message, text=self.shorten(message.text))
            case ToolMessage() | AssistantMessage():
                return message
