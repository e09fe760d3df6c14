"""By hand on the official client's low-level `post`: bytes out, bytes in, each message encoded once.

It is the least that any runtime on this client pays.
"""

from collections.abc import Mapping
from typing import Any

import httpx2
import msgspec
from openai import AsyncOpenAI

from benchmarks.overhead.contestant import Contestant
from benchmarks.overhead.task import DECLARATIONS, INSTRUCTIONS, KEY, MODEL, PATIENCE, Function, prompt, tools

Tools = dict[str, Function]


class Loop(Contestant[Tools]):
    """The loop."""

    def __init__(self, url: str) -> None:
        self._client = AsyncOpenAI(base_url=url, api_key=KEY, timeout=PATIENCE)
        self._encode = msgspec.json.Encoder().encode
        self._head = b'{"model":%b,"tools":%b,"messages":[' % (self._encode(MODEL), self._encode(DECLARATIONS))

    def agent(self) -> Tools:
        return {function.__name__: function for function in tools()}

    async def run(self, agent: Tools, turns: int) -> str:
        encode = self._encode
        messages = [encode({"role": "system", "content": INSTRUCTIONS}), encode({"role": "user", "content": prompt(turns)})]
        while True:
            body = b"%b%b]}" % (self._head, b",".join(messages))
            response = await self._client.post("/chat/completions", cast_to=httpx2.Response, content=body)
            message: dict[str, Any] = msgspec.json.decode(response.content)["choices"][0]["message"]
            calls: list[Mapping[str, Any]] = message.get("tool_calls") or []
            if not calls:
                return str(message["content"])
            messages.append(encode({"role": "assistant", "content": message["content"], "tool_calls": calls}))
            for call in calls:
                result = await agent[call["function"]["name"]](**msgspec.json.decode(call["function"]["arguments"]))
                messages.append(encode({"role": "tool", "tool_call_id": call["id"], "content": result}))

    async def close(self) -> None:
        await self._client.close()
