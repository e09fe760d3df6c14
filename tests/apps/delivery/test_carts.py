"""Carts over HTTP: what is added adds up, the right line is removed, and one cart is of one restaurant."""

import asyncio

from tests.apps.delivery.kit import BANGKOK, HARBOUR, NOODLE, ROMA, SAFFRON, Storefront, code


async def test_a_new_cart_is_empty(storefront: Storefront) -> None:
    async with storefront.customer() as alice:
        assert await alice.cart() == {"restaurant_uuid": None, "restaurant": None, "lines": [], "total_cents": 0, "version": "empty"}


async def test_what_is_added_twice_adds_up_and_the_server_does_the_sums(storefront: Storefront) -> None:
    async with storefront.customer() as alice:
        await alice.add(NOODLE, 101, 2)
        await alice.add(NOODLE, 108)
        answer = await alice.add(NOODLE, 101)
    cart = answer.json()
    assert cart["restaurant"] == "Night Noodle" and cart["total_cents"] == 3 * 1190 + 320
    assert [(line["name"], line["quantity"], line["price_cents"]) for line in cart["lines"]] == [
        ("Dan Dan Noodles", 3, 1190),
        ("Jasmine Tea", 1, 320),
    ]


async def test_removing_one_of_two_lines_removes_the_right_one(storefront: Storefront) -> None:
    async with storefront.customer() as alice:
        await alice.add(NOODLE, 101, 2)
        await alice.add(NOODLE, 102, 3)
        await alice.remove(NOODLE, 101)
        assert await alice.lines() == {102: 3}
        await alice.remove(NOODLE, 102, quantity=2)
        assert await alice.lines() == {102: 1}
        await alice.remove(NOODLE, 102, quantity=20)
        assert await alice.lines() == {}


async def test_an_emptied_cart_takes_another_restaurant(storefront: Storefront) -> None:
    async with storefront.customer() as alice:
        await alice.add(NOODLE, 101)
        await alice.remove(NOODLE, 101)
        assert (await alice.add(BANGKOK, 201)).status_code == 200


async def test_the_same_dish_name_in_two_restaurants_does_not_merge(storefront: Storefront) -> None:
    async with storefront.customer() as alice, storefront.customer(session="s2") as other:
        await alice.add(ROMA, 301)
        await other.add(HARBOUR, 401)
        assert code(await alice.add(HARBOUR, 401)) == (409, "another_restaurant")
        assert code(await alice.remove(HARBOUR, 401)) == (409, "not_in_cart")
        first, second = await alice.cart(), await other.cart()
    assert first["lines"] == [{"food_id": 301, "name": "Margherita", "quantity": 1, "price_cents": 990}]
    assert second["lines"] == [{"food_id": 401, "name": "Margherita", "quantity": 1, "price_cents": 1090}]


async def test_one_cart_is_of_one_restaurant_and_the_no_says_so(storefront: Storefront) -> None:
    async with storefront.customer() as alice:
        await alice.add(NOODLE, 101)
        answer = await alice.add(BANGKOK, 201)
        assert code(answer) == (409, "another_restaurant") and "Night Noodle" in answer.json()["detail"]
        assert await alice.lines() == {101: 1}


async def test_a_page_that_is_not_open_is_no_hindrance(storefront: Storefront) -> None:
    async with storefront.customer() as alice:
        await alice.did("page_opened", restaurant_uuid=BANGKOK)
        assert (await alice.add(NOODLE, 101)).status_code == 200


async def test_a_closed_restaurant_cannot_be_ordered_from_and_says_when_it_opens(storefront: Storefront) -> None:
    async with storefront.customer() as alice:
        answer = await alice.add(SAFFRON, 601)
        assert code(answer) == (409, "closed") and "it opens today at 17:00" in answer.json()["detail"]
        storefront.shop.later(hours=5)
        assert (await alice.add(SAFFRON, 601)).status_code == 200


async def test_a_dish_that_is_not_on_that_menu_is_told(storefront: Storefront) -> None:
    async with storefront.customer() as alice:
        for uuid, food in ((NOODLE, 201), (BANGKOK, 101), ("nothing", 101), (NOODLE, 199)):
            assert code(await alice.add(uuid, food)) == (404, "no_such_food")
            assert code(await alice.remove(uuid, food)) == (404, "no_such_food")
        assert await alice.acts() == []


async def test_what_is_told_again_happens_once(storefront: Storefront) -> None:
    async with storefront.customer() as alice:
        for _ in range(3):
            assert (await alice.add(NOODLE, 101, 2, act_id="same")).status_code == 200
        assert await alice.lines() == {101: 2}
        for _ in range(2):
            assert (await alice.remove(NOODLE, 101, quantity=1, act_id="other")).status_code == 200
        assert await alice.lines() == {101: 1}
        assert [act["act_id"] for act in await alice.acts()] == ["same", "other"]


async def test_an_act_id_with_another_act_is_refused(storefront: Storefront) -> None:
    async with storefront.customer() as alice:
        await alice.add(NOODLE, 101, 2, act_id="same")
        assert code(await alice.add(NOODLE, 101, 3, act_id="same")) == (422, "act_reused")
        assert code(await alice.remove(NOODLE, 101, act_id="same")) == (422, "act_reused")
        assert await alice.lines() == {101: 2}


async def test_many_at_once_all_count(storefront: Storefront) -> None:
    async with storefront.customer() as alice:
        answers = await asyncio.gather(*(alice.add(NOODLE, 101 + number % 3) for number in range(12)))
        assert {answer.status_code for answer in answers} == {200}
        assert await alice.lines() == {101: 4, 102: 4, 103: 4}
        assert [act["seq"] for act in await alice.acts()] == list(range(1, 13))


async def test_too_much_is_too_much(storefront: Storefront) -> None:
    async with storefront.customer() as alice:
        for _ in range(2):
            await alice.add(NOODLE, 101, 20)
        assert code(await alice.add(NOODLE, 101, 11)) == (409, "too_much")
        assert await alice.lines() == {101: 40}


WRONG: tuple[dict[str, object], ...] = (
    {"quantity": 0},
    {"quantity": -1},
    {"quantity": 21},
    {"quantity": "2"},
    {"quantity": True},
    {"quantity": 1.5},
    {"food_id": "101"},
    {"price_cents": 1},
    {"user_id": "bob"},
    {"session_id": "../x"},
    {"act_id": ""},
    {"by": "somebody"},
)


async def test_what_does_not_fit_is_refused(storefront: Storefront) -> None:
    async with storefront.customer() as alice:
        for wrong in WRONG:
            body = alice.acting(restaurant_uuid=NOODLE, food_id=101, quantity=1) | wrong
            assert code(await alice.client.post("/delivery/cart/items", json=body)) == (422, "invalid"), wrong
        assert await alice.lines() == {}


async def test_case_71_a_cart_is_its_owners_alone(storefront: Storefront) -> None:
    async with storefront.customer("alice") as alice, storefront.customer("mallory") as mallory:
        await alice.add(NOODLE, 101)
        assert await mallory.lines() == {} and await mallory.acts() == []
        assert code(await mallory.remove(NOODLE, 101)) == (409, "not_in_cart")
        assert await alice.lines() == {101: 1}


async def test_the_version_changes_with_what_is_seen_and_with_nothing_else(storefront: Storefront) -> None:
    async with storefront.customer() as alice, storefront.customer("bob") as bob:
        versions = [(await alice.add(NOODLE, 101)).json()["version"], (await alice.add(NOODLE, 101)).json()["version"]]
        versions.append((await alice.remove(NOODLE, 101, quantity=1)).json()["version"])
        same = (await bob.add(NOODLE, 101)).json()["version"]
    assert versions[0] == versions[2] == same != versions[1]
