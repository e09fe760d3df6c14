"""Two limits on one model call: of all its time, and of the time between two events with content (case 36).

- The time is injected: `call_later(seconds, callback)` gives back what takes the call back; an event loop's own by default.
- No task of its own: a limit that is reached ends the scope at once, as `asyncio.timeout` does, and an outer cancellation wins.
- Bytes do not count as a sign of life, only what the reader says is content: keep-alive comments defeat nothing.
"""

import asyncio
from collections.abc import Callable
from types import TracebackType
from typing import Self

from handrail.errors import ModelError
from handrail.vocab.failures import FailureKind

CallLater = Callable[[float, Callable[[], None]], Callable[[], None]]
"""Calls back after so many seconds; what it returns takes that back."""


def loop_call_later(seconds: float, callback: Callable[[], None]) -> Callable[[], None]:
    """The running event loop's own."""
    return asyncio.get_running_loop().call_later(seconds, callback).cancel


class Patience:
    """The scope of one model call. `heard()` at each event with content; leaving it after a limit raises `ModelError`."""

    def __init__(self, call_later: CallLater, *, idle_seconds: float, total_seconds: float) -> None:
        """Remember the limits; nothing runs before the scope is entered."""
        self._call_later = call_later
        self._idle_seconds = idle_seconds
        self._total_seconds = total_seconds
        self._scope = asyncio.timeout(None)
        self._reached = ""
        self._take_back_total: Callable[[], None] = _nothing
        self._take_back_idle: Callable[[], None] = _nothing

    async def __aenter__(self) -> Self:
        """Begin to count the whole time."""
        await self._scope.__aenter__()
        total = f"no whole reply within {self._total_seconds:g} seconds"
        self._take_back_total = self._call_later(self._total_seconds, lambda: self._end(total))
        return self

    def heard(self) -> None:
        """Something with content came: the next may take as long again."""
        self._take_back_idle()
        idle = f"nothing but silence or keep-alives for {self._idle_seconds:g} seconds"
        self._take_back_idle = self._call_later(self._idle_seconds, lambda: self._end(idle))

    def shorter(self, seconds: float) -> "Patience":
        """Another scope, inside this one, with less time."""
        return Patience(self._call_later, idle_seconds=seconds, total_seconds=seconds)

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Take the timers back.

        Raises:
            ModelError: of kind `timeout`, where a limit was reached.
        """
        self._take_back_idle()
        self._take_back_total()
        late = False
        try:
            await self._scope.__aexit__(kind, error, trace)
        except TimeoutError:
            late = True
        if late:
            raise ModelError(FailureKind.TIMEOUT, self._reached)

    def _end(self, reached: str) -> None:
        if not self._reached:
            self._reached = reached
            self._scope.reschedule(0)


def _nothing() -> None:
    """There is no timer to take back yet."""
