"""A request's body as a `Conversation`. The body has passed the contract of a strict provider before.

A user-role message holds what the user said and the ring's notes, a paragraph each; notes begin with `[note] `.
"""

import json
from collections.abc import Mapping
from typing import Any

from handrail.models.rehearsal.scenario import Conversation, ToolResult
from handrail.models.wire import NOTE
from handrail.vocab.contract import SYSTEM


def conversation(body: Mapping[str, Any], *, attempt: int = 0) -> Conversation:
    """The conversation in a request, which the client has sent so often before."""
    messages = body["messages"]
    said = [(at, words) for at, message in enumerate(messages) if message["role"] == "user" and (words := own_words(message))]
    since = messages[said[-1][0] :] if said else messages
    choice = body.get("tool_choice", "auto")
    return Conversation(
        model=body["model"],
        system=text(messages[0]) if messages[0]["role"] in SYSTEM else "",
        said=tuple(words for _, words in said),
        notes=tuple(note for message in since if message["role"] == "user" for note in _notes(message)),
        results=_results(since),
        declarations={tool["function"]["name"]: tool["function"] for tool in body.get("tools", ())},
        choice=choice if isinstance(choice, str) else choice["function"]["name"],
        turns=sum(message["role"] == "assistant" for message in since),
        messages=tuple(messages),
        attempt=attempt,
    )


def text(message: Mapping[str, Any]) -> str:
    """The text of a message; other parts than text are passed over."""
    content = message.get("content") or ""
    return content if isinstance(content, str) else "\n\n".join(str(part["text"]) for part in content if part.get("type") == "text")


def arguments_of(called: Mapping[str, Any]) -> dict[str, Any]:
    """A call's arguments; nothing where they cannot be read, such as a number of 5,000 digits."""
    try:
        arguments = json.loads(called["arguments"])
    except (ValueError, RecursionError):
        return {}
    return arguments if isinstance(arguments, dict) else {}


def own_words(message: Mapping[str, Any]) -> str:
    """What the user said in a user-role message, without the ring's notes."""
    return "\n\n".join(part for part in text(message).split("\n\n") if not part.startswith(NOTE)).strip()


def _notes(message: Mapping[str, Any]) -> list[str]:
    return [part.removeprefix(NOTE) for part in text(message).split("\n\n") if part.startswith(NOTE)]


def _results(messages: list[Mapping[str, Any]]) -> tuple[ToolResult, ...]:
    """Results with the calls that they belong to, matched within their turn."""
    results = []
    calls: dict[str, Mapping[str, Any]] = {}
    for message in messages:
        if message["role"] == "assistant":
            calls = {call["id"]: call["function"] for call in message.get("tool_calls", ())}
        elif message["role"] == "tool":
            results.append(_result(calls[message["tool_call_id"]], text(message)))
    return tuple(results)


def _result(called: Mapping[str, Any], content: str) -> ToolResult:
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        value = content
    error = value.get("error") if isinstance(value, dict) and len(value) == 1 else None
    return ToolResult(
        tool=called["name"],
        arguments=arguments_of(called),
        content=content,
        value=value,
        error=error if isinstance(error, str) else None,
    )
