"""In what providers differ, as data: there is no `if` about a provider anywhere else.

All of them speak chat completions; what is not said here is the same for all.
"""

from enum import StrEnum

import msgspec


class IdForm(StrEnum):
    """What ids of calls a provider takes back: up to 40 visible characters, or exactly nine letters and digits."""

    FORTY = "forty"
    NINE = "nine"


class EmptyContent(StrEnum):
    """What a provider wants as the content of an assistant message that has only calls."""

    NULL = "null"
    TEXT = "text"
    ABSENT = "absent"


class ProviderTraits(msgspec.Struct, frozen=True, kw_only=True):
    """One provider.

    Args:
        ids: which ids of calls it takes. Its own go back unchanged; others are mapped.
        tool_turn_content: the content of a turn that has only calls.
        replays: fields of an assistant message that it wants back, under these names (case 21).
        streams: whether it can stream. Where it cannot, watchers get the text in one piece.
        stream_usage: whether it knows `stream_options.include_usage`.
    """

    ids: IdForm = IdForm.FORTY
    tool_turn_content: EmptyContent = EmptyContent.NULL
    replays: tuple[str, ...] = ()
    streams: bool = True
    stream_usage: bool = True


OPENAI = ProviderTraits()
"""What OpenAI does, and most that speak its protocol."""
MISTRAL = ProviderTraits(ids=IdForm.NINE, tool_turn_content=EmptyContent.TEXT, stream_usage=False)
"""Ids of nine characters, no empty content, no tokens counted in a stream."""
REASONING = ProviderTraits(replays=("reasoning_content", "reasoning", "reasoning_details"))
"""Thinking models that refuse a conversation whose reasoning fields are gone."""
