"""A job's events as they happen (server-sent events, WHATWG HTML 9.2): each once, in order, from any number on.

- What is sent is what the journal has, so it can be sent again for as long as the job is there, the last event too.
- `id` is the event's number in its job: whoever comes back with `Last-Event-ID` gets what came after it, and of this job only (case 66).
- It looks when it is told of news: by a run in this process, or by the database. Where neither can be relied on (`told`), after a pause
  that grows while nothing happens.
- No connection to the database is held while it waits. Whoever reads has no part in the run: a client that goes away ends nothing.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from itertools import chain
from typing import Any

import msgspec

from handrail.core.events import Event, RunFinished, RunStarted
from handrail.core.state import RunState
from handrail.ports import Clock
from handrail.service.desk import Desk
from handrail.service.problems import Problem

MEDIA_TYPE = "text/event-stream"
KEEP_ALIVE = timedelta(seconds=15)
FIRST_PAUSE = timedelta(milliseconds=20)
LONGEST_PAUSE = timedelta(seconds=1)
TOLD_PAUSE = timedelta(seconds=5)
"""Should a connection that tells of news have gone without a word."""
Lines = Sequence[tuple[int, str]]


class Streams:
    """All streams of this process.

    Args:
        desk: reads the events.
        clock: says and waits for the time.
        most: that one user may have open at once.
        told: whether it is told of all news now.
    """

    def __init__(self, desk: Desk, *, clock: Clock, most: int, told: Callable[[], bool] = bool) -> None:
        """Nobody listens yet."""
        self._desk = desk
        self._clock = clock
        self._most = most
        self._told = told
        self._open: Counter[str] = Counter()
        self._news: dict[str, set[asyncio.Event]] = {}
        self._closed = False

    @property
    def open_now(self) -> int:
        """How many are open."""
        return sum(self._open.values())

    def saw(self, event: Event, state: RunState) -> None:
        """Tell of an event that is written (`OnEvent`)."""
        self.heard(state.run_id)

    def heard(self, job_id: str | None) -> None:
        """Tell of news of a job; without its name, of any."""
        listening = self._news.values() if job_id is None else (self._news.get(job_id, ()),)
        for news in chain.from_iterable(listening):
            news.set()

    def close(self) -> None:
        """End every stream; clients come back by themselves, with the number of the last event that they have."""
        self._closed = True
        self.heard(None)

    async def opened(self, user_id: str, job_id: str, *, after: int) -> AsyncGenerator[bytes, None] | None:
        """The events with a number above `after`; `None` where the job has ended and there are none left.

        Raises:
            NotThere: there is no such job of the user's.
            Problem: the number is beyond the last event, or the user has too many streams open.
        """
        lines = await self._desk.lines(user_id, job_id, after=max(after - 1, -1))
        if after >= 0:
            if not lines or lines[0][0] != after:
                raise Problem(400, "unknown_event", "Last-Event-ID is no event of this job. Leave it away to get all of them.")
            lines, last = lines[1:], lines[0]
            if not lines and _ends(last[1]):
                return None
        self.check_room(user_id)
        return self._sent(user_id, job_id, after=after)

    def check_room(self, user_id: str) -> None:
        """See that the user may open one more.

        Raises:
            Problem: the user has too many open.
        """
        if self._open[user_id] >= self._most:
            detail = f"These are more than {self._most} streams at once; close one."
            raise Problem(429, "too_many", detail, headers={"Retry-After": "5"})

    async def _sent(self, user_id: str, job_id: str, *, after: int) -> AsyncGenerator[bytes, None]:
        with self._listening(user_id, job_id) as news:
            pause, alive = FIRST_PAUSE, self._clock.now()
            while not self._closed:
                news.clear()
                lines = await self._desk.lines(user_id, job_id, after=after)
                for number, line in lines:
                    yield f"id: {number}\ndata: {shown(line)}\n\n".encode()
                    if _ends(line):
                        return
                now = self._clock.now()
                if lines:
                    after, pause, alive = lines[-1][0], FIRST_PAUSE, now
                elif now - alive >= KEEP_ALIVE:
                    alive = now
                    yield b": keep-alive\n\n"
                else:
                    pause = min(pause * 2, LONGEST_PAUSE)
                await self._wait(news, TOLD_PAUSE if self._told() else pause)

    async def _wait(self, news: asyncio.Event, pause: timedelta) -> None:
        waiting = (asyncio.create_task(news.wait()), asyncio.create_task(self._clock.sleep_until(self._clock.now() + pause)))
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in waiting:
                task.cancel()

    @contextmanager
    def _listening(self, user_id: str, job_id: str) -> Iterator[asyncio.Event]:
        news = asyncio.Event()
        self._open[user_id] += 1
        self._news.setdefault(job_id, set()).add(news)
        try:
            yield news
        finally:
            self._open[user_id] -= 1
            if self._open[user_id] <= 0:
                del self._open[user_id]
            self._news[job_id].discard(news)
            if not self._news[job_id]:
                del self._news[job_id]


def shown(line: str) -> str:
    """A stored event as its owner sees it: all of it, but what was said before the run, which its session has."""
    stored: dict[str, Any] = msgspec.json.decode(line)
    if stored.get("event") != RunStarted.__name__:
        return line
    return msgspec.json.encode({key: value for key, value in stored.items() if key != "history"}).decode()


def _ends(line: str) -> bool:
    return bool(msgspec.json.decode(line, type=_Kind).event == RunFinished.__name__)


class _Kind(msgspec.Struct):
    event: str
