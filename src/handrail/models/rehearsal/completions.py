"""A move as a chat completion, whole or in chunks. Token counts are an estimate (a quarter of the characters), and are said to be one."""

import time
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from handrail.models.rehearsal.scenario import Call, Conversation, Move, Say
from handrail.models.rehearsal.temperament import Cut
from handrail.vocab.canonical import digest

PIECE = 24
ESTIMATED = "usage is an estimate: characters divided by four"


def completion(move: Move | Cut, conversation: Conversation) -> dict[str, Any]:
    """The whole completion. Ids depend on the conversation alone, so the same request gets the same reply."""
    made = move.move if isinstance(move, Cut) else move
    finish = "length" if isinstance(move, Cut) else "tool_calls" if isinstance(made, Call) else "stop"
    message = _message(made, digest(list(conversation.messages)))
    return {
        **_head(conversation, "chat.completion"),
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": _usage(conversation, message),
    }


def chunks(whole: Mapping[str, Any], *, usage: bool) -> Iterator[dict[str, Any]]:
    """The completion in chunks, its text and arguments in small pieces."""
    head = {**{key: whole[key] for key in ("id", "created", "model")}, "object": "chat.completion.chunk"}
    choice = whole["choices"][0]
    for delta in _deltas(choice["message"]):
        yield {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]}
    if usage:
        yield {**head, "choices": [], "usage": whole["usage"]}


def _deltas(message: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    yield {"role": "assistant", "content": "" if message["content"] is not None else None}
    for piece in _pieces(message["content"] or ""):
        yield {"content": piece}
    for index, call in enumerate(message.get("tool_calls", ())):
        function = call["function"]
        yield {"tool_calls": [{**call, "index": index, "function": {"name": function["name"], "arguments": ""}}]}
        for piece in _pieces(function["arguments"]):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}


def _message(move: Move, seed: str) -> dict[str, Any]:
    if isinstance(move, Say):
        return {"role": "assistant", "content": move.text, "refusal": None}
    calls = [
        {
            "id": f"call_{digest(seed, index)[:24]}",
            "type": "function",
            "function": {"name": tool, "arguments": arguments if isinstance(arguments, str) else msgspec.json.encode(arguments).decode()},
        }
        for index, (tool, arguments) in enumerate(move.calls)
    ]
    return {"role": "assistant", "content": move.text, "refusal": None, "tool_calls": calls}


def _head(conversation: Conversation, kind: str) -> dict[str, Any]:
    id = f"chatcmpl-{digest(list(conversation.messages))}"
    return {"id": id, "object": kind, "created": int(time.time()), "model": conversation.model, "system_fingerprint": "rehearsal"}


def _usage(conversation: Conversation, message: Mapping[str, Any]) -> dict[str, Any]:
    asked = _tokens([*conversation.messages, *conversation.declarations.values()])
    answered = _tokens(message)
    return {"prompt_tokens": asked, "completion_tokens": answered, "total_tokens": asked + answered, "note": ESTIMATED}


def _tokens(value: Any) -> int:
    return len(msgspec.json.encode(value)) // 4


def _pieces(text: str) -> Iterator[str]:
    return (text[start : start + PIECE] for start in range(0, len(text), PIECE))
