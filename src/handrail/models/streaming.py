"""A stream of server-sent events as the same message that the provider would have sent whole.

- Fragments of calls are put together by these rules (case 22): a new id opens a call; else the index says which; else it is the call
  opened last. A fragment that could belong to two calls, or to none, is an error for that reply and never a guess.
- Gaps between indices are closed; no call comes out that nobody opened.
- What counts as content: text, refusal, reasoning, fragments of calls. A comment or an empty delta does not.
- A stream that ends before the reply does is an error, however good the part looks.
"""

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from handrail.errors import ModelError
from handrail.models.failures import by_status, clean, malformed
from handrail.models.replies import REASONING_FIELDS, arguments, content, decode, first_choice
from handrail.vocab.failures import FailureKind

DONE = b"[DONE]"
_line_end = re.compile(rb"\r\n|\n|\r(?!\Z)")


class EventReader:
    """Bytes as they arrive, as the data of server-sent events (WHATWG HTML, 9.2.6). Comments and other fields are dropped."""

    def __init__(self) -> None:
        """Begin before the first byte."""
        self._rest = b""
        self._data: list[bytes] = []

    def feed(self, piece: bytes) -> Iterator[bytes]:
        """The data of the events that are whole now."""
        *lines, self._rest = _line_end.split(self._rest + piece)
        for line in lines:
            if line.startswith(b"data:"):
                self._data.append(line[5:].removeprefix(b" "))
            elif not line and self._data:
                yield b"\n".join(self._data)
                self._data = []


class _OpenCall(msgspec.Struct, kw_only=True):
    id: str
    index: int | None
    name: str
    pieces: list[str] = []

    @property
    def whole(self) -> bool:
        """Whether the arguments so far are the text of an object, so that nothing more can belong to them."""
        try:
            return isinstance(msgspec.json.decode("".join(self.pieces)), dict)
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            return False

    def message(self) -> dict[str, Any]:
        """As it would stand in a whole message; without any fragment of arguments they are absent."""
        return {"id": self.id, "function": {"name": self.name, "arguments": "".join(self.pieces) if self.pieces else None}}


class Calls:
    """Fragments of tool calls, put together."""

    def __init__(self) -> None:
        """Begin without a call."""
        self._calls: list[_OpenCall] = []
        self._by_index: dict[int, _OpenCall] = {}

    def add(self, fragment: Any) -> None:
        """Take one fragment in.

        Raises:
            ModelError: it is not clear whose it is.
        """
        function = fragment.get("function") if isinstance(fragment, dict) else None
        if not isinstance(fragment, dict) or not isinstance(function, dict | None):
            raise malformed("a fragment of a tool call is no object")
        id, index, name = _text(fragment.get("id")), fragment.get("index"), _text((function or {}).get("name"))
        index = index if type(index) is int else None
        call = self._of(id, index, name)
        if call is None:
            call = self._open(id, index, name)
        elif name and call.name and name != call.name:
            raise malformed(f"fragments of one call with two names, {call.name!r} and {name!r}")
        call.name = call.name or name
        given = arguments((function or {}).get("arguments"))
        if given is not None:
            call.pieces.append(given)

    def messages(self) -> list[dict[str, Any]]:
        """The calls, in the model's order."""
        indices = [call.index for call in self._calls if call.index is not None]
        ordered = len(indices) == len(self._calls) and len(set(indices)) == len(indices)
        calls = sorted(self._calls, key=lambda call: call.index or 0) if ordered else self._calls
        if nameless := [call for call in calls if not call.name]:
            raise malformed(f"{len(nameless)} tool calls without a name")
        return [call.message() for call in calls]

    def _of(self, id: str, index: int | None, name: str) -> _OpenCall | None:
        """The open call that a fragment belongs to; `None` where it opens one."""
        if id:
            known = next((call for call in reversed(self._calls) if call.id == id), None)
            another = index is not None and index not in self._by_index and bool(name)
            return None if another else known
        if index is not None and index in self._by_index:
            call = self._by_index[index]
        elif index is None and self._calls:
            call = self._calls[-1]
        elif name:
            return None
        else:
            raise malformed("a fragment of a tool call that nobody opened")
        return None if name and call.whole else call

    def _open(self, id: str, index: int | None, name: str) -> _OpenCall:
        call = _OpenCall(id=id, index=index, name=name, pieces=[])
        self._calls.append(call)
        if index is not None:
            self._by_index[index] = call
        return call


class Assembly:
    """Chunks put together into the message of a whole completion."""

    def __init__(self) -> None:
        """Begin before the first chunk."""
        self.done = False
        self.finish: Any = None
        self.usage: Any = None
        self._begun = False
        self._texts: dict[str, list[str]] = {}
        self._details: list[Any] = []
        self._calls = Calls()

    def add(self, data: bytes) -> tuple[str, bool]:
        """Take one event in: the text that it brings, and whether it brings any content at all.

        Raises:
            ModelError: it is no chunk of a completion, or says that the provider failed.
        """
        if data.strip() == DONE:
            self.done = True
            return "", False
        chunk = decode(data)
        if not isinstance(chunk, dict):
            raise malformed(f"a chunk that is a JSON {type(chunk).__name__}")
        if error := chunk.get("error"):
            raise _failed(error)
        self.usage = chunk.get("usage") or self.usage
        choice = first_choice(chunk)
        if choice is None:
            return "", False
        self._begun = True
        self.finish = choice.get("finish_reason") or self.finish
        delta = choice.get("delta")
        return self._delta(delta) if isinstance(delta, dict) else ("", False)

    def message(self) -> dict[str, Any]:
        """The message, once the stream is over.

        Raises:
            ModelError: the stream ended before the reply did.
        """
        if not self._begun:
            raise malformed("a stream without a choice")
        if not self.done and self.finish is None:
            raise ModelError(FailureKind.CONNECTION, "the stream ended before the reply did")
        message: dict[str, Any] = {name: "".join(pieces) for name, pieces in self._texts.items()}
        if self._details:
            message["reasoning_details"] = self._details
        return message | {"tool_calls": self._calls.messages()}

    def _delta(self, delta: dict[str, Any]) -> tuple[str, bool]:
        text = content(delta.get("content"))
        pieces = {"content": text, "refusal": delta.get("refusal")} | {name: delta.get(name) for name in REASONING_FIELDS}
        brought = False
        for name, piece in pieces.items():
            if piece and isinstance(piece, str):
                self._texts.setdefault(name, []).append(piece)
            elif piece and isinstance(piece, list):
                self._details.extend(piece)
            brought = brought or bool(piece)
        fragments = delta.get("tool_calls") or []
        if not isinstance(fragments, list):
            raise malformed(f"tool_calls of a chunk is a {type(fragments).__name__}")
        for fragment in fragments:
            self._calls.add(fragment)
        return text, brought or bool(fragments)


def _failed(error: Any) -> ModelError:
    """An error inside a stream whose status was a success."""
    code = error.get("code") if isinstance(error, dict) else None
    said = error.get("message") if isinstance(error, dict) else error
    kind = by_status(code) if type(code) is int and code >= 400 else FailureKind.UNAVAILABLE
    return ModelError(kind, clean(f"the provider failed in the middle of a reply: {said}"))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
