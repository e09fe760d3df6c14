"""Wake-ups: none is lost while its session is being advanced, and none comes back for nothing."""

from sqlalchemy.ext.asyncio import AsyncEngine

from handrail.stores import wakes
from handrail.stores.transactions import read, write
from tests.stores.kit import AT, added, after


async def due(database: AsyncEngine, seconds: float = 0) -> list[str]:
    return [wake.session_id for wake in await read(database, wakes.due, at=after(seconds))]


async def test_what_is_wanted_is_due_until_it_was_served(database: AsyncEngine) -> None:
    await added(database)
    await write(database, wakes.want, "s", at=AT)
    (wake,) = await read(database, wakes.due, at=AT)
    assert await due(database) == ["s"], "to read it takes nothing away"
    await write(database, wakes.served, wake)
    assert await due(database) == []


async def test_what_is_wanted_meanwhile_is_not_taken_away(database: AsyncEngine) -> None:
    await added(database)
    await write(database, wakes.want, "s", at=AT)
    (wake,) = await read(database, wakes.due, at=AT)
    await write(database, wakes.want, "s", at=after(1))
    await write(database, wakes.served, wake)
    assert await due(database) == ["s"]
    (second,) = await read(database, wakes.due, at=after(2))
    await write(database, wakes.served, second)
    await write(database, wakes.served, wake)
    await write(database, wakes.want, "s", at=after(3))
    await write(database, wakes.served, wake)
    assert await due(database) == ["s"], "nor by one who comes very late"


async def test_a_timer_is_due_at_its_time_and_the_latest_stands(database: AsyncEngine) -> None:
    await added(database)
    await write(database, wakes.want_later, "s", at=after(10))
    await write(database, wakes.want_later, "s", at=after(20))
    assert await due(database, 19) == []
    assert await due(database, 20) == ["s"]
    assert await read(database, wakes.next_due, after=after(19)) == after(20)
    assert await read(database, wakes.next_due, after=after(20)) is None


async def test_a_timer_that_is_set_while_its_session_is_advanced_outlives_that_and_brings_nothing_back_before(
    database: AsyncEngine,
) -> None:
    await added(database)
    await write(database, wakes.want, "s", at=AT)
    (wake,) = await read(database, wakes.due, at=AT)
    await write(database, wakes.want_later, "s", at=after(60))
    await write(database, wakes.served, wake)
    assert await due(database, 59) == []
    assert await due(database, 60) == ["s"]
    (timed,) = await read(database, wakes.due, at=after(60))
    await write(database, wakes.want_later, "s", at=after(90))
    await write(database, wakes.served, timed)
    assert (await due(database, 89), await due(database, 90)) == ([], ["s"])


async def test_a_timer_that_has_come_is_served_with_the_rest(database: AsyncEngine) -> None:
    await added(database)
    await write(database, wakes.want_later, "s", at=after(1))
    await write(database, wakes.want, "s", at=after(2))
    (wake,) = await read(database, wakes.due, at=after(2))
    await write(database, wakes.served, wake)
    assert await due(database, 1000) == []


async def test_whoever_waits_longest_comes_first(database: AsyncEngine) -> None:
    for name in ("a", "b", "c"):
        await added(database, session_id=name)
    await write(database, wakes.want, "b", at=after(3))
    await write(database, wakes.want_later, "c", at=after(2))
    await write(database, wakes.want, "a", at=after(1))
    await write(database, wakes.want, "a", at=after(9))
    assert await due(database, 10) == ["a", "c", "b"]
    assert [wake.session_id for wake in await read(database, wakes.due, at=after(10), most=1)] == ["a"]


async def test_one_session_can_be_asked_for(database: AsyncEngine) -> None:
    for name in ("a", "b"):
        await added(database, session_id=name)
    await write(database, wakes.want, "a", at=AT)
    assert [wake.session_id for wake in await read(database, wakes.due, at=AT, session_id="a")] == ["a"]
    assert await read(database, wakes.due, at=AT, session_id="b") == []
