"""A clock that stands still until it is told to go on: waiting in tests takes no time, and no test depends on a machine's speed.

- It is a `handrail.ports.Clock`, and its `call_later` stands in for an event loop's.
- Whoever waits is woken in the order of the times waited for; equal times in the order of asking.
- `advance` wakes; what the woken ones then do happens when the test next awaits something.
"""

import asyncio
import heapq
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

START = datetime(2026, 1, 1, 12, tzinfo=UTC)


class ManualClock:
    """Time by hand."""

    def __init__(self, start: datetime = START) -> None:
        """Begin at an aware time."""
        self._now = start
        self._asked = 0
        self._due: list[tuple[datetime, int]] = []
        self._callbacks: dict[int, Callable[[], None]] = {}
        self._watchers: list[tuple[int, asyncio.Future[None]]] = []

    @property
    def waiting(self) -> int:
        """How many wait for a time that has not come."""
        return len(self._callbacks)

    def now(self) -> datetime:
        """The time."""
        return self._now

    async def sleep_until(self, at: datetime) -> None:
        """Wait until somebody moves the clock there."""
        if at <= self._now:
            return
        woken = asyncio.get_running_loop().create_future()
        take_back = self._at(at, lambda: None if woken.done() else woken.set_result(None))
        try:
            await woken
        finally:
            take_back()

    def call_later(self, seconds: float, callback: Callable[[], None]) -> Callable[[], None]:
        """Call back when so many seconds have passed; what comes back takes that back."""
        return self._at(self._now + timedelta(seconds=seconds), callback)

    def advance(self, seconds: float) -> None:
        """Move on, waking each at its own time."""
        end = self._now + timedelta(seconds=seconds)
        while self._due and self._due[0][0] <= end:
            at, number = heapq.heappop(self._due)
            if callback := self._callbacks.pop(number, None):
                self._now = max(self._now, at)
                callback()
        self._now = end

    async def until_waiting(self, many: int = 1) -> None:
        """Return once at least so many wait; for tests that must not move the clock too early."""
        if self.waiting < many:
            watcher = asyncio.get_running_loop().create_future()
            self._watchers.append((many, watcher))
            await watcher

    def _at(self, at: datetime, callback: Callable[[], None]) -> Callable[[], None]:
        self._asked += 1
        number = self._asked
        heapq.heappush(self._due, (at, number))
        self._callbacks[number] = callback
        for many, watcher in self._watchers:
            if self.waiting >= many and not watcher.done():
                watcher.set_result(None)
        self._watchers = [(many, watcher) for many, watcher in self._watchers if not watcher.done()]
        return lambda: self._callbacks.pop(number, None) and None
