"""The one place where a request is written out: our transcript as the body of a chat-completions request.

- Whatever is stored, what is sent is what a strict provider takes (`handrail.vocab.contract`); storage is never touched.
- A message is written once. The pieces are kept for the conversations used last, so that a request costs a join and not a walk
  over everything that was ever said.
- Arguments go out as the text of one JSON object, always (cases 1, 3 and 25); ids as the provider takes them (case 15).
- Our notes go in the user's role, marked `[note]`, each as one paragraph.
"""

import re
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from hashlib import sha256
from itertools import count, pairwise
from typing import Any, assert_never

import msgspec

from handrail.errors import ModelError
from handrail.models.traits import EmptyContent, IdForm, ProviderTraits
from handrail.vocab.calls import ProposedCall
from handrail.vocab.contract import NEED_TOOLS
from handrail.vocab.failures import FailureKind
from handrail.vocab.messages import AssistantMessage, Message, ToolMessage, UserMessage
from handrail.vocab.requests import ModelRequest

NOTE = "[note] "
NO_OUTPUT = "(no output)"
NO_TEXT = "(no text)"
UNREADABLE = "unreadable_arguments"
LONGEST_UNREADABLE = 200
MOST_CONVERSATIONS = 256
MOST_DECLARATIONS = 1024
OURS = ("model", "messages", "tools", "tool_choice", "stream", "stream_options")
"""Fields that settings cannot set."""

_encoder = msgspec.json.Encoder()
_unfit = re.compile(r"[^A-Za-z0-9_-]")
_fits = {IdForm.FORTY: re.compile(r"[\x21-\x7e]{1,40}"), IdForm.NINE: re.compile(r"[A-Za-z0-9]{9}")}


class _Written(msgspec.Struct, kw_only=True):
    """The messages of one conversation as far as they are written."""

    messages: tuple[Message, ...] = ()
    pieces: list[bytes] = []
    used: set[str] = set()
    ids: dict[str, str] = {}


class Wire:
    """Writes requests for one provider."""

    def __init__(self, traits: ProviderTraits) -> None:
        """Begin with nothing written."""
        self._traits = traits
        self._written: OrderedDict[int, _Written] = OrderedDict()
        self._declarations: dict[int, tuple[Mapping[str, Any], bytes]] = {}

    def body(self, request: ModelRequest, *, stream: bool = False) -> bytes:
        """The body of the request.

        Raises:
            ModelError: of kind `rejected`, where a result has no call in the transcript.
        """
        pieces = self._messages(request.messages)
        if request.system:
            pieces = [encode({"role": "system", "content": request.system}), *pieces]
        parts = [b'{"model":', encode(request.model), b',"messages":[', b",".join(pieces), b"]"]
        if request.tools:
            parts += [b',"tools":[', b",".join([self._declaration(tool) for tool in request.tools]), b"]"]
        return b"".join([*parts, *[_field(key, value) for key, value in self._fields(request, stream).items()], b"}"])

    def _fields(self, request: ModelRequest, stream: bool) -> dict[str, Any]:
        fields = {
            key: value
            for key, value in request.settings.items()
            if key not in OURS and value not in ([], ()) and (request.tools or key not in NEED_TOOLS)
        }
        if request.tools and request.choice != "auto":
            named = {"type": "function", "function": {"name": request.choice}}
            fields["tool_choice"] = "none" if request.choice == "none" else named
        if stream:
            fields["stream"] = True
            if self._traits.stream_usage:
                fields["stream_options"] = {"include_usage": True}
        return fields

    def _declaration(self, tool: Mapping[str, Any]) -> bytes:
        known = self._declarations.get(id(tool))
        if known is None or known[0] is not tool:
            if len(self._declarations) >= MOST_DECLARATIONS:
                self._declarations.clear()
            known = self._declarations[id(tool)] = tool, encode(tool)
        return known[1]

    def _messages(self, messages: tuple[Message, ...]) -> list[bytes]:
        if not messages:
            return []
        key = id(messages[0])
        known = self._written.pop(key, None)  # taken out while it is worked on: what fails half-way is not kept
        if known is None or messages[: len(known.messages)] != known.messages:
            known = _Written(pieces=[], used=set(), ids={})
        new = messages[len(known.messages) :]
        if _has_neighbours([*known.messages[-1:], *new]):
            return self._write(_Written(pieces=[], used=set(), ids={}), merged(messages))
        self._write(known, new)
        known.messages = messages
        self._written[key] = known
        if len(self._written) > MOST_CONVERSATIONS:
            self._written.popitem(last=False)
        return known.pieces

    def _write(self, written: _Written, messages: Sequence[Message]) -> list[bytes]:
        for message in messages:
            wire: dict[str, Any]
            match message:
                case UserMessage():
                    wire = {"role": "user", "content": user_text(message)}
                case AssistantMessage():
                    written.ids = _ids(message.calls, self._traits.ids, written.used)
                    wire = self._assistant(message, written.ids)
                case ToolMessage():
                    wire = _result(message, written.ids)
                case _:
                    assert_never(message)
            written.pieces.append(encode(wire))
        return written.pieces

    def _assistant(self, message: AssistantMessage, ids: Mapping[str, str]) -> dict[str, Any]:
        wire: dict[str, Any] = {"role": "assistant", "content": message.text or None}
        if message.calls:
            wire["tool_calls"] = [_call(call, ids[call.id]) for call in message.calls]
        if not message.text:
            if not message.calls:
                wire["content"] = NO_TEXT
            elif self._traits.tool_turn_content is EmptyContent.TEXT:
                wire["content"] = ""
            elif self._traits.tool_turn_content is EmptyContent.ABSENT:
                del wire["content"]
        return wire | {name: message.extra[name] for name in self._traits.replays if name in message.extra}


def encode(value: Any) -> bytes:
    """JSON bytes; text that is no text (lone surrogates) has U+FFFD in those places."""
    try:
        return _encoder.encode(value)
    except UnicodeEncodeError:
        return _encoder.encode(_sound(value))


def user_text(message: UserMessage) -> str:
    """What was said and noted, a paragraph each; a note is one paragraph however it is written."""
    parts = [NOTE + re.sub(r"\n\s*\n", "\n", part.text.strip()) if part.ours else part.text for part in message.said]
    return "\n\n".join(part for part in parts if part) or NO_TEXT


def arguments_text(raw: str | None) -> str:
    """Arguments as they may be sent: absence is `{}`, an object in a string is taken out once, what is no object is quoted in one."""
    if raw is None or not raw.strip():
        return "{}"
    value = _decoded(raw)
    if isinstance(value, dict):
        return raw
    if isinstance(value, str) and isinstance(_decoded(value), dict):
        return value
    return encode({UNREADABLE: raw[:LONGEST_UNREADABLE]}).decode()


def merged(messages: Sequence[Message]) -> list[Message]:
    """The messages with neighbours of one role made into one (case 26)."""
    done: list[Message] = []
    for message in messages:
        match done[-1] if done else None, message:
            case UserMessage(said=before), UserMessage(said=after):
                done[-1] = UserMessage(said=before + after)
            case AssistantMessage() as before, AssistantMessage() as after:
                text = "\n\n".join(filter(None, (before.text, after.text))) or None
                done[-1] = AssistantMessage(text=text, calls=before.calls + after.calls, extra=before.extra | after.extra)
            case _:
                done.append(message)
    return done


def _has_neighbours(messages: Sequence[Message]) -> bool:
    for one, two in pairwise(messages):
        if type(one) is type(two) and type(one) is not ToolMessage:
            return True
    return False


def _ids(calls: Sequence[ProposedCall], form: IdForm, used: set[str]) -> dict[str, str]:
    """The ids that the provider gets: its own where it takes them back and they are free, else ones made from them, the same each time."""
    ids = {}
    for call in calls:
        id = call.provider_id
        if not _fits[form].fullmatch(id) or id in used:
            id = next(made for number in count() if (made := _made(call, form, number)) not in used)
        used.add(id)
        ids[call.id] = id
    return ids


def _made(call: ProposedCall, form: IdForm, number: int) -> str:
    digits = sha256(f"{call.id}\0{call.provider_id}\0{number}".encode(errors="replace")).hexdigest()
    return digits[:9] if form is IdForm.NINE else f"call_{digits[:24]}"


def _result(message: ToolMessage, ids: Mapping[str, str]) -> dict[str, Any]:
    if message.call not in ids:
        raise ModelError(FailureKind.REJECTED, f"the transcript is not valid: a result for {message.call!r}, which has no call before it")
    content = message.content if message.content and not message.content.isspace() else NO_OUTPUT
    return {"role": "tool", "tool_call_id": ids[message.call], "content": content}


def _call(call: ProposedCall, id: str) -> dict[str, Any]:
    name = _unfit.sub("_", call.name)[:64] or "_"
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments_text(call.arguments)}}


def _field(key: str, value: Any) -> bytes:
    return b",%b:%b" % (encode(key), encode(value))


def _decoded(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None


def _sound(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, Mapping):
        return {_sound(key): _sound(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_sound(item) for item in value]
    return value
