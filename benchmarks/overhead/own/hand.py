"""By hand on the official client's `chat.completions.create`, typed, as its documentation shows: what all are held against."""

import json

from openai import AsyncOpenAI
from openai.types.chat import ChatCompletionMessageFunctionToolCall, ChatCompletionMessageParam, ChatCompletionToolParam

from benchmarks.overhead.contestant import Contestant
from benchmarks.overhead.task import DECLARATIONS, INSTRUCTIONS, KEY, MODEL, PATIENCE, Function, prompt, tools

Tools = dict[str, Function]


class Loop(Contestant[Tools]):
    """The loop."""

    def __init__(self, url: str) -> None:
        self._client = AsyncOpenAI(base_url=url, api_key=KEY, timeout=PATIENCE)
        self._declared = [ChatCompletionToolParam(type="function", function=each["function"]) for each in DECLARATIONS]

    def agent(self) -> Tools:
        return {function.__name__: function for function in tools()}

    async def run(self, agent: Tools, turns: int) -> str:
        messages: list[ChatCompletionMessageParam] = [
            {"role": "system", "content": INSTRUCTIONS},
            {"role": "user", "content": prompt(turns)},
        ]
        while True:
            completion = await self._client.chat.completions.create(model=MODEL, messages=messages, tools=self._declared)
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
                result = await agent[call.function.name](**json.loads(call.function.arguments))
                messages.append({"role": "tool", "tool_call_id": call.id, "content": result})

    async def close(self) -> None:
        await self._client.close()
