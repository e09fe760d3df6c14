"""A model of ours as one of the SDK's, and the SDK's reply as one of ours.

- What the SDK keeps (`to_input_list()`) is what is asked with: its items become our messages, and `handrail.models` writes them out.
- Ids of calls are unique in a conversation, since the SDK takes two calls with one id for the same call.
- The SDK has no place for why a reply ended; `PortedResponse` has, so a reply that was cut runs none of its calls under this host too.
- Calls beyond those that anybody handles are kept from the SDK; the core hears of them.
"""

import secrets
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NoReturn

from agents import Model, ModelResponse, ModelSettings, Tool, TResponseInputItem, Usage
from agents.models.chatcmpl_converter import Converter
from agents.models.fake_id import FAKE_RESPONSES_ID
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputRefusal, ResponseOutputText

from handrail.errors import InputError
from handrail.ports import Model as Port
from handrail.vocab.calls import MOST_CALLS, ProposedCall
from handrail.vocab.messages import AssistantMessage, Message, ToolMessage, user
from handrail.vocab.requests import AnsweredCall, ModelAnswer, ModelRequest
from handrail.vocab.usage import Usage as OurUsage

CALL, RESULT = "function_call", "function_call_output"
SENT = ("temperature", "top_p", "max_tokens", "parallel_tool_calls")


@dataclass
class PortedResponse(ModelResponse):
    """A reply that brings ours with it."""

    answer: ModelAnswer | None = None


class PortedModel(Model):
    """A model of ours (`handrail.ports.Model`), such as `OpenAIChat`, for the SDK's `Agent(model=…)`.

    Args:
        port: answers.
        name: the provider's name of the model.
    """

    def __init__(self, port: Port, name: str) -> None:
        """Keep both."""
        self._port = port
        self._name = name

    async def get_response(
        self,
        system_instructions: str | None,
        input: str | list[TResponseInputItem],
        model_settings: ModelSettings,
        tools: list[Tool],
        *others: Any,
        **more: Any,
    ) -> ModelResponse:
        """Ask our model with the SDK's items.

        Raises:
            ModelError: the provider failed.
        """
        messages = messages_of(input)
        request = ModelRequest(
            model=self._name,
            system=system_instructions or "",
            messages=messages,
            tools=tuple(map(_declaration, tools)),
            settings=_settings(model_settings),
        )
        answer = await self._port.reply(request)
        taken = {call.id for message in messages if isinstance(message, AssistantMessage) for call in message.calls}
        usage = Usage(
            requests=1,
            input_tokens=answer.usage.input_tokens,
            output_tokens=answer.usage.output_tokens,
            total_tokens=answer.usage.total,
        )
        return PortedResponse(output=list(_output(answer, taken)), usage=usage, response_id=None, answer=answer)

    def stream_response(self, *given: Any, **more: Any) -> AsyncIterator[NoReturn]:
        """There is none.

        Raises:
            InputError: always.
        """
        raise InputError("a model of handrail's does not stream under the SDK; call Runner.run, or handrail.stream without the SDK")


def answer_of(response: ModelResponse) -> ModelAnswer:
    """The SDK's reply as ours."""
    if isinstance(response, PortedResponse) and response.answer is not None:
        return response.answer
    texts, refusals, calls = [], [], []
    for item in response.output:
        match item:
            case ResponseOutputMessage(content=parts):
                texts += [part.text for part in parts if isinstance(part, ResponseOutputText)]
                refusals += [part.refusal for part in parts if isinstance(part, ResponseOutputRefusal)]
            case ResponseFunctionToolCall():
                calls.append(AnsweredCall(provider_id=item.call_id, name=item.name, arguments=item.arguments))
    return ModelAnswer(
        text="\n\n".join(filter(None, texts)) or None,
        calls=tuple(calls),
        refusal="\n\n".join(refusals) if refusals else None,
        finish="tool_calls" if calls else "stop",
        usage=OurUsage(input_tokens=response.usage.input_tokens, output_tokens=response.usage.output_tokens, calls=1),
    )


def ids_of(response: ModelResponse) -> list[str]:
    """What the SDK knows the calls of a reply by, in order."""
    return [item.call_id for item in response.output if isinstance(item, ResponseFunctionToolCall)]


def messages_of(items: str | list[TResponseInputItem]) -> tuple[Message, ...]:
    """The SDK's items as our messages."""
    return tuple(map(_message, Converter.items_to_messages(items if isinstance(items, str) else in_order(items))))


def in_order(items: Iterable[TResponseInputItem]) -> list[TResponseInputItem]:
    """The items with the results of each reply in the order of its calls, which the SDK does not keep for calls of unknown tools."""
    given: list[Any] = list(items)
    places = {item["call_id"]: place for place, item in enumerate(given) if _kind(item) == CALL}
    ordered: list[TResponseInputItem] = []
    for kind, block in groupby(given, key=_kind):
        results: list[Any] = list(block)
        if kind == RESULT:
            results.sort(key=lambda item: places.get(item["call_id"], len(given)))
        ordered += results
    return ordered


def _kind(item: Any) -> str:
    return str(item.get("type", ""))


def _message(wire: Mapping[str, Any]) -> Message:
    match wire:
        case {"role": "assistant"}:
            calls = tuple(
                ProposedCall(id=call["id"], name=call["function"]["name"], arguments=call["function"]["arguments"], provider_id=call["id"])
                for call in wire.get("tool_calls") or ()
            )
            return AssistantMessage(text=_text(wire.get("content")) or wire.get("refusal") or None, calls=calls)
        case {"role": "tool"}:
            return ToolMessage(call=wire["tool_call_id"], content=_text(wire.get("content")))
        case _:
            return user(_text(wire.get("content")))


def _text(content: Any) -> str:
    if content is None or isinstance(content, str):
        return content or ""
    return "\n\n".join(str(part.get("text", "")) for part in content)


def _declaration(tool: Tool) -> dict[str, Any]:
    schema, description = getattr(tool, "params_json_schema", None), getattr(tool, "description", "")
    if schema is None:
        raise InputError(f"the tool {tool.name!r} is none that chat completions know; only functions can be offered")
    return {"type": "function", "function": {"name": tool.name, "description": description, "parameters": schema}}


def _settings(settings: ModelSettings) -> dict[str, Any]:
    given = {name: value for name in SENT if (value := getattr(settings, name)) is not None}
    extra = settings.extra_body if isinstance(settings.extra_body, Mapping) else {}
    return {**extra, **(settings.extra_args or {}), **given}


def _output(answer: ModelAnswer, taken: set[str]) -> Iterable[Any]:
    parts: list[ResponseOutputText | ResponseOutputRefusal] = []
    if answer.text:
        parts.append(ResponseOutputText(type="output_text", text=answer.text, annotations=[]))
    if answer.refusal is not None:
        parts.append(ResponseOutputRefusal(type="refusal", refusal=answer.refusal))
    if parts:
        yield ResponseOutputMessage(id=FAKE_RESPONSES_ID, type="message", role="assistant", status="completed", content=parts)
    for call in answer.calls[:MOST_CALLS]:
        id = call.provider_id
        if not id or id in taken:
            id = f"call_{secrets.token_hex(12)}"
        taken.add(id)
        yield ResponseFunctionToolCall(
            id=FAKE_RESPONSES_ID, type="function_call", call_id=id, name=call.name, arguments=call.arguments or "{}"
        )
