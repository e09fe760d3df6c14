"""A completion's bytes as a `ModelAnswer`. Whatever is no completion is a `ModelError` of kind `malformed`.

- Reads what providers really send: content as a text, a list of parts or null; arguments as a text, as an object, or not at all.
- Reasoning is kept under the name it came under (case 21) and never becomes text; blocks in the text go to `extra["thinking"]`.
- A reply is cut (`length`) also where only the count of tokens says so (case 17), and refused where the provider or the model
  says so in any way (case 23).
- Whole replies and assembled streams go through `answer`, so that both end the same.
"""

import json
from collections.abc import Mapping
from typing import Any

import msgspec

from handrail.models.failures import malformed
from handrail.models.thinking import without_thinking
from handrail.vocab.requests import AnsweredCall, ModelAnswer
from handrail.vocab.usage import Usage

REASONING_FIELDS = ("reasoning_content", "reasoning", "reasoning_details")
THINKING = "thinking"
FILTERED = "The provider's content filter stopped the reply."
LIMITS = ("max_completion_tokens", "max_tokens")
_FINISHES = {"stop": "stop", "tool_calls": "tool_calls", "length": "length", "max_tokens": "length", "content_filter": "content_filter"}


def decode(raw: bytes) -> Any:
    """JSON as providers send it; half an emoji (a lone surrogate) or a broken byte is no reason to lose a reply.

    Raises:
        ModelError: it is no JSON.
    """
    try:
        return msgspec.json.decode(raw)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        pass
    try:
        return json.loads(raw.decode(errors="replace"))
    except (ValueError, RecursionError):
        pass
    raise malformed(f"no JSON: {raw[:200].decode(errors='replace')!r}")


def completion(raw: bytes, settings: Mapping[str, Any]) -> ModelAnswer:
    """The answer in a whole completion.

    Raises:
        ModelError: it is no completion.
    """
    body = decode(raw)
    if not isinstance(body, dict):
        raise malformed(f"a JSON {type(body).__name__}")
    if body.get("error"):
        raise malformed(f"an error with a status of success: {body['error']!r}")
    choice = first_choice(body)
    message = choice.get("message") if choice else None
    if not choice or not isinstance(message, dict):
        raise malformed("no choice with a message in it")
    return answer(message, choice.get("finish_reason"), body.get("usage"), settings)


def first_choice(body: Mapping[str, Any]) -> dict[str, Any] | None:
    """The first choice of a completion or a chunk, if there is one."""
    choices = body.get("choices")
    return choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else None


def answer(message: Mapping[str, Any], finish: Any, usage: Any, settings: Mapping[str, Any]) -> ModelAnswer:
    """The answer in an assistant's message, plain or assembled from a stream.

    Raises:
        ModelError: the message has a shape that nobody can read.
    """
    text, thought = without_thinking(content(message.get("content")))
    used = _usage(usage)
    extra = {name: message[name] for name in REASONING_FIELDS if message.get(name)}
    calls = _calls(message.get("tool_calls"))
    end = _FINISHES.get(finish, "tool_calls" if calls else "stop") if isinstance(finish, str) else "tool_calls" if calls else "stop"
    refusal = message.get("refusal")
    return ModelAnswer(
        text=sound(text) if text.strip() else None,
        calls=calls,
        finish="length" if end != "content_filter" and _at_limit(used, settings) else end,
        refusal=sound(refusal) if isinstance(refusal, str) and refusal.strip() else FILTERED if end == "content_filter" else None,
        extra=extra | ({THINKING: sound(thought)} if thought else {}),
        usage=used,
    )


def content(value: Any) -> str:
    """Content as one text: a text, the text parts of a list, or nothing."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "".join(part["text"] for part in value if isinstance(part, dict) and isinstance(part.get("text"), str))
    raise malformed(f"content is a {type(value).__name__}")


def arguments(value: Any) -> str | None:
    """Arguments as a text: absent as `None`, an object as the JSON text of it (case 3)."""
    if value is None or isinstance(value, str):
        return value if value is None else sound(value)
    return json.dumps(value, ensure_ascii=False)


def sound(text: str) -> str:
    """The text with U+FFFD for halves of characters; two halves that met make one character."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _calls(calls: Any) -> tuple[AnsweredCall, ...]:
    if calls is None:
        return ()
    if not isinstance(calls, list):
        raise malformed(f"tool_calls is a {type(calls).__name__}")
    return tuple([_call(call) for call in calls])


def _call(call: Any) -> AnsweredCall:
    function = call.get("function") if isinstance(call, dict) else None
    name = function.get("name") if isinstance(function, dict) else None
    if not isinstance(call, dict) or not isinstance(function, dict) or not isinstance(name, str):
        raise malformed("a tool call without a function and its name")
    id = call.get("id")
    return AnsweredCall(
        provider_id=sound(id) if isinstance(id, str) else "", name=sound(name), arguments=arguments(function.get("arguments"))
    )


def _usage(usage: Any) -> Usage:
    if not isinstance(usage, dict):
        return Usage(calls=1)
    return Usage(input_tokens=_count(usage.get("prompt_tokens")), output_tokens=_count(usage.get("completion_tokens")), calls=1)


def _count(value: Any) -> int:
    return value if type(value) is int and value > 0 else 0


def _at_limit(used: Usage, settings: Mapping[str, Any]) -> bool:
    for name in LIMITS:
        if name in settings and type(settings[name]) is int:
            return bool(used.output_tokens >= settings[name])
    return False
