"""The action trail: every act once, in order, and reading takes nothing away; and what runs are told of it."""

from collections.abc import Sequence
from typing import Any

from handrail import Fact
from handrail.apps.delivery.interface import beside
from handrail.apps.delivery.trail import LONGEST_NOTE, Act, What, Who, acts_note
from tests.apps.delivery.kit import AT, BANGKOK, NOODLE, Storefront, code


async def test_acts_are_kept_in_order_with_who_and_when(storefront: Storefront) -> None:
    async with storefront.customer() as alice:
        await alice.did("page_opened", restaurant_uuid=NOODLE)
        storefront.shop.later(seconds=5)
        await alice.add(NOODLE, 101, 2, by="agent")
        await alice.did("cart_opened")
        await alice.did("handsfree_on", by="agent")
        acts = await alice.acts()
    assert [(act["seq"], act["who"], act["what"]) for act in acts] == [
        (1, "user", "page_opened"),
        (2, "agent", "food_added"),
        (3, "user", "cart_opened"),
        (4, "agent", "handsfree_on"),
    ]
    assert acts[0]["at"] == "2026-12-01T12:15:00Z" and acts[1]["at"] == "2026-12-01T12:15:05Z"
    assert acts[1]["ids"] == {"restaurant_uuid": NOODLE, "food_id": 101, "quantity": 2}


async def test_reading_the_trail_does_not_delete_it(storefront: Storefront) -> None:
    async with storefront.customer() as alice:
        for number in range(12):
            await alice.did("cart_opened" if number % 2 else "cart_closed")
        assert await alice.acts() == await alice.acts() and len(await alice.acts()) == 12
        assert [act["seq"] for act in await alice.acts(last=3)] == [10, 11, 12]
        assert len((await alice.get("acts", session_id="s1"))["acts"]) == 10


async def test_closing_a_page_when_none_is_open_is_a_clean_no(storefront: Storefront) -> None:
    async with storefront.customer() as alice:
        assert code(await alice.did("page_closed")) == (409, "no_page")
        await alice.did("page_opened", restaurant_uuid=NOODLE)
        assert (await alice.get("acts", session_id="s1"))["open_page"] == NOODLE
        assert (await alice.did("page_closed")).status_code == 200
        assert code(await alice.did("page_closed")) == (409, "no_page")
        assert [act["what"] for act in await alice.acts()] == ["page_opened", "page_closed"]


async def test_whether_the_carts_drawer_is_open_is_known_until_it_is_closed_or_ordered(storefront: Storefront) -> None:
    async with storefront.customer() as alice:

        async def is_open(session_id: str = "s1") -> bool:
            return bool((await alice.get("acts", session_id=session_id))["cart_is_open"])

        assert not await is_open()
        await alice.did("cart_opened")
        assert await is_open() and not await is_open("s2")
        await alice.did("cart_closed")
        assert not await is_open()
        await alice.did("cart_opened")
        await alice.add(NOODLE, 101)
        assert await is_open()
        await alice.order()
        assert not await is_open()


async def test_an_act_that_is_told_again_is_there_once(storefront: Storefront) -> None:
    async with storefront.customer() as alice:
        first = await alice.did("page_opened", restaurant_uuid=NOODLE, act_id="x")
        storefront.shop.later(minutes=1)
        again = await alice.did("page_opened", restaurant_uuid=NOODLE, act_id="x")
        assert first.json() == again.json() and len(await alice.acts()) == 1
        assert code(await alice.did("page_opened", restaurant_uuid=BANGKOK, act_id="x")) == (422, "act_reused")


async def test_what_is_no_act_is_refused(storefront: Storefront) -> None:
    wrong: tuple[dict[str, Any], ...] = (
        {"what": "page_opened"},
        {"what": "cart_opened", "restaurant_uuid": NOODLE},
        {"what": "food_added"},
        {"what": "order_placed"},
        {"what": "page_opened", "restaurant_uuid": NOODLE, "at": "2020-01-01T00:00:00Z"},
    )
    async with storefront.customer() as alice:
        for each in wrong:
            assert code(await alice.post("acts", **each)) == (422, "invalid"), each
        assert code(await alice.did("page_opened", restaurant_uuid="nothing")) == (404, "not_found")
        assert await alice.acts() == []


def kinds(facts: Sequence[Fact]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for fact in facts:
        found.setdefault(fact.kind, []).append(fact.value)
    return found


async def test_a_run_is_told_of_the_cart_and_the_page_after_each_act(storefront: Storefront) -> None:
    noted = storefront.shop.noted
    async with storefront.customer() as alice:
        await alice.did("page_opened", restaurant_uuid=NOODLE)
        version = (await alice.add(NOODLE, 101, 2)).json()["version"]
        await alice.order(cart=version)
    assert [each[:2] for each in noted] == [("alice", "s1")] * 3
    assert {(each[2].source, each[2].replaces) for each in noted} == {("page", ("cart", "page"))}
    opened, added, ordered = (kinds(each[2].facts) for each in noted)
    menu = list(range(101, 109))
    assert opened == {"restaurant": [NOODLE], "dish": menu, "page": [NOODLE]}
    assert added == {"restaurant": [NOODLE], "dish": menu, "page": [NOODLE], "cart": [version]}
    assert "cart" not in ordered
    cart = next(fact for fact in noted[1][2].facts if fact.kind == "cart")
    assert (cart.about["total_cents"], cart.about["open"], cart.about["restaurant"]) == (2380, True, "Night Noodle")


async def test_what_the_trail_names_may_be_named_when_the_page_is_closed_too(storefront: Storefront) -> None:
    async with storefront.customer() as alice:
        await alice.add(NOODLE, 101)
        await alice.did("page_opened", restaurant_uuid=BANGKOK)
        await alice.did("page_closed")
    last = kinds(storefront.shop.noted[-1][2].facts)
    assert (last["restaurant"], last["dish"]) == ([NOODLE, BANGKOK], [101]) and "page" not in last


async def test_a_no_tells_a_run_nothing(storefront: Storefront) -> None:
    async with storefront.customer() as alice:
        await alice.order()
        await alice.did("page_closed")
    assert storefront.shop.noted == []


async def test_the_next_message_brings_what_the_user_did_once(storefront: Storefront) -> None:
    shop = storefront.shop
    async with storefront.customer() as alice:
        await alice.did("page_opened", restaurant_uuid=NOODLE)
        await alice.add(NOODLE, 101, by="agent")
        first, second = await beside(shop, "alice", "s1"), await beside(shop, "alice", "s1")
        await alice.remove(NOODLE, 101)
        third = await beside(shop, "alice", "s1")
        assert len(await alice.acts()) == 3
    assert first.notes == (f"In the interface the user has meanwhile: opened the page of restaurant {NOODLE}.",)
    assert first.facts == second.facts and second.notes == ()
    assert third.notes == ("In the interface the user has meanwhile: removed all of food 101.",)
    (noted,), (nothing,) = third.facts, (await beside(shop, "mallory", "s1")).facts
    assert "cart" not in kinds(noted.facts) and kinds(noted.facts)["dish"] == list(range(101, 109)) and nothing.facts == ()


def act(what: What, who: Who = Who.USER, **ids: Any) -> Act:
    return Act(seq=1, act_id="a", at=AT, who=who, what=what, ids=ids)


def test_a_note_is_short_however_much_was_done() -> None:
    acts = [act(What.PAGE_OPENED, restaurant_uuid=NOODLE) for _ in range(500)] + [act(What.FOOD_ADDED, food_id=101, quantity=2)]
    note = acts_note(acts)
    assert len(note) <= LONGEST_NOTE
    assert note.endswith("added 2 of food 101.") and "earlier acts (get_user_actions tells)" in note


def test_a_note_tells_of_the_user_alone() -> None:
    assert acts_note([]) == acts_note([act(What.CART_OPENED, Who.AGENT)]) == ""
    told = acts_note([act(What.CART_OPENED), act(What.HANDSFREE_OFF), act(What.ORDER_PLACED, order_id="ord_1")])
    assert told == "In the interface the user has meanwhile: cart opened; handsfree off; placed order ord_1."
