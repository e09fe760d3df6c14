"""What a strict chat-completions provider takes, as a checker: the request on the wire, and our own transcript.

- One checker for everybody: tests, the scripted model and the rehearsal server refuse exactly the same things.
- An empty list means that the strictest provider we know of would take it; otherwise each line says what is wrong, and where.
- One leading system message, then user, assistant and tool messages; no two neighbours of one role but tool results.
- Every call has exactly one result, under its own id, in the model's order, directly after the calls.
- Arguments are the text of one JSON object. No empty array, no empty message, nothing about tools without tools.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from handrail.vocab.calls import MOST_CALLS
from handrail.vocab.messages import AssistantMessage, Message, ToolMessage, UserMessage

NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""What a provider takes as the name of a tool, offered or called."""

LONGEST_ID = 40
NEED_TOOLS = ("tool_choice", "parallel_tool_calls")
"""Settings that a provider refuses where no tool is offered."""

CHOICES = ("auto", "none", "required")
SYSTEM = ("system", "developer")


def check_request(body: Mapping[str, Any]) -> list[str]:
    """What a strict provider would refuse in the body of a chat-completions request."""
    return [*_check_fields(body), *_check_tools(body), *_check_messages(body.get("messages"))]


def check_transcript(messages: Sequence[Message]) -> list[str]:
    """What a strict provider would refuse in a transcript, whatever is done to write it out. A run may end with the assistant's message."""
    if not messages:
        return []
    wrong = [] if isinstance(messages[0], UserMessage) else ["message 0: a transcript begins with a user message"]
    wrong += [f"message {at}: {what}" for at, message in enumerate(messages) if (what := _check_own(message))]
    turns = [
        _Turn(role=message.__struct_config__.tag, calls=tuple(call.id for call in message.calls))
        if isinstance(message, AssistantMessage)
        else _Turn(role=message.__struct_config__.tag, call=message.call if isinstance(message, ToolMessage) else "")
        for message in messages
    ]
    return [*wrong, *_check_order(turns)]


class _Turn(msgspec.Struct, frozen=True, kw_only=True):
    """What the order of messages is judged by: the role, the ids of an assistant's calls, the id that a result is for."""

    role: Any
    calls: tuple[Any, ...] = ()
    call: Any = ""


def _check_order(turns: Sequence[_Turn]) -> Iterator[str]:
    """Neighbours and pairing. Ids are matched within their turn, never over the whole transcript (case 15)."""
    waiting: list[Any] = []
    before = ""
    for at, turn in enumerate(turns):
        if turn.role == "tool":
            if not waiting:
                yield f"message {at}: a result for {turn.call!r}, but no call waits for one"
            elif turn.call != waiting[0]:
                yield f"message {at}: a result for {turn.call!r}, but the next call without one is {waiting[0]!r}"
            waiting = [call for call in waiting if call != turn.call] if turn.call in waiting else waiting[1:]
        else:
            if waiting:
                yield f"message {at}: calls without a result before it: {', '.join(map(repr, waiting))}"
            if turn.role == before:
                yield f"message {at}: two neighbouring {turn.role} messages"
            if len(set(turn.calls)) < len(turn.calls):
                yield f"message {at}: two calls of one turn have the same id"
            waiting = list(turn.calls)
        before = turn.role
    if waiting:
        yield f"the end: calls without a result: {', '.join(map(repr, waiting))}"


def _check_own(message: Message) -> str | None:
    match message:
        case UserMessage(said=said):
            return None if said and all(part.text for part in said) else "a user message without text"
        case AssistantMessage(text=text, calls=calls):
            if len(calls) > MOST_CALLS:
                return f"{len(calls)} calls; at most {MOST_CALLS} are sent back"
            if not all(call.id for call in calls):
                return "a call without an id of our own"
            return None if text or calls else "an assistant message without text and without calls"
        case ToolMessage(call=call):
            return None if call else "a result without the id of its call"


def _check_fields(body: Mapping[str, Any]) -> Iterator[str]:
    if not isinstance(body.get("model"), str) or not body["model"]:
        yield "model: a name is required"
    for key, value in body.items():
        if isinstance(value, list | tuple) and not value:
            yield f"{key}: an empty array; leave it out"
    if "stream_options" in body and body.get("stream") is not True:
        yield "stream_options: only with stream"
    for key in NEED_TOOLS:
        if key in body and not body.get("tools"):
            yield f"{key}: only with tools"


def _check_tools(body: Mapping[str, Any]) -> Iterator[str]:
    tools = body.get("tools", [])
    if not isinstance(tools, list | tuple):
        yield "tools: an array is required"
        return
    names = [_tool_name(tool) for tool in tools]
    for at, name in enumerate(names):
        if name is None:
            yield f"tools[{at}]: not a function with a name of 1 to 64 letters, digits, _ and -, and with parameters of type object"
        elif name in names[:at]:
            yield f"tools[{at}]: a second tool {name!r}"
    choice = body.get("tool_choice", "auto")
    if isinstance(choice, Mapping):
        wanted = _part(choice, "function").get("name")
        if choice.get("type") != "function" or wanted not in names:
            yield f"tool_choice: {wanted!r} is not an offered tool"
    elif choice not in CHOICES:
        yield f"tool_choice: {choice!r} is not one of {', '.join(CHOICES)} or a function"


def _tool_name(tool: Any) -> str | None:
    function = _part(tool, "function") if isinstance(tool, Mapping) and tool.get("type") == "function" else {}
    name, parameters = function.get("name"), function.get("parameters", {"type": "object"})
    fits = isinstance(name, str) and NAME.fullmatch(name) and isinstance(parameters, Mapping) and parameters.get("type") == "object"
    return name if fits and isinstance(name, str) else None


def _check_messages(messages: Any) -> Iterator[str]:
    if not isinstance(messages, list | tuple) or not messages:
        yield "messages: a non-empty array is required"
        return
    turns = []
    for at, message in enumerate(messages):
        if not isinstance(message, Mapping):
            yield f"message {at}: not an object"
            return
        if what := _check_message(at, message):
            yield f"message {at}: {what}"
        called = _calls(message)
        turns.append(_Turn(role=message.get("role"), calls=tuple(call.get("id") for call in called), call=message.get("tool_call_id")))
    yield from _check_order(turns)
    rest = turns[1:] if turns[0].role in SYSTEM else turns
    if rest and rest[0].role != "user":
        yield "messages: the first after the system message has to be the user's"
    if turns[-1].role not in ("user", "tool"):
        yield "messages: the last has to be the user's or a tool's"


def _check_message(at: int, message: Mapping[str, Any]) -> str | None:
    role, content = message.get("role"), message.get("content")
    if role in SYSTEM:
        return _check_content(content) if at == 0 else "a system message that is not the first"
    if role == "user":
        return _check_content(content)
    if role == "tool":
        return _check_content(content) if isinstance(message.get("tool_call_id"), str) else "a result without tool_call_id"
    if role == "assistant":
        return _check_assistant(message)
    return f"no role {role!r}"


def _check_content(content: Any) -> str | None:
    fits = isinstance(content, str | list | tuple) and content
    return None if fits else "content is required, and may not be empty"


def _check_assistant(message: Mapping[str, Any]) -> str | None:
    content, calls = message.get("content"), message.get("tool_calls")
    if calls is None and "tool_calls" not in message:
        return None if isinstance(content, str | list | tuple) and content else "an assistant message without content and without calls"
    if not isinstance(calls, list | tuple) or not calls:
        return "tool_calls: a non-empty array, or left out"
    if not (content is None or isinstance(content, str | list | tuple)):
        return "content: a text, or null"
    return next((what for call in calls if (what := _check_call(call))), None)


def _check_call(call: Any) -> str | None:
    if not isinstance(call, Mapping) or call.get("type") != "function":
        return "a call is an object of type function"
    id, function = call.get("id"), _part(call, "function")
    name, arguments = function.get("name"), function.get("arguments")
    if not isinstance(id, str) or not 1 <= len(id) <= LONGEST_ID:
        return f"the id of a call has 1 to {LONGEST_ID} characters, not {id!r}"
    if not isinstance(name, str) or not NAME.fullmatch(name):
        return f"no tool can have the name {name!r}"
    return None if isinstance(arguments, str) and _is_object(arguments) else f"arguments of {name!r} are not the text of a JSON object"


def _calls(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    calls = message.get("tool_calls")
    return [call for call in calls if isinstance(call, Mapping)] if isinstance(calls, list | tuple) else []


def _part(value: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    part = value.get(key)
    return part if isinstance(part, Mapping) else {}


def _is_object(text: str) -> bool:
    try:
        return isinstance(msgspec.json.decode(text), dict)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return False
