"""How much one user may ask for: a bucket that fills steadily, and is full after a minute.

- It is counted in each process for itself, and in memory: several processes let through several times as much.
- Whoever comes too often is told when to come again, and costs no more than that.
"""

from datetime import datetime
from math import ceil

from handrail.ports import Clock
from handrail.service.problems import Problem

MOST_KEPT = 10_000
"""Users that are remembered; beyond it those are forgotten whose bucket is full, and who therefore lose nothing."""


class Rates:
    """A limit for each user.

    Args:
        per_minute: how many; as many may come at once after a quiet minute.
        clock: says the time.
        what: of what, for the refusal.
    """

    def __init__(self, per_minute: int, *, clock: Clock, what: str = "requests") -> None:
        """Begin with full buckets."""
        self._per_minute = per_minute
        self._clock = clock
        self._what = what
        self._left: dict[str, tuple[float, datetime]] = {}

    def take(self, who: str) -> None:
        """Take one.

        Raises:
            Problem: there is none left; `Retry-After` says when there is.
        """
        now = self._clock.now()
        if len(self._left) > MOST_KEPT:
            self._left = {name: kept for name, kept in self._left.items() if self._now_left(name, now) < self._per_minute}
        left = self._now_left(who, now)
        if left < 1:
            wait = ceil((1 - left) * 60 / self._per_minute)
            detail = f"These are more than {self._per_minute} {self._what} in a minute. Come again in {wait} s."
            raise Problem(429, "too_many", detail, headers={"Retry-After": str(wait)})
        self._left[who] = (left - 1, now)

    def _now_left(self, who: str, now: datetime) -> float:
        left, at = self._left.get(who, (float(self._per_minute), now))
        return min(self._per_minute, left + max(0.0, (now - at).total_seconds()) * self._per_minute / 60)
