"""What belongs to one event loop, made once for each and closed when that loop ends (case 47)."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class OnePerLoop(Generic[T]):
    """One thing for each event loop.

    Args:
        make: makes one, inside the running loop.
        shut: closes it.
    """

    def __init__(self, make: Callable[[], T], shut: Callable[[T], Awaitable[None]]) -> None:
        """Nothing is made yet."""
        self._make = make
        self._shut = shut
        self._open: dict[asyncio.AbstractEventLoop, tuple[T, AsyncGenerator[None]]] = {}

    async def get(self) -> T:
        """The running loop's own."""
        loop = asyncio.get_running_loop()
        if opened := self._open.get(loop):
            return opened[0]
        made = self._make()
        lifetime = self._lifetime(loop, made)
        self._open[loop] = made, lifetime
        await anext(lifetime)
        return made

    async def close(self) -> None:
        """Close what the running loop has open."""
        if opened := self._open.get(asyncio.get_running_loop()):
            await opened[1].aclose()

    async def _lifetime(self, loop: asyncio.AbstractEventLoop, made: T) -> AsyncGenerator[None]:
        """A loop that ends closes its open generators, and this one closes what was made."""
        try:
            yield
        finally:
            self._open.pop(loop, None)
            await self._shut(made)
            await asyncio.sleep(0)  # the loop lets go of a closed connection in its next round
