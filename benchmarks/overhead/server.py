"""The model's server: a process of its own that answers chat completions with bodies that are all but ready.

`python -m benchmarks.overhead.server [SECONDS]`: how long an answer takes (at once by default). The port is printed.

- The user's message says how many tool turns there are; the server counts the tool results in the request's bytes and goes on from there.
- The last result has to be what the tool returns for the call before it. A request that fits no script gets a 400.
- Under `/final_answer/v1` results come as text, and a run ends by a call of `final_answer`.
- `GET /stats` says how many requests and bytes came in since it was last asked.
"""

import asyncio
import json
import re
import sys
from collections.abc import Callable, Mapping
from itertools import count
from typing import Any

from benchmarks.overhead.task import ANSWER, COUNTRY, capital_of, city, weather_in

TURNS = re.compile(rb"\[turns=(\d+)\]")
LENGTH = re.compile(rb"\r\ncontent-length:\s*(\d+)", re.IGNORECASE)
HEADERS = b"x-request-id: req_0123456789\r\nopenai-processing-ms: 5\r\nx-ratelimit-remaining-requests: 9999\r\n"
USAGE = {"prompt_tokens": 812, "completion_tokens": 18, "total_tokens": 830, "prompt_tokens_details": {"cached_tokens": 0}}
BY_TOOL = b"/final_answer/v1/chat/completions"
RESULT_OF = {
    b"/v1/chat/completions": re.compile(rb'"tool_call_id"'),
    BY_TOOL: re.compile(rb"Observation:\\n(?:The capital of|It is sunny in)"),
}
"""Path -> what stands once in each result."""
BACKLOG = 4_096

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


def call(name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """A completion that calls a tool."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    return completion({"tool_calls": [{"id": f"call_{next(_ids):024}", "type": "function", "function": function}]}, "tool_calls")


def reply(done: int, turns: int, *, by_tool: bool = False) -> dict[str, Any]:
    """What the model says after so many tool results."""
    if done >= turns:
        return call("final_answer", {"answer": ANSWER}) if by_tool else completion({"content": ANSWER}, "stop")
    return call("find_capital", {"country": COUNTRY}) if done == 0 else call("get_weather", {"name": city(done - 1)})


def last_result(done: int) -> bytes:
    """What the last of so many results says."""
    return (capital_of(COUNTRY) if done == 1 else weather_in(city(done - 2))).encode()


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
        turns, result = TURNS.search(body), RESULT_OF.get(target)
        if turns is None or result is None:
            return _refused("no such script")
        done = len(result.findall(body))
        if done > int(turns[1]) or (done and last_result(done) not in body):
            return _refused(f"{done} results, and the last is not {last_result(done)!r}")
        self.requests += 1
        self.bytes += len(body)
        return 200, json.dumps(reply(done, int(turns[1]), by_tool=target == BY_TOOL), separators=(",", ":")).encode()


class Connection(asyncio.Protocol):
    """As much of HTTP/1.1 as a client with kept connections needs."""

    def __init__(self, answer: Callable[[bytes, bytes], tuple[int, bytes]], seconds: float = 0.0) -> None:
        """Keep who answers, and how long that takes."""
        self._answer = answer
        self._seconds = seconds
        self._received = bytearray()
        self._transport: asyncio.WriteTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep where answers go."""
        assert isinstance(transport, asyncio.WriteTransport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer when a request is whole."""
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
        target = head.split(b" ", 2)[1]
        status, text = self._answer(target, body)
        answer = b"HTTP/1.1 %d X\r\ncontent-type: application/json\r\ncontent-length: %d\r\n%b\r\n%b" % (status, len(text), HEADERS, text)
        if self._seconds and target != b"/stats":
            asyncio.get_running_loop().call_later(self._seconds, self._write, answer)
        else:
            self._write(answer)

    def _write(self, answer: bytes) -> None:
        assert self._transport is not None
        if not self._transport.is_closing():
            self._transport.write(answer)


def _refused(why: str) -> tuple[int, bytes]:
    return 400, json.dumps({"error": {"message": why}}).encode()


async def serve(seconds: float) -> None:
    """Serve on a free port of this machine, print it, and go on until standard input ends."""
    loop = asyncio.get_running_loop()
    script = Script()
    server = await loop.create_server(lambda: Connection(script.answer, seconds), "127.0.0.1", 0, backlog=BACKLOG)
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await loop.run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(serve(float(sys.argv[1]) if len(sys.argv) > 1 else 0.0))
