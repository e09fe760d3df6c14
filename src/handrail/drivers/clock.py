"""The machine's clock, the only place where a driver reads the time."""

import asyncio
from datetime import UTC, datetime

LONGEST_SLEEP = 3600.0
"""Seconds after which a sleeper looks at the clock again, since somebody may have set it."""


class SystemClock:
    """`handrail.ports.Clock` of this machine."""

    def now(self) -> datetime:
        """Aware UTC."""
        return datetime.now(UTC)

    async def sleep_until(self, at: datetime) -> None:
        """Return at that time or soon after it."""
        while True:
            left = (at - self.now()).total_seconds()
            if left <= 0:
                return
            await asyncio.sleep(min(left, LONGEST_SLEEP))
