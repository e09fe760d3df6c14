"""The model's server: a process of its own that answers chat completions at once, with bodies that are all but ready.

- The user's message says how many tool turns there are; the server counts the tool results in the request's bytes and goes on from there.
- `GET /stats` says how many requests and bytes came in since it was last asked; a request that fits no script gets a 400.
"""

import asyncio
import json
import re
import sys
from collections.abc import Callable, Mapping
from itertools import count
from typing import Any

from benchmarks.overhead.task import ANSWER, COUNTRY, city

TURNS = re.compile(rb"\[turns=(\d+)\]")
LENGTH = re.compile(rb"\r\ncontent-length:\s*(\d+)", re.IGNORECASE)
HEADERS = b"x-request-id: req_0123456789\r\nopenai-processing-ms: 5\r\nx-ratelimit-remaining-requests: 9999\r\n"
USAGE = {"prompt_tokens": 812, "completion_tokens": 18, "total_tokens": 830, "prompt_tokens_details": {"cached_tokens": 0}}

_ids = count(1)


def completion(message: Mapping[str, Any], finish: str) -> dict[str, Any]:
    """A whole completion as OpenAI sends it."""
    whole = {"role": "assistant", "content": None, "refusal": None, "annotations": [], **message}
    return {
        "id": f"chatcmpl-{next(_ids):024}",
        "object": "chat.completion",
        "created": 1760000000,
        "model": "gpt-4o-mini-2024-07-18",
        "choices": [{"index": 0, "message": whole, "logprobs": None, "finish_reason": finish}],
        "usage": USAGE,
        "service_tier": "default",
        "system_fingerprint": "fp_0123456789",
    }


def reply(done: int, turns: int) -> dict[str, Any]:
    """What the model says after so many tool results."""
    if done >= turns:
        return completion({"content": ANSWER}, "stop")
    name, arguments = ("find_capital", {"country": COUNTRY}) if done == 0 else ("get_weather", {"name": city(done - 1)})
    function = {"name": name, "arguments": json.dumps(arguments)}
    return completion({"tool_calls": [{"id": f"call_{next(_ids):024}", "type": "function", "function": function}]}, "tool_calls")


class Script:
    """Answers requests, and counts them."""

    def __init__(self) -> None:
        """Nothing has come in yet."""
        self.requests = 0
        self.bytes = 0

    def answer(self, target: bytes, body: bytes) -> tuple[int, bytes]:
        """Status and body."""
        if target == b"/stats":
            counted = {"requests": self.requests, "bytes": self.bytes}
            self.requests = self.bytes = 0
            return 200, json.dumps(counted).encode()
        turns = TURNS.search(body)
        if target != b"/v1/chat/completions" or turns is None:
            return 400, b'{"error": {"message": "no such script"}}'
        self.requests += 1
        self.bytes += len(body)
        return 200, json.dumps(reply(body.count(b'"tool_call_id"'), int(turns[1])), separators=(",", ":")).encode()


class Connection(asyncio.Protocol):
    """As much of HTTP/1.1 as a client with kept connections needs."""

    def __init__(self, answer: Callable[[bytes, bytes], tuple[int, bytes]]) -> None:
        """Keep who answers."""
        self._answer = answer
        self._received = bytearray()
        self._transport: asyncio.WriteTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep where answers go."""
        assert isinstance(transport, asyncio.WriteTransport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer as soon as a request is whole."""
        self._received += data
        end = self._received.find(b"\r\n\r\n")
        if end < 0:
            return
        head = bytes(self._received[:end])
        length = LENGTH.search(head)
        whole = end + 4 + (int(length[1]) if length else 0)
        if len(self._received) < whole:
            return
        body = bytes(self._received[end + 4 : whole])
        del self._received[:whole]
        status, text = self._answer(head.split(b" ", 2)[1], body)
        assert self._transport is not None
        self._transport.write(
            b"HTTP/1.1 %d X\r\ncontent-type: application/json\r\ncontent-length: %d\r\n%b\r\n%b" % (status, len(text), HEADERS, text)
        )


async def serve() -> None:
    """Serve on a free port of this machine, print it, and go on until standard input ends."""
    loop = asyncio.get_running_loop()
    script = Script()
    server = await loop.create_server(lambda: Connection(script.answer), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await loop.run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(serve())
