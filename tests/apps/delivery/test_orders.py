"""Orders over HTTP: from the cart as it was seen, once, and how far they are."""

import asyncio
from datetime import timedelta

import pytest

from handrail.apps.delivery.orders import Progress, progress
from tests.apps.delivery.kit import AT, BANGKOK, NOODLE, Customer, Storefront, code


async def filled(customer: Customer) -> str:
    """A cart with two dishes; its version."""
    await customer.add(NOODLE, 101, 2)
    version: str = (await customer.add(NOODLE, 108)).json()["version"]
    return version


async def test_an_order_is_what_is_in_the_cart(storefront: Storefront) -> None:
    async with storefront.customer() as alice:
        version = await filled(alice)
        order = (await alice.order(cart=version, by="agent")).json()
        assert (order["restaurant"], order["total_cents"], order["status"]) == ("Night Noodle", 2700, "placed")
        assert [(line["name"], line["quantity"]) for line in order["lines"]] == [("Dan Dan Noodles", 2), ("Jasmine Tea", 1)]
        assert await alice.lines() == {}
        assert await alice.get("orders") == {"orders": [order]}
        assert await alice.get(f"orders/{order['order_id']}") == order
        assert (await alice.acts())[-1]["ids"] == {"order_id": order["order_id"], "restaurant_uuid": NOODLE}


async def test_an_order_with_an_empty_cart_does_nothing(storefront: Storefront) -> None:
    async with storefront.customer() as alice:
        assert code(await alice.order()) == (409, "cart_empty")
        assert await alice.get("orders") == {"orders": []} and await alice.acts() == []


async def test_an_order_twice_is_one_order(storefront: Storefront) -> None:
    async with storefront.customer() as alice:
        await filled(alice)
        first, again = await alice.order("key", act_id="a1"), await alice.order("key", act_id="a1")
        with_another_act = await alice.order("key", act_id="a2")
        assert first.json() == again.json() == with_another_act.json()
        assert code(await alice.order("another-key")) == (409, "cart_empty")
        assert len((await alice.get("orders"))["orders"]) == 1
        assert [act["what"] for act in await alice.acts()].count("order_placed") == 1


async def test_orders_while_the_spinner_turns_are_one_order(storefront: Storefront) -> None:
    async with storefront.customer() as alice:
        await filled(alice)
        answers = await asyncio.gather(*(alice.order(f"key-{number}") for number in range(6)))
        assert sorted(answer.status_code for answer in answers) == [200, 409, 409, 409, 409, 409]
        assert len((await alice.get("orders"))["orders"]) == 1


async def test_a_cart_that_changed_after_it_was_shown_is_not_ordered(storefront: Storefront) -> None:
    async with storefront.customer() as alice:
        seen = await filled(alice)
        await alice.add(NOODLE, 104)
        assert code(await alice.order(cart=seen, by="agent")) == (409, "cart_changed")
        assert len(await alice.lines()) == 3


async def test_an_agents_order_says_which_cart_was_shown(storefront: Storefront) -> None:
    async with storefront.customer() as alice:
        await filled(alice)
        assert code(await alice.order(by="agent")) == (422, "invalid")
        assert len(await alice.lines()) == 2


async def test_a_restaurant_that_has_closed_takes_no_order(storefront: Storefront) -> None:
    async with storefront.customer() as alice:
        await alice.add(BANGKOK, 201)
        storefront.shop.later(hours=10)
        answer = await alice.order()
        assert code(answer) == (409, "closed") and "it opens tomorrow at 11:00" in answer.json()["detail"]
        assert await alice.lines() == {201: 1}, "the cart is kept"


async def test_a_key_of_another_session_is_not_taken(storefront: Storefront) -> None:
    async with storefront.customer() as alice, storefront.customer(session="s2") as other:
        await filled(alice)
        await alice.order("key")
        await other.add(NOODLE, 101)
        assert code(await other.order("key")) == (422, "key_reused")
        assert await other.lines() == {101: 1}


async def test_case_71_an_order_is_its_owners_alone(storefront: Storefront) -> None:
    async with storefront.customer("alice") as alice, storefront.customer("mallory") as mallory:
        await filled(alice)
        order = (await alice.order("key")).json()
        assert code(await mallory.client.get(f"/delivery/orders/{order['order_id']}")) == (404, "not_found")
        assert await mallory.get("orders") == {"orders": []}
        await filled(mallory)
        assert (await mallory.order("key")).json()["order_id"] != order["order_id"], "another user's key is another key"


async def test_an_order_moves_with_the_time(storefront: Storefront) -> None:
    async with storefront.customer() as alice:
        await filled(alice)
        order_id, seen = (await alice.order()).json()["order_id"], []
        for _ in range(5):
            seen.append((await alice.get(f"orders/{order_id}"))["status"])
            storefront.shop.later(minutes=10)
    assert seen == ["placed", "cooking", "on_the_way", "on_the_way", "delivered"]


async def test_the_newest_order_comes_first(storefront: Storefront) -> None:
    async with storefront.customer() as alice:
        for key in ("a", "b"):
            await alice.add(NOODLE, 101 if key == "a" else 102)
            await alice.order(key)
            storefront.shop.later(minutes=1)
        assert [order["lines"][0]["food_id"] for order in (await alice.get("orders"))["orders"]] == [102, 101]


@pytest.mark.parametrize(("minutes", "status"), [(0, "placed"), (3, "cooking"), (18, "on_the_way"), (35, "delivered"), (9999, "delivered")])
def test_progress_follows_from_the_time_alone(minutes: int, status: str) -> None:
    assert progress(AT, AT + timedelta(minutes=minutes)) is Progress(status)
