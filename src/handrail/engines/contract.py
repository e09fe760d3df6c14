"""What every engine does: it delivers 'session S has something to do', at least once, to one advance at a time.

- `wake` is written in the caller's transaction: no wake-up without its message, and no message without its wake-up.
- A wake-up that comes while its session is advanced is not lost: the session is advanced once more.
- Different sessions are advanced side by side, one session strictly one at a time. The journal is the fence should that ever fail.
- Whatever waits (for a person, a browser, a time) holds no process and no connection.
"""

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Protocol

from sqlalchemy.ext.asyncio import AsyncConnection

Advance = Callable[[str], Awaitable[None]]
"""Takes a session forward until it has nothing to do here. It may be called again for the same thing."""


class Engine(Protocol):
    """Who wakes which session, and where."""

    async def wake(self, connection: AsyncConnection, session_id: str, at: datetime | None = None) -> None:
        """Have the session advanced as soon as the transaction is committed, or at that time."""
        ...

    async def start(self, advance: Advance, *, nudge: Callable[[str], None] | None = None) -> None:
        """Begin to advance sessions here. `nudge` is told of a wake-up for a session that is being advanced here now."""
        ...

    async def recover(self) -> int:
        """Wake what is runnable and was woken by nobody, or was lost with its worker; how many sessions that were."""
        ...

    async def stop(self) -> None:
        """Stop what runs here, and wait for it; everything stays resumable."""
        ...
