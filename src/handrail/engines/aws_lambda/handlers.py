"""The two functions that Lambda calls: `api_handler` answers HTTP, and what it takes on wakes `runner_handler`.

- What they run is named by `HANDRAIL_LAMBDA_PROGRAM` (`module:name`), as Lambda itself is told of a handler: this floor knows no service.
- One event loop and one program for all invocations of a process. A second loop would find connections of the first.
- The program is opened at the first invocation and stays open; while nothing is served the process is frozen, so nothing may be left to do:
  before an invocation ends, who is woken has been invoked, and telemetry has been sent.
- An event is somebody's who may invoke the function. It says which session, and nothing of what it says is run.
"""

import asyncio
import logging
import os
import pkgutil
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from datetime import timedelta
from functools import cache
from typing import Any

import msgspec
from mangum import Mangum
from mangum.types import ASGI

from handrail.engines.aws_lambda.engine import LambdaEngine
from handrail.errors import InputError
from handrail.ports import Clock

PROGRAM = "HANDRAIL_LAMBDA_PROGRAM"
HANDLER = "_HANDLER"
"""Lambda says here which handler it calls."""
MARGIN = timedelta(seconds=60)
"""More than a tool and the journal are given when a run is left."""
SHARE = 4
"""Of a shorter time-out, one part in so many is left."""
LONGEST_SESSION = 200
LONGEST_FLUSH = 2.0
"""Seconds for telemetry; a collector that cannot be reached costs no answer."""

logger = logging.getLogger(__name__)


async def _nothing(seconds: float) -> None:
    """There is no telemetry."""


class Program(msgspec.Struct, frozen=True, kw_only=True):
    """What runs in a process of Lambda's.

    Args:
        app: answers HTTP.
        engine: its messages wake sessions; it has been started where sessions are served.
        clock: what the engine goes by.
        flush: sends the telemetry that waits, and takes no more than so many seconds.
    """

    app: ASGI
    engine: LambdaEngine
    clock: Clock
    flush: Callable[[float], Awaitable[None]] = _nothing


Open = Callable[[bool], AbstractAsyncContextManager[Program]]
"""Opens the program; `True` where it is to serve sessions."""


class Sandbox:
    """A process of Lambda's, from its first invocation on.

    Args:
        runs: sessions are served here.
    """

    def __init__(self, *, runs: bool) -> None:
        """Open the program that the environment names, on a loop of its own.

        Raises:
            InputError: none is named, or it is not there.
        """
        open_program = _named(os.environ.get(PROGRAM))
        self._loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self._loop)  # Mangum asks for the current one
        opened: asyncio.Future[Program] = self._loop.create_future()
        self._open = self._loop.create_task(_kept_open(open_program(runs), opened))
        try:
            self._program = self._loop.run_until_complete(opened)
        except BaseException:
            self._loop.close()
            raise
        self._mangum = Mangum(self._program.app, lifespan="off")

    def answer(self, event: dict[str, Any], context: Any) -> dict[str, Any]:
        """Answer a request of API Gateway's, and have invoked whom it has woken."""
        answer = self._mangum(event, context)
        self._loop.run_until_complete(self._done(context))
        return answer

    def serve(self, event: Any, context: Any) -> dict[str, Any]:
        """Serve a session, or sweep."""
        return self._loop.run_until_complete(self._served(event, context))

    def close(self) -> None:
        """Close the program. Lambda gives no time for it; tests do."""
        self._open.cancel()
        self._loop.run_until_complete(asyncio.wait({self._open}))
        self._loop.run_until_complete(self._loop.shutdown_default_executor())
        asyncio.set_event_loop(None)
        self._loop.close()

    async def _served(self, event: Any, context: Any) -> dict[str, Any]:
        engine, milliseconds = self._program.engine, context.get_remaining_time_in_millis()
        try:
            match event:
                case {"sweep": True}:
                    return {"woken": await engine.recover()}
                case {"session_id": str(session_id)} if len(session_id) <= LONGEST_SESSION:
                    return {"served": await engine.serve(session_id, until=self._program.clock.now() + time_to_work(milliseconds))}
                case _:
                    raise InputError('an event is {"session_id": "…"} or {"sweep": true}')
        finally:
            await self._done(context)

    async def _done(self, context: Any) -> None:
        """Leave nothing to do."""
        await self._program.engine.told()
        await self._program.flush(min(LONGEST_FLUSH, context.get_remaining_time_in_millis() / 1_000 / SHARE))


def time_to_work(milliseconds: int) -> timedelta:
    """How long a session may be served in an invocation that has so many milliseconds left."""
    left = timedelta(milliseconds=milliseconds)
    return left - min(MARGIN, left / SHARE)


def prepare() -> None:
    """Import the program while Lambda initialises the process: that is none of the first invocation's time."""
    if os.environ.get(HANDLER, "").startswith(f"{__package__}."):
        _named(os.environ.get(PROGRAM))


def api_handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Answer a request."""
    return sandbox(runs=False).answer(event, context)


def runner_handler(event: Any, context: Any) -> dict[str, Any]:
    """Serve a session (`{"session_id": "…"}`), or sweep (`{"sweep": true}`)."""
    return sandbox(runs=True).serve(event, context)


@cache
def sandbox(*, runs: bool) -> Sandbox:
    """This process's; one that could not be opened is opened again at the next invocation."""
    return Sandbox(runs=runs)


async def _kept_open(program: AbstractAsyncContextManager[Program], opened: asyncio.Future[Program]) -> None:
    """One task for the whole of it: what is opened in a task is to be closed in it."""
    try:
        async with program as made:
            opened.set_result(made)
            await asyncio.Event().wait()
    except Exception as error:
        if opened.done():
            raise
        opened.set_exception(error)


def _named(place: str | None) -> Open:
    if not place:
        raise InputError(f"{PROGRAM} names no program, such as handrail.service.aws_lambda:opened")
    try:
        found: Open = pkgutil.resolve_name(place)
    except (ImportError, AttributeError, ValueError) as error:
        raise InputError(f"{PROGRAM} names {place!r}, which is not there: {error}") from error
    return found
