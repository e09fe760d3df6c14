"""The clock by hand: nothing moves unless the test moves it, and whoever waits is woken in order."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from handrail.ports import Clock
from handrail.testing import ManualClock


async def test_a_sleeper_wakes_when_the_clock_is_there_and_not_before() -> None:
    clock, woken = ManualClock(), asyncio.Event()

    async def sleeper() -> None:
        await clock.sleep_until(clock.now() + timedelta(seconds=10))
        woken.set()

    task = asyncio.create_task(sleeper())
    await clock.until_waiting()
    clock.advance(9.9)
    await asyncio.sleep(0)
    assert not woken.is_set()
    clock.advance(0.1)
    await task
    assert woken.is_set() and clock.waiting == 0


async def test_sleepers_wake_in_the_order_of_their_times_and_equal_ones_in_the_order_of_asking() -> None:
    clock, woken = ManualClock(), list[tuple[str, float]]()
    start = clock.now()

    async def sleeper(name: str, seconds: float) -> None:
        await clock.sleep_until(start + timedelta(seconds=seconds))
        woken.append((name, seconds))

    tasks = [asyncio.create_task(sleeper(name, seconds)) for name, seconds in (("c", 3), ("a", 1), ("b1", 2), ("b2", 2))]
    await clock.until_waiting(4)
    clock.advance(5)
    await asyncio.gather(*tasks)
    assert woken == [("a", 1), ("b1", 2), ("b2", 2), ("c", 3)]


async def test_a_time_that_has_passed_is_not_waited_for() -> None:
    clock = ManualClock()
    await clock.sleep_until(clock.now())
    await clock.sleep_until(clock.now() - timedelta(days=1))
    assert clock.waiting == 0


async def test_a_sleeper_that_is_cancelled_waits_no_more() -> None:
    clock = ManualClock()
    task = asyncio.create_task(clock.sleep_until(clock.now() + timedelta(seconds=1)))
    await clock.until_waiting()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert clock.waiting == 0
    clock.advance(2)


def test_callbacks_see_the_time_they_asked_for() -> None:
    clock, seen = ManualClock(datetime(2026, 1, 1, tzinfo=UTC)), list[datetime]()
    clock.call_later(2, lambda: seen.append(clock.now()))
    clock.call_later(1, lambda: seen.append(clock.now()))
    clock.advance(60)
    assert [moment.second for moment in seen] == [1, 2] and clock.now().minute == 1


def test_a_callback_that_asks_again_within_the_time_is_called_again() -> None:
    clock, seen = ManualClock(), list[datetime]()

    def again() -> None:
        seen.append(clock.now())
        clock.call_later(10, again)

    again()
    clock.advance(35)
    assert len(seen) == 4 and clock.waiting == 1


def test_what_is_taken_back_is_not_called() -> None:
    clock, seen = ManualClock(), list[int]()
    take_back = clock.call_later(1, lambda: seen.append(1))
    take_back()
    take_back()
    clock.advance(2)
    assert seen == []


def test_it_is_a_clock_for_drivers() -> None:
    clock: Clock = ManualClock()
    assert clock.now().tzinfo is UTC
