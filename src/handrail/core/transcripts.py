"""The transcript as a list of messages: where it may be cut, what is cut, and what is said in the user's role."""

from collections.abc import Iterator, Sequence

from handrail.vocab.messages import AssistantMessage, Message, Said, ToolMessage, UserMessage


def with_user(transcript: tuple[Message, ...], said: tuple[Said, ...]) -> tuple[Message, ...]:
    """The transcript with that at its end; providers refuse two user messages in a row."""
    if not said:
        return transcript
    if transcript and isinstance(transcript[-1], UserMessage):
        return (*transcript[:-1], UserMessage(said=(*transcript[-1].said, *said)))
    return (*transcript, UserMessage(said=said))


def cuts(transcript: Sequence[Message]) -> Iterator[int]:
    """How many messages can go, from the least on: never a call without its results."""
    for upto in range(1, len(transcript) + 1):
        if upto == len(transcript) or not isinstance(transcript[upto], ToolMessage):
            yield upto


def own_words(transcript: Sequence[Message], upto: int) -> int | None:
    """The place of the user's last words if they are among the first `upto` messages."""
    for place in range(len(transcript) - 1, -1, -1):
        message = transcript[place]
        if isinstance(message, UserMessage) and any(not said.ours for said in message.said):
            return place if place < upto else None
    return None


def cut(transcript: tuple[Message, ...], upto: int, text: str) -> tuple[Message, ...]:
    """The transcript with the text instead of its first `upto` messages, and the user's last words kept."""
    place = own_words(transcript, upto)
    message = None if place is None else transcript[place]
    kept = tuple(said for said in message.said if not said.ours) if isinstance(message, UserMessage) else ()
    rest = transcript[upto:]
    said = (Said(text=text, ours=True), *kept)
    if rest and isinstance(rest[0], UserMessage):
        return (UserMessage(said=(*said, *rest[0].said)), *rest[1:])
    return (UserMessage(said=said), *rest)


def ends_with_reply(transcript: Sequence[Message]) -> bool:
    """Whether the model has spoken last."""
    return bool(transcript) and isinstance(transcript[-1], AssistantMessage)
