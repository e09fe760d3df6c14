"""`RunHandle`: speak into a run while it is going on. Its inbox is the one way by which anything comes into the run."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from datetime import datetime

import msgspec

from handrail.core.events import Cancelled, Input, LandRequested, UserSaid
from handrail.errors import InputError

Make = Callable[[datetime], Input]
"""Makes an input, once the run's clock says when."""


class Said(msgspec.Struct, frozen=True):
    """Something that came in from outside; it gets its time when the run takes it. `dropped` is told that the run had no place for it."""

    make: Make
    dropped: Callable[[], Awaitable[None]] | None = None


class Broken(msgspec.Struct, frozen=True):
    """Serving an effect has failed in a way that the run cannot answer; it is raised where the run is awaited."""

    error: BaseException


class Unserved(msgspec.Struct, frozen=True):
    """The effect with this key cannot be served here after all."""

    key: str


class Leave(msgspec.Struct, frozen=True):
    """Somebody wants the run to be left: what tools do is finished, everything else is stopped, and nothing new begins."""


class NotYet(Exception):
    """Raised by a journal: something came in before this input, is in the inbox by now, and is to be judged first."""


Arrival = Input | Said | Broken | Unserved | Leave


class Inbox:
    """Everything that comes into one run, in its order: anybody puts, and the run alone takes (`asyncio.Queue` is made for many takers)."""

    def __init__(self) -> None:
        """Nothing has come yet."""
        self._arrived: deque[Arrival] = deque()
        self._waiting: asyncio.Future[None] | None = None

    def put(self, arrival: Arrival) -> None:
        """Put it behind the others."""
        self._arrived.append(arrival)
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

    def taken(self) -> Arrival | None:
        """The next one, if there is one by now."""
        return self._arrived.popleft() if self._arrived else None

    async def take(self) -> Arrival:
        """The next one, waited for."""
        while not self._arrived:
            self._waiting = asyncio.get_running_loop().create_future()
            await self._waiting
        return self._arrived.popleft()


class RunHandle:
    """Give it to `run`, `resume` or `stream`, and use it from another task of the same event loop. One handle is for one run."""

    def __init__(self) -> None:
        """Nothing has been said yet; what is said before the run begins waits for it."""
        self.inbox = Inbox()
        self.over = False

    def say(self, text: str) -> None:
        """A message of the user's; it enters after the open turn's tool results.

        Raises:
            InputError: the text is empty, or the run is over.
        """
        if not text.strip():
            raise InputError("an empty message says nothing; give say() a text")
        self._put(lambda at: UserSaid(at=at, text=text))

    def land(self, reason: str = "requested") -> None:
        """End with what there is.

        Raises:
            InputError: the run is over.
        """
        self._put(lambda at: LandRequested(at=at, reason=reason))

    def cancel(self, reason: str = "") -> None:
        """End without a result; a write that is running is waited for, everything else is stopped.

        Raises:
            InputError: the run is over.
        """
        self._put(lambda at: Cancelled(at=at, reason=reason))

    def _put(self, make: Make) -> None:
        if self.over:
            raise InputError("this run is over or parked; begin another one, or resume it")
        self.inbox.put(Said(make))
