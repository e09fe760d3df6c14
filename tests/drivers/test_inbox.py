"""The inbox of a run: everything in its order, waited for where there is nothing."""

import asyncio

from handrail.drivers.handle import Inbox, Unserved

ONE, TWO, THREE = Unserved("1"), Unserved("2"), Unserved("3")


async def test_what_came_first_is_taken_first() -> None:
    inbox = Inbox()
    inbox.put(ONE)
    inbox.put(TWO)
    assert (await inbox.take(), inbox.taken(), inbox.taken()) == (ONE, TWO, None)


async def test_the_taker_waits_and_gets_each_once() -> None:
    inbox = Inbox()

    async def taking() -> list[object]:
        return [await inbox.take() for _ in range(3)]

    taker = asyncio.create_task(taking())
    await asyncio.sleep(0)
    inbox.put(ONE)
    inbox.put(TWO)
    await asyncio.sleep(0)
    inbox.put(THREE)
    assert await taker == [ONE, TWO, THREE]


async def test_a_taker_that_is_stopped_loses_nothing() -> None:
    inbox = Inbox()
    taker = asyncio.create_task(inbox.take())
    await asyncio.sleep(0)
    inbox.put(ONE)
    taker.cancel()
    await asyncio.wait({taker})
    assert inbox.taken() == ONE
