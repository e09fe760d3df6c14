"""Leases: one has it at a time, and whoever has lost it hears so."""

import asyncio

from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from handrail.stores import leases
from handrail.stores.leases import Lease
from handrail.stores.transactions import read, write
from tests.stores.kit import added, after


async def take(database: AsyncEngine, owner: str, *, at: float = 0, lasts: float = 10) -> Lease | None:
    return await write(database, leases.take, "s", owner=owner, at=after(at), until=after(at + lasts))


async def test_a_lease_is_one_owners_until_it_runs_out(database: AsyncEngine) -> None:
    await added(database)
    assert await take(database, "a") == Lease("s", "a", 1)
    assert await take(database, "b", at=9) is None
    assert await take(database, "a", at=9) is None, "nor a second time"
    assert await take(database, "b", at=10) == Lease("s", "b", 2)


async def test_of_those_who_come_at_once_one_has_it(database: AsyncEngine) -> None:
    await added(database)
    taken = await asyncio.gather(*(take(database, f"owner {number}") for number in range(8)))
    assert sum(lease is not None for lease in taken) == 1


async def test_a_lease_that_is_renewed_lasts_on(database: AsyncEngine) -> None:
    await added(database)
    lease = await take(database, "a")
    assert lease is not None
    assert await write(database, leases.renew, lease, until=after(20))
    assert await take(database, "b", at=19) is None
    assert await take(database, "b", at=20) is not None


async def test_a_lease_that_was_given_back_is_free_for_a_clock_that_is_behind_too(database: AsyncEngine) -> None:
    await added(database)
    lease = await take(database, "a", at=100)
    assert lease is not None
    assert await write(database, leases.release, lease)
    assert await take(database, "b", at=0) == Lease("s", "b", 2)


async def test_case_40_whoever_has_lost_a_lease_renews_and_gives_back_nothing(database: AsyncEngine) -> None:
    await added(database)
    first = await take(database, "a")
    second = await take(database, "b", at=10)
    assert first is not None and second is not None
    assert not await write(database, leases.renew, first, until=after(1_000))
    assert not await write(database, leases.release, first)
    assert await take(database, "c", at=19) is None, "the lease of the second stands"
    third = await take(database, "a", at=20)
    assert third == Lease("s", "a", 3)
    assert not await write(database, leases.renew, first, until=after(1_000)), "the same owner's earlier lease is another one"


async def test_what_is_held_is_known(database: AsyncEngine) -> None:
    for name in ("s", "t"):
        await added(database, session_id=name)
    lease = await take(database, "a")
    assert lease is not None
    assert await read(database, leases.held, at=after(9)) == {"s"}
    assert await read(database, leases.held, at=after(10)) == frozenset()
    await write(database, leases.release, lease)
    assert await read(database, leases.held, at=after(0)) == frozenset()


async def test_a_lease_that_is_taken_in_a_transaction_that_is_given_up_was_never_taken(database: AsyncEngine) -> None:
    async def given_up(connection: AsyncConnection) -> None:
        assert await leases.take(connection, "s", owner="a", at=after(0), until=after(10)) is not None
        await connection.rollback()

    await added(database)
    await write(database, given_up)
    assert await take(database, "b") == Lease("s", "b", 1)
