"""What the stand-in understands of any library's messages: it is a few rules for the forms of one, and a language model knows them all.

- A tool result that is no JSON is an error, in whatever words, unless it is what the travellers have said; so is one with nothing but an
  error in it, in whatever form.
- A message in the user's role that is not the travellers' is a note of the library's, such as that a tool is to be called.
- The travellers saying the same again is a new beginning only where they were asked something, or told shortly that there is a difficulty.
"""

import json
from collections.abc import Mapping
from typing import Any

from benchmarks.decency.travellers import TASKS
from handrail.models.rehearsal.conversation import conversation, text
from handrail.models.rehearsal.scenario import Conversation
from handrail.models.wire import NOTE

SUBMIT = "submit_plan"
SHORT = 200
"""Letters."""

SAID = frozenset(words for task in TASKS for words in (task.says, task.tells, task.change.says if task.change is not None else "") if words)


def understood(talk: Conversation) -> Conversation:
    """The same conversation in the forms that the scenarios know."""
    if SUBMIT not in talk.declarations:
        return talk
    messages: list[Mapping[str, Any]] = []
    for message in talk.messages:
        messages.append(_message(message, messages))
    body = {
        "model": talk.model,
        "messages": messages,
        "tools": [{"function": declared} for declared in talk.declarations.values()],
        "tool_choice": talk.choice if talk.choice in {"auto", "none", "required"} else {"function": {"name": talk.choice}},
    }
    return conversation(body, attempt=talk.attempt)


def _message(message: Mapping[str, Any], before: list[Mapping[str, Any]]) -> Mapping[str, Any]:
    content = text(message)
    match message["role"]:
        case "tool" if (error := _error(content)) is not None:
            return {**message, "content": json.dumps({"error": error}, ensure_ascii=False)}
        case "user" if content:
            return {**message, "content": "\n\n".join(_paragraph(each, before) for each in content.split("\n\n"))}
        case _:
            return message


def _paragraph(words: str, before: list[Mapping[str, Any]]) -> str:
    known = words in SAID and not (_was_said(words, before) and not _asked(before))
    return words if known or not words or words.startswith(NOTE) else f"{NOTE}{words}"


def _was_said(words: str, before: list[Mapping[str, Any]]) -> bool:
    return any(message["role"] == "user" and words in text(message).split("\n\n") for message in before)


def _asked(before: list[Mapping[str, Any]]) -> bool:
    told = text(before[-1]) if before and before[-1]["role"] == "assistant" else ""
    return "?" in told or 0 < len(told) <= SHORT


def _error(content: str) -> str | None:
    """What is wrong, where the result is not one already."""
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        value = content
    match value:
        case str():
            return None if value in SAID else value
        case {"error": error, **others} if not others:
            return error if isinstance(error, str) else json.dumps(error, ensure_ascii=False)
        case _:
            return None
