"""`Stream`: a run as an async iterator of its events and of streamed text, and its handle.

- Nobody who reads slowly holds the run up: what has happened waits in a queue.
- Who leaves the loop early stops the run; its journal stays resumable.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import msgspec

from handrail.core.events import Event
from handrail.core.state import RunState
from handrail.drivers.handle import RunHandle
from handrail.errors import InputError
from handrail.vocab.outcomes import Outcome, Parked


class Delta(msgspec.Struct, frozen=True):
    """A piece of the answer's text; no event, and in no journal."""

    text: str


class Stream(RunHandle):
    """Iterate over it once; `outcome` is there afterwards, and `state` is the run's state after the latest event."""

    def __init__(self, drive: Callable[["Stream"], Awaitable[Outcome | Parked]]) -> None:
        """Begin nothing yet: the run starts with the iteration."""
        super().__init__()
        self.outcome: Outcome | Parked | None = None
        self.state = RunState()
        self._drive = drive
        self._seen: asyncio.Queue[Event | Delta | None] = asyncio.Queue()
        self._begun = False

    def saw(self, event: Event, state: RunState) -> None:
        """Take an event in."""
        self.state = state
        self._seen.put_nowait(event)

    def delta(self, text: str) -> None:
        """Take a piece of text in."""
        self._seen.put_nowait(Delta(text))

    def __aiter__(self) -> AsyncIterator[Event | Delta]:
        """The run, from its beginning.

        Raises:
            InputError: it has been iterated over already.
        """
        if self._begun:
            raise InputError("a stream can be gone through once; begin another run")
        self._begun = True
        return self._items()

    async def _items(self) -> AsyncIterator[Event | Delta]:
        task = asyncio.ensure_future(self._drive(self))
        task.add_done_callback(lambda _: self._seen.put_nowait(None))
        try:
            while (item := await self._seen.get()) is not None:
                yield item
            self.outcome = task.result()
        finally:
            if not task.done():
                task.cancel()
                await asyncio.wait({task})
            if not task.cancelled():
                task.exception()
