"""The machine's clock."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from handrail.drivers import clock
from handrail.drivers.clock import SystemClock


def test_now_is_aware_utc() -> None:
    assert SystemClock().now().tzinfo is UTC


async def test_a_time_that_has_passed_is_not_waited_for() -> None:
    await SystemClock().sleep_until(SystemClock().now() - timedelta(seconds=1))


async def test_a_sleeper_looks_at_the_clock_again_since_somebody_may_have_set_it(monkeypatch: pytest.MonkeyPatch) -> None:
    start = datetime(2026, 1, 1, tzinfo=UTC)
    slept: list[float] = []
    times = iter([start, start + timedelta(hours=1), start + timedelta(minutes=90), start + timedelta(hours=2)])

    class Set(SystemClock):
        def now(self) -> datetime:
            return next(times)

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    await Set().sleep_until(start + timedelta(hours=2))
    assert slept == [clock.LONGEST_SLEEP, clock.LONGEST_SLEEP, 1800.0]
