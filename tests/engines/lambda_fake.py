"""A small fake of what Lambda is seen as from inside: the Invoke API, the Runtime API, and a secret, over real HTTP.

- A function has a queue of invocations; its processes are real ones, of AWS's own `awslambdaric`, and each takes one at a time.
- An invocation that was handed to a process is its own: nobody is invoked again where that dies (`MaximumRetryAttempts: 0`).
- Nothing sweeps by itself: a test says when.
"""

import asyncio
import itertools
import json
import os
import sys
import time
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
RUNTIME = "/2018-06-01/runtime"
ARN = "arn:aws:secretsmanager:eu-north-1:123456789012:secret:model"

Answer = tuple[int, Mapping[str, str], bytes]
Gone = Callable[[], Awaitable[object]]
"""Returns when the client's connection ends."""
_numbers = itertools.count(1)


class Invocation:
    """An event, and what becomes of it."""

    def __init__(self, payload: bytes) -> None:
        self.name = f"invocation-{next(_numbers)}"
        self.payload = payload
        self.result: asyncio.Future[Any] = asyncio.get_running_loop().create_future()


class FunctionError(Exception):
    """What a handler raised."""


class Function:
    """A function, its processes, and the Runtime API that they ask.

    Attributes:
        invoked: every event that it was invoked with.
        processes: those that have been started.
        ended: told of each invocation that ends.
        broken: why its handler cannot be imported.
    """

    def __init__(self, name: str, handler: str, seconds: float, environment: Mapping[str, str]) -> None:
        self.name = name
        self.seconds = seconds
        self.invoked: list[Any] = []
        self.processes: list[Process] = []
        self.ended = asyncio.Condition()
        self.broken = ""
        self._handler = handler
        self._environment = environment
        self._queue: asyncio.Queue[Invocation] = asyncio.Queue()
        self._taken: dict[str, Invocation] = {}
        self._place = ""

    def invoke(self, payload: bytes) -> Invocation:
        invocation = Invocation(payload)
        self.invoked.append(json.loads(payload))
        self._queue.put_nowait(invocation)
        return invocation

    async def ask(self, event: Any) -> Any:
        """Invoke, and wait for the result."""
        if self.broken:
            raise FunctionError(self.broken)
        return await self.invoke(json.dumps(event).encode()).result

    async def start(self) -> Process:
        """One more process."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "awslambdaric", self._handler),
            cwd=ROOT,
            env={**self._environment, "AWS_LAMBDA_RUNTIME_API": self._place, "_HANDLER": self._handler},
        )
        self.processes.append(process)
        return process

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        async with serving(self._answered) as self._place:
            try:
                yield
            finally:
                for process in self.processes:
                    if process.returncode is None:
                        process.kill()
                    await process.wait()

    async def _answered(self, method: str, path: str, headers: Mapping[str, str], body: bytes, gone: Gone) -> Answer:
        if path == f"{RUNTIME}/invocation/next":
            return await self._next(gone)
        if path == f"{RUNTIME}/init/error":
            await self._cannot_begin(body.decode())
            return 202, {}, b"{}"
        name, what = path.removeprefix(f"{RUNTIME}/invocation/").split("/")
        result = self._taken.pop(name).result
        if what == "response":
            result.set_result(json.loads(body))
        else:
            result.set_exception(FunctionError(body.decode()))
            result.exception()  # of an event that nobody waits for, too
        async with self.ended:
            self.ended.notify_all()
        return 202, {}, b"{}"

    async def _cannot_begin(self, why: str) -> None:
        """Nobody waits for what will never come."""
        self.broken = f"{self.name} cannot be imported: {why}"
        while not self._queue.empty():
            result = self._queue.get_nowait().result
            result.set_exception(FunctionError(self.broken))
            result.exception()
        async with self.ended:
            self.ended.notify_all()

    async def _next(self, gone: Gone) -> Answer:
        taking, going = asyncio.ensure_future(self._queue.get()), asyncio.ensure_future(gone())
        await asyncio.wait({taking, going}, return_when=asyncio.FIRST_COMPLETED)
        lost = going.done()
        if not lost:
            going.cancel()
            await asyncio.wait({going})
        if lost and not taking.cancel():
            self._queue.put_nowait(taking.result())
        if lost:
            raise ConnectionResetError
        invocation = taking.result()
        self._taken[invocation.name] = invocation
        headers = {
            "Lambda-Runtime-Aws-Request-Id": invocation.name,
            "Lambda-Runtime-Deadline-Ms": str(int((time.time() + self.seconds) * 1000)),
            "Lambda-Runtime-Invoked-Function-Arn": f"arn:aws:lambda:eu-north-1:123456789012:function:{self.name}",
        }
        return 200, headers, invocation.payload


class Fake:
    """The functions of one deployment, and the services that they call."""

    def __init__(self, secret: Mapping[str, str]) -> None:
        self.functions: dict[str, Function] = {}
        self._secret = secret

    async def answered(self, method: str, path: str, headers: Mapping[str, str], body: bytes, gone: Gone) -> Answer:
        if headers.get("x-amz-target") == "secretsmanager.GetSecretValue":
            assert json.loads(body) == {"SecretId": ARN}
            return 200, {"Content-Type": "application/x-amz-json-1.1"}, json.dumps({"SecretString": json.dumps(self._secret)}).encode()
        name = path.removeprefix("/2015-03-31/functions/").removesuffix("/invocations")
        assert headers["x-amz-invocation-type"] == "Event", "nobody waits for a run"
        self.functions[name].invoke(body)
        return 202, {}, b""


@asynccontextmanager
async def faked(
    handlers: Mapping[str, tuple[str, float]], *, environment: Mapping[str, str], secret: Mapping[str, str]
) -> AsyncIterator[Mapping[str, Function]]:
    """Functions by name, each with its handler and its time-out in seconds; none has a process yet."""
    fake = Fake(secret)
    own = {name: value for name, value in os.environ.items() if not name.startswith(("HANDRAIL_", "OPENAI_", "AWS_", "PG"))}
    async with AsyncExitStack() as stack:
        place = await stack.enter_async_context(serving(fake.answered))
        whole = {
            **own,
            "PYTHONPATH": str(ROOT),
            "AWS_ENDPOINT_URL": f"http://{place}",
            "AWS_DEFAULT_REGION": "eu-north-1",
            "AWS_ACCESS_KEY_ID": "none",
            "AWS_SECRET_ACCESS_KEY": "none",
            "HANDRAIL_AWS_SECRETS": ARN,
            **environment,
        }
        for name, (handler, seconds) in handlers.items():
            fake.functions[name] = Function(name, handler, seconds, whole)
            await stack.enter_async_context(fake.functions[name].opened())
        yield fake.functions


Handle = Callable[[str, str, Mapping[str, str], bytes, Gone], Awaitable[Answer]]


@asynccontextmanager
async def serving(handle: Handle) -> AsyncIterator[str]:
    """HTTP/1.1 on a free port: where."""
    connections: set[asyncio.Task[Any]] = set()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        connections.add(task)
        try:
            while (line := await reader.readline()).strip():
                method, path, _ = line.decode().split(" ")
                headers: dict[str, str] = {}
                while header := (await reader.readline()).decode().strip():
                    name, _, value = header.partition(":")
                    headers[name.lower()] = value.strip()
                body = await reader.readexactly(int(headers.get("content-length", "0")))
                # A client that waits for its answer says nothing: what comes is the end of its connection.
                status, more, answer = await handle(method, path, headers, body, partial(reader.read, 1))
                said = {"Content-Type": "application/json", **more, "Content-Length": str(len(answer))}
                writer.write(f"HTTP/1.1 {status} OK\r\n".encode() + "".join(f"{k}: {v}\r\n" for k, v in said.items()).encode() + b"\r\n")
                writer.write(answer)
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            connections.discard(task)
            writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    try:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
        for task in tuple(connections):
            task.cancel()
        if connections:
            await asyncio.wait(connections)
