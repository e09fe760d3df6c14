"""Contents in spans, for whoever asks for them: messages, arguments and results, cut, and without secrets.

They are what people say and what tools find: whoever turns this on has to be allowed to store them where the traces go.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from handrail.core.events import Event, ModelReplied
from handrail.core.state import OpenCall, RunState
from handrail.core.table import Phase
from handrail.service.redaction import Redact, cleaned_of_secrets
from handrail.service.telemetry.stretches import Stretch
from handrail.vocab.messages import AssistantMessage, Message, ToolMessage, UserMessage

VARIABLE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
WANTED = frozenset({"true", "1", "span_only", "span_and_event"})
LONGEST = 8_000
"""Characters of one attribute."""

MOST_MESSAGES = 20


def are_wanted(environ: Mapping[str, str]) -> bool:
    """Whether contents are asked for, with the variable that all instrumentations for generative AI share."""
    return environ.get(VARIABLE, "").strip().lower() in WANTED


class Contents:
    """Writes contents as attributes."""

    def __init__(self, redact: Redact) -> None:
        """Know nothing yet."""
        self._redact = redact
        self._asked: dict[str, tuple[Message, ...]] = {}

    def saw(self, stretch: Stretch, event: Event, state: RunState) -> None:
        """Remember what the model is being asked."""
        if state.phase is Phase.THINKING:
            self._asked[stretch.run_id] = state.transcript[-MOST_MESSAGES:]
        else:
            self._asked.pop(stretch.run_id, None)

    def forget(self, stretch: Stretch) -> None:
        """Nothing more comes of it."""
        self._asked.pop(stretch.run_id, None)

    def of_chat(self, stretch: Stretch, event: Event) -> dict[str, Any]:
        """What a model was given, and what it replied."""
        found = {"gen_ai.input.messages": self._text([_message(each) for each in self._asked.get(stretch.run_id, ())])}
        if isinstance(event, ModelReplied):
            reply = AssistantMessage(text=event.text or event.refusal, calls=event.calls)
            found["gen_ai.output.messages"] = self._text([{**_message(reply), "finish_reason": event.finish}])
        return found

    def of_tool(self, call: OpenCall) -> dict[str, Any]:
        """What a tool was called with, and what came of it."""
        result = call.output if call.output is not None else call.content
        given = {"gen_ai.tool.call.arguments": _cut(self._redact(call.arguments or "{}"))}
        return given if result is None else {**given, "gen_ai.tool.call.result": _cut(self._redact(result))}

    def _text(self, value: Any) -> str:
        return _cut(msgspec.json.encode(cleaned_of_secrets(value, self._redact)).decode())


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def _message(message: Message) -> dict[str, Any]:
    match message:
        case UserMessage():
            return {"role": "user", "parts": [{"type": "text", "content": said.text} for said in message.said]}
        case AssistantMessage():
            text = [] if message.text is None else [{"type": "text", "content": message.text}]
            calls = [{"type": "tool_call", "id": call.id, "name": call.name, "arguments": call.arguments} for call in message.calls]
            return {"role": "assistant", "parts": [*text, *calls]}
        case ToolMessage():
            return {"role": "tool", "parts": [{"type": "tool_call_response", "id": message.call, "response": message.content}]}
