"""Runs a tool's function to an end that is known, within its time, and leaves nothing of it behind.

- Whatever it raises is a value here; only the cancellation of whoever asked, KeyboardInterrupt and SystemExit go on.
- A tool that swallows the cancellation changes nothing: the asker is cancelled all the same.
- A plain function runs in a daemon thread with the asker's context variables, so it blocks neither the loop nor the exit of
  the process. A thread cannot be stopped: at the end of its time it is abandoned, and its late result is noted and discarded.
- An async function is cancelled and awaited for a few seconds; one that still goes on is abandoned like a thread.
"""

import asyncio
import contextvars
import threading
from collections.abc import Callable, Mapping
from typing import Any, Self

import msgspec

GRACE = 5.0
"""Seconds that a cancelled async tool has for its clean-up."""


class Ended(msgspec.Struct, frozen=True, kw_only=True):
    """The function has come to an end: with a value or with an exception."""

    value: Any = None
    error: BaseException | None = None


class TimedOut(msgspec.Struct, frozen=True):
    """It was given up."""


class Running(msgspec.Struct, frozen=True, kw_only=True):
    """One function with its arguments, and what to do when it ends after it was given up (from any thread)."""

    function: Callable[..., Any]
    arguments: Mapping[str, Any]
    blocking: bool
    late: Callable[[], None]


async def finish(running: Running, *, seconds: float, grace: float = GRACE) -> Ended | TimedOut:
    """Run it for at most so many seconds."""
    future = _in_thread(running) if running.blocking else asyncio.create_task(_awaited(running))
    try:
        await _over_or_late(future, seconds)
    except asyncio.CancelledError:
        await _give_up(future, running, grace)
        raise
    if not future.done():
        await _give_up(future, running, grace)
        return TimedOut()
    ended = _seen(future)
    if isinstance(ended.error, KeyboardInterrupt | SystemExit):
        raise ended.error
    return ended


async def _over_or_late(future: asyncio.Future[Ended], seconds: float) -> None:
    """Wait for the one future, and no longer than that: `asyncio.wait` is made for many, and dearer."""
    loop = asyncio.get_running_loop()
    woken: asyncio.Future[None] = loop.create_future()

    def wake(_: object = None) -> None:
        if not woken.done():
            woken.set_result(None)

    timer = loop.call_later(seconds, wake)
    future.add_done_callback(wake)
    try:
        await woken
    finally:
        timer.cancel()
        future.remove_done_callback(wake)


class _Outcome:
    """Keeps what the block leaves with. Everything is caught: `finish` raises again what is not the tool's own affair."""

    def __init__(self) -> None:
        self.ended = Ended()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> bool:
        if error is not None:
            self.ended = Ended(error=error)
        return True


async def _awaited(running: Running) -> Ended:
    return Ended(value=await running.function(**running.arguments))


def _called(running: Running) -> Ended:
    with _Outcome() as outcome:
        outcome.ended = Ended(value=running.function(**running.arguments))
    return outcome.ended


def _in_thread(running: Running) -> asyncio.Future[Ended]:
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Ended] = loop.create_future()
    context = contextvars.copy_context()

    def deliver(ended: Ended) -> None:
        if future.done():
            running.late()
        else:
            future.set_result(ended)

    def work() -> None:
        ended = context.run(_called, running)
        try:
            loop.call_soon_threadsafe(deliver, ended)
        except RuntimeError:  # the loop is closed, and nobody waits any more
            running.late()

    threading.Thread(target=work, name="handrail tool", daemon=True).start()
    return future


def _seen(future: asyncio.Future[Ended]) -> Ended:
    if future.cancelled():
        return Ended(error=asyncio.CancelledError("the tool cancelled itself"))
    error = future.exception()
    return future.result() if error is None else Ended(error=error)


async def _give_up(future: asyncio.Future[Ended], running: Running, grace: float) -> None:
    def late(future: asyncio.Future[Ended]) -> None:
        _seen(future)
        running.late()

    future.cancel()
    try:
        if not future.done():
            await asyncio.wait({future}, timeout=grace)
    finally:
        if future.done():
            _seen(future)
        else:
            future.add_done_callback(late)
