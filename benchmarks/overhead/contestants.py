"""The same loop four times.

- `hand`: written by hand on the official client's `chat.completions.create`, as its documentation shows.
- `transport`: the same by hand on the client's low-level `post`, each message encoded once: the least that any runtime on this client pays.
- `handrail`: `handrail.run`, with a ring of six guards and a journal in memory.
- `aiohttp`: the same `handrail.run`, with its bytes carried by aiohttp (`HANDRAIL_TRANSPORT=aiohttp`).
"""

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import httpx2
import msgspec
from openai import AsyncOpenAI
from openai.types.chat import ChatCompletionMessageFunctionToolCall, ChatCompletionMessageParam, ChatCompletionToolParam

from benchmarks.overhead.task import AGENT, FUNCTIONS, INSTRUCTIONS, MODEL, TOOLS, prompt
from handrail import Outcome, run
from handrail.models import OpenAIChat
from handrail.models.transports.aiohttp import AiohttpTransport

Contestant = Callable[[int], Awaitable[str]]
"""Does the task with so many tool turns, and gives the answer."""


def content(result: Any) -> str:
    """A result as the content of a tool message."""
    return result if isinstance(result, str) else json.dumps(result)


def hand(client: AsyncOpenAI) -> Contestant:
    """By hand, typed."""
    tools: list[ChatCompletionToolParam] = [msgspec.convert(tool.declaration, ChatCompletionToolParam) for tool in TOOLS]

    async def loop(turns: int) -> str:
        messages: list[ChatCompletionMessageParam] = [
            {"role": "system", "content": INSTRUCTIONS},
            {"role": "user", "content": prompt(turns)},
        ]
        while True:
            completion = await client.chat.completions.create(model=MODEL, messages=messages, tools=tools)
            message = completion.choices[0].message
            calls = [call for call in message.tool_calls or () if isinstance(call, ChatCompletionMessageFunctionToolCall)]
            if not calls:
                return message.content or ""
            messages.append(
                {
                    "role": "assistant",
                    "content": message.content,
                    "tool_calls": [
                        {
                            "id": call.id,
                            "type": "function",
                            "function": {"name": call.function.name, "arguments": call.function.arguments},
                        }
                        for call in calls
                    ],
                }
            )
            for call in calls:
                result = await FUNCTIONS[call.function.name](**json.loads(call.function.arguments))
                messages.append({"role": "tool", "tool_call_id": call.id, "content": content(result)})

    return loop


def transport(client: AsyncOpenAI) -> Contestant:
    """By hand, low-level: bytes out, bytes in, each message encoded once."""
    encode = msgspec.json.Encoder().encode
    head = b'{"model":%b,"tools":%b,"messages":[' % (encode(MODEL), encode([tool.declaration for tool in TOOLS]))

    async def loop(turns: int) -> str:
        messages = [encode({"role": "system", "content": INSTRUCTIONS}), encode({"role": "user", "content": prompt(turns)})]
        while True:
            response = await client.post("/chat/completions", cast_to=httpx2.Response, content=b"%b%b]}" % (head, b",".join(messages)))
            message: dict[str, Any] = msgspec.json.decode(response.content)["choices"][0]["message"]
            calls: list[Mapping[str, Any]] = message.get("tool_calls") or []
            if not calls:
                return str(message["content"])
            messages.append(encode({"role": "assistant", "content": message["content"], "tool_calls": calls}))
            for call in calls:
                result = await FUNCTIONS[call["function"]["name"]](**msgspec.json.decode(call["function"]["arguments"]))
                messages.append(encode({"role": "tool", "tool_call_id": call["id"], "content": content(result)}))

    return loop


def handrail(client: AsyncOpenAI) -> Contestant:
    """The runtime, whole."""
    return _run(OpenAIChat(client=client))


def aiohttp(client: AsyncOpenAI) -> Contestant:
    """The runtime, whole, on its own transport; of the client only the address and the key are used."""
    return _run(OpenAIChat(transport=AiohttpTransport(base_url=str(client.base_url), api_key=client.api_key)))


def _run(model: OpenAIChat) -> Contestant:
    async def loop(turns: int) -> str:
        outcome = await run(AGENT, prompt(turns), model=model)
        assert isinstance(outcome, Outcome), outcome
        return str(outcome.output)

    return loop


CONTESTANTS: Mapping[str, Callable[[AsyncOpenAI], Contestant]] = {
    "hand": hand,
    "transport": transport,
    "handrail": handrail,
    "aiohttp": aiohttp,
}
