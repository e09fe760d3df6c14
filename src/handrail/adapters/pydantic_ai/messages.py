"""The host's messages as ours, and its replies as ours and back.

- A reply carries what the host has no place for (reasoning that goes back to its provider) in `provider_details`, which are plain data and
  outlast a store; a refusal and a reply that was cut are said where the host's own models say them.
- A note of the ring's is a text in the user's role that begins with the mark of one.
- Only texts are read. What cannot be shown to one of our models is refused by name, not left away.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, get_args

from pydantic_ai.messages import (
    FinishReason,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    ModelResponsePart,
    RetryFeedbackPart,
    SystemPromptPart,
    TextContent,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.usage import RequestUsage

from handrail.adapters.foreign import ENDED
from handrail.errors import InputError
from handrail.models import replies
from handrail.models.wire import NOTE
from handrail.vocab.calls import ProposedCall
from handrail.vocab.messages import AssistantMessage, Message, Said, ToolMessage, UserMessage
from handrail.vocab.requests import AnsweredCall, ModelAnswer
from handrail.vocab.usage import Usage

REFUSAL, EXTRA = "refusal", "handrail"
FILTERED: FinishReason = "content_filter"
CALLED: FinishReason = "tool_call"


def response_of(answer: ModelAnswer, model: str) -> ModelResponse:
    """Our reply as the host's."""
    parts: list[ModelResponsePart] = [TextPart(answer.text)] if answer.text else []
    parts += [ToolCallPart(call.name, call.arguments, call.provider_id) for call in answer.calls]
    details: dict[str, Any] = {EXTRA: answer.extra} if answer.extra else {}
    if answer.refusal is not None:
        details[REFUSAL] = answer.refusal
    return ModelResponse(
        parts=parts,
        usage=RequestUsage(input_tokens=answer.usage.input_tokens, output_tokens=answer.usage.output_tokens),
        model_name=model,
        provider_details=details or None,
        finish_reason=FILTERED if answer.refusal is not None else _finish(answer.finish),
    )


def answer_of(response: ModelResponse) -> ModelAnswer:
    """The host's reply as ours."""
    details = response.provider_details or {}
    refusal = details.get(REFUSAL)
    if refusal is None and response.finish_reason == FILTERED:
        refusal = response.text or replies.FILTERED
    calls = tuple(
        AnsweredCall(provider_id=call.tool_call_id, name=call.tool_name, arguments=_arguments(call)) for call in response.tool_calls
    )
    finish = response.finish_reason
    return ModelAnswer(
        text=response.text if response.text and response.text.strip() else None,
        calls=calls,
        finish="tool_calls" if finish == CALLED or (finish is None and calls) else "length" if finish == "length" else "stop",
        refusal=None if refusal is None else str(refusal),
        extra=_extra(details),
        usage=Usage(input_tokens=response.usage.input_tokens, output_tokens=response.usage.output_tokens, calls=1),
    )


def messages_of(history: Iterable[ModelMessage]) -> tuple[Message, ...]:
    """The host's history as our messages; two of the user's in a row are one."""
    messages: list[Message] = []
    for each in history:
        for message in _said_by_model(each) if isinstance(each, ModelResponse) else _requested(each):
            before = messages[-1] if messages else None
            if isinstance(message, UserMessage) and isinstance(before, UserMessage):
                messages[-1] = UserMessage(said=(*before.said, *message.said))
            else:
                messages.append(message)
    return tuple(messages)


def system_of(history: Iterable[ModelMessage]) -> list[str]:
    """The system texts that stand in a history."""
    requests = [each for each in history if isinstance(each, ModelRequest)]
    return [part.content for request in requests for part in request.parts if isinstance(part, SystemPromptPart)]


def text_of(content: str | Sequence[Any] | None) -> str:
    """What a user's prompt says.

    Raises:
        InputError: it is none, or has something in it that is no text.
    """
    if content is None:
        raise InputError("a run begins with a message; give a text")
    items = [content] if isinstance(content, str) else content
    return "\n\n".join(_item(item) for item in items)


def note(text: str) -> UserPromptPart:
    """A note of the ring's, in the user's role."""
    return UserPromptPart(NOTE + text)


def last_words(history: Sequence[ModelMessage], text: str) -> list[ModelMessage]:
    """What a history ends with where it is not the model that has spoken last: no two replies stand next to each other."""
    between = [ModelRequest(parts=[note(ENDED)])] if history and isinstance(history[-1], ModelResponse) else []
    return [*between, ModelResponse(parts=[TextPart(text)])]


def _item(item: Any) -> str:
    match item:
        case str():
            return item
        case TextContent(content=content):
            return content
        case _:
            raise InputError(f"a {type(item).__name__} is no text, and handrail's models are only given texts")


def _requested(request: ModelRequest) -> Iterator[Message]:
    said: list[Said] = []
    for part in request.parts:
        match part:
            case ToolReturnPart():
                yield ToolMessage(call=part.tool_call_id, content=part.model_response_str())
            case UserPromptPart(content=content):
                said.append(_said(text_of(content)))
            case RetryFeedbackPart():
                said.append(Said(text=part.model_response(), ours=True))
            case SystemPromptPart():
                pass
            case _:
                raise InputError(f"a {type(part).__name__} is none that handrail's models know")
    if said:
        yield UserMessage(said=tuple(said))


def _said(text: str) -> Said:
    return Said(text=text.removeprefix(NOTE), ours=text.startswith(NOTE))


def _said_by_model(response: ModelResponse) -> Iterator[Message]:
    calls = tuple(
        ProposedCall(id=call.tool_call_id, name=call.tool_name, arguments=_arguments(call) or "{}", provider_id=call.tool_call_id)
        for call in response.tool_calls
    )
    if calls or response.text:
        yield AssistantMessage(text=response.text or None, calls=calls, extra=_extra(response.provider_details or {}))


def _arguments(call: ToolCallPart) -> str | None:
    return call.args if call.args is None or isinstance(call.args, str) else json.dumps(call.args, ensure_ascii=False)


def _extra(details: Mapping[str, Any]) -> dict[str, Any]:
    found = details.get(EXTRA)
    return dict(found) if isinstance(found, Mapping) else {}


def _finish(finish: str) -> FinishReason | None:
    found: FinishReason | None = next((each for each in get_args(FinishReason) if each == finish), None)
    return CALLED if finish == "tool_calls" else found
