"""What the travellers have said in the whole conversation, in order: their messages and their answers, those of earlier runs included.

Rules: later words win over earlier ones; an answer is read as an answer to its question, so one word may be enough.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from handrail.apps.trips.scenarios.wishes import answered, named, wishes
from handrail.models.rehearsal import Conversation
from handrail.models.rehearsal.conversation import own_words, text

ASK = "ask_traveller"
QUESTIONS = {
    "ages": "How old is everybody who travels? Please say it as: ages 38, 35 and 6",
    "month": "In which month do you want to go? Please say it as: in October",
    "days": "How many days do you have? Please say it as: ten days",
}
AGAIN = "I could not read that. {question}"


class Words(msgspec.Struct, frozen=True):
    """Some of it.

    Args:
        text: as it was said.
        asked: the field of the brief that they were asked for; `None` where this is no answer.
        answer: whether it is one.
    """

    text: str
    asked: str | None = None
    answer: bool = False


def heard(conversation: Conversation) -> list[Words]:
    """All of it, the oldest first."""
    return [*_earlier(conversation), *_since(conversation)]


def fields_in(conversation: Conversation) -> dict[str, Any]:
    """The fields of a brief; if the latest message and its answers name none, that message is a wish."""
    fields: dict[str, Any] = {}
    for words in heard(conversation):
        fields |= _read(words, fields)
    latest = _since(conversation)
    if any(_read(words, {}) for words in latest):
        return fields
    return fields | wishes(conversation.user)


def times_asked(conversation: Conversation, field: str) -> int:
    """How often the travellers were asked for it since their latest message."""
    return sum(result.tool == ASK and asked_for(str(result.arguments.get("question"))) == field for result in conversation.results)


def asked_for(question: str) -> str | None:
    """The field that a question is about, in the first wording or the second."""
    return next((field for field, words in QUESTIONS.items() if words in question), None)


def _read(words: Words, before: Mapping[str, Any]) -> dict[str, Any]:
    found = named(words.text, before)
    if words.asked is None or words.asked in found:
        return found
    value = answered(words.asked, words.text)
    return found if value is None else {**found, words.asked: value}


def _since(conversation: Conversation) -> list[Words]:
    answers = conversation.results_of(ASK)
    return [
        Words(conversation.user),
        *(Words(str(each.value), asked=asked_for(str(each.arguments.get("question"))), answer=True) for each in answers),
    ]


def _earlier(conversation: Conversation) -> list[Words]:
    """What came before the latest message."""
    everything = list(_in_messages(conversation))
    messages = [at for at, words in enumerate(everything) if not words.answer]
    return everything[: messages[-1]] if messages else []


def _in_messages(conversation: Conversation) -> Iterator[Words]:
    questions: dict[str, str] = {}
    for message in conversation.messages:
        if message["role"] == "assistant":
            calls = [call for call in message.get("tool_calls") or () if call["function"]["name"] == ASK]
            questions = {call["id"]: call["function"]["arguments"] for call in calls}
        elif message["role"] == "user" and (words := own_words(message)):
            yield Words(words)
        elif message["role"] == "tool" and message["tool_call_id"] in questions and not text(message).startswith('{"error"'):
            yield Words(text(message), asked=asked_for(questions[message["tool_call_id"]]), answer=True)
