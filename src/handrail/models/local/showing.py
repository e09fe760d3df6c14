"""A request as a model sees it that replies in a form: tools as signatures, calls and results as messages, examples before everything.

- The beginning stays the same from turn to turn, and from conversation to conversation of one agent, so that it is read once: all of the
  agent's tools are described, in its order, and the form holds back those that are not on offer. It is not told which those are: a small
  model that is told what it may not do says that it cannot help.
- Calls of our own transcript are written exactly as the form has them, so that a model sees nothing else of itself.
- One call a message: what came of it follows it.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, assert_never

import msgspec

from handrail.models.local.aliases import Aliases
from handrail.models.local.forms import ARGUMENTS, SAY, TOOL
from handrail.models.local.signatures import signature
from handrail.models.wire import NO_OUTPUT, arguments_text, encode
from handrail.vocab.calls import ProposedCall
from handrail.vocab.examples import Example
from handrail.vocab.messages import AssistantMessage, Message, ToolMessage, UserMessage, user
from handrail.vocab.requests import ModelRequest

FORM = """\
Every reply of yours is one JSON object, and nothing else. It is one of these:
{"tool": "<name>", "arguments": {...}} calls a tool. You see what comes of it, and reply again.
{"say": "<text>"} tells the user something, or asks them.
Call tools until you know all that you need; then say the answer. Give an optional argument (?) only if the user asked for it."""


class Prompt(msgspec.Struct, frozen=True, kw_only=True):
    """What a model sees.

    Args:
        system: the agent's text, its tools, and how to reply.
        messages: the examples and the transcript.
        aliases: the short ids in them.
    """

    system: str
    messages: tuple[Message, ...]
    aliases: Aliases


def shown(request: ModelRequest) -> Prompt:
    """The request as a model sees it that replies in a form."""
    tools = request.declared or request.tools
    told = [request.system]
    if tools:
        told += ["# Tools\n" + "\n".join(signature(tool) for tool in tools), f"# Replies\n{FORM}"]
    system = "\n\n".join(told)
    aliases = Aliases()
    messages = aliases.shortened([*_examples(request.examples), *_transcript(request.messages)])
    return Prompt(system=aliases.shorten(system), messages=messages, aliases=aliases)


def said_in(request: ModelRequest) -> str:
    """Everything that was said in the conversation: by people, by the interface, by the model, and by what came of calls."""
    texts: list[str] = []
    for message in request.messages:
        match message:
            case UserMessage():
                texts += [part.text for part in message.said]
            case AssistantMessage():
                texts.append(message.text or "")
            case ToolMessage():
                texts.append(message.content or "")
            case _:
                assert_never(message)
    return "\n".join(texts)


def _examples(examples: Iterable[Example]) -> Iterator[Message]:
    for example in examples:
        yield user(example.user)
        for call in example.calls:
            yield AssistantMessage(text=_call(call.tool, call.arguments))
            yield _result(call.tool, call.result if isinstance(call.result, str) else encode(call.result).decode())
        if example.answer is not None:
            yield AssistantMessage(text=_say(example.answer))


def _transcript(messages: Iterable[Message]) -> Iterator[Message]:
    """The messages, with each call followed by its result."""
    calls: dict[str, ProposedCall] = {}
    for message in messages:
        match message:
            case UserMessage():
                yield message
            case AssistantMessage():
                calls = {call.id: call for call in message.calls}
                if message.text and not calls:
                    yield AssistantMessage(text=_say(message.text))
            case ToolMessage():
                call = calls.get(message.call)
                if call is not None:
                    yield AssistantMessage(text=_call(call.name, json.loads(arguments_text(call.arguments))))
                    yield _result(call.name, message.content)
            case _:
                assert_never(message)


def _call(tool: str, arguments: Mapping[str, Any]) -> str:
    return json.dumps({TOOL: tool, ARGUMENTS: dict(arguments)}, ensure_ascii=False)


def _say(text: str) -> str:
    return json.dumps({SAY: text}, ensure_ascii=False)


def _result(tool: str, content: str | None) -> UserMessage:
    return user(f"Result of {tool}: {content or NO_OUTPUT}")
