"""Restaurants, searches and pictures over HTTP."""

from pathlib import Path
from xml.etree import ElementTree as ET

import msgspec
import pytest

from handrail.apps.delivery.images.drawing import MOST_BYTES, SHAPES, drawing
from tests.apps.delivery.kit import NOODLE, SAFFRON, Storefront, TestShop, catalogue, code, front


async def test_the_grid_shows_all_restaurants_and_who_is_open(storefront: Storefront) -> None:
    async with storefront.customer() as alice:
        found = (await alice.get("restaurants"))["restaurants"]
    assert len(found) == 25 and found[0]["name"] == "Night Noodle"
    assert (found[0]["open"], found[0]["opens"]) == (True, None)
    saffron = next(each for each in found if each["restaurant_uuid"] == SAFFRON)
    assert (saffron["open"], saffron["opens"], saffron["hours"]["friday"]) == (False, "today at 17:00", ["17:00-04:00"])
    assert found[0]["hours"]["monday"] == ["00:00-24:00"]


async def test_a_restaurant_has_its_menu_with_pictures(storefront: Storefront) -> None:
    async with storefront.customer() as alice:
        found = await alice.get(f"restaurants/{NOODLE}")
        assert code(await alice.client.get("/delivery/restaurants/nothing")) == (404, "not_found")
    assert len(found["menu"]) == 8
    assert (found["menu"][0]["image"], found["menu"][0]["photograph"]) == ("/delivery/images/101.svg", None)


async def test_a_search_finds_dishes_and_filters_hold(storefront: Storefront) -> None:
    async with storefront.customer() as alice:
        spicy = (await alice.get("restaurants", text="something spicy and noodly"))["restaurants"]
        vegan = (await alice.get("restaurants", text="noodles", diet=["vegan", "gluten-free"], most_cents=1200))["restaurants"]
        open_now = (await alice.get("restaurants", open_now=True))["restaurants"]
        named = (await alice.get("restaurants", text="Saffron Door"))["restaurants"]
        cheap = (await alice.get("restaurants", most_cents=300))["restaurants"]
        wrong = await alice.client.get("/delivery/restaurants", params={"diet": "carnivore"})
    assert spicy[0]["matches"][0]["kind"] == "noodles" and "spicy" in spicy[0]["matches"][0]["tags"]
    dishes = [dish for each in vegan for dish in each["matches"]]
    assert dishes and all({"vegan", "gluten-free"} <= set(dish["tags"]) and dish["price_cents"] <= 1200 for dish in dishes)
    assert open_now and all(each["open"] for each in open_now) and len(open_now) < 25
    assert named[0]["restaurant_uuid"] == SAFFRON
    assert cheap and all(dish["price_cents"] <= 300 for each in cheap for dish in each["matches"])
    assert code(wrong) == (422, "invalid")


async def test_a_drawing_is_served_and_kept_by_browsers(storefront: Storefront) -> None:
    async with storefront.customer() as alice:
        answer = await alice.client.get("/delivery/images/101.svg")
        seen = await alice.client.get("/delivery/images/101.svg", headers={"If-None-Match": answer.headers["etag"]})
        missing = await alice.client.get("/delivery/images/99999.svg")
        odd = await alice.client.get("/delivery/images/..%2f101.svg")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/svg+xml")
    assert answer.headers["content-security-policy"] == "default-src 'none'; sandbox"
    assert answer.headers["x-content-type-options"] == "nosniff" and "max-age" in answer.headers["cache-control"]
    assert answer.content == drawing(catalogue().dishes[101])
    assert (seen.status_code, seen.content) == (304, b"")
    assert code(missing) == (404, "not_found") and odd.status_code in {404, 422}


async def test_a_photograph_is_served_where_there_is_one(shop: TestShop, tmp_path: Path) -> None:
    (tmp_path / "101.webp").write_bytes(b"RIFF0000WEBP")
    async with front(TestShop(shop.database, images=tmp_path)) as storefront, storefront.customer() as alice:
        menu = (await alice.get(f"restaurants/{NOODLE}"))["menu"]
        answer = await alice.client.get(menu[0]["photograph"])
        assert code(await alice.client.get("/delivery/photographs/102")) == (404, "not_found")
    assert menu[0]["photograph"] == "/delivery/photographs/101" and menu[1]["photograph"] is None
    assert (answer.content, answer.headers["content-type"]) == (b"RIFF0000WEBP", "image/webp")


async def test_nobody_comes_in_without_a_key(storefront: Storefront) -> None:
    paths = (
        "restaurants",
        f"restaurants/{NOODLE}",
        "cart?session_id=s1",
        "orders",
        "acts?session_id=s1",
        "images/101.svg",
        "photographs/101",
    )
    async with storefront.branch.stranger() as client:
        for path in paths:
            assert (await client.get(f"/delivery/{path}")).status_code == 401, path
        for path in ("cart/items", "cart/removals", "orders", "acts"):
            assert (await client.post(f"/delivery/{path}", json={})).status_code == 401, path


def test_every_drawing_is_small_well_formed_and_says_what_it_is() -> None:
    for dish in catalogue().dishes.values():
        drawn = drawing(dish)
        assert drawn == drawing(dish) and len(drawn) < MOST_BYTES
        root = ET.fromstring(drawn)
        assert root.get("role") == "img" and root[0].tag.endswith("title") and root[0].text == dish.name
        assert b"script" not in drawn and b"href" not in drawn


def test_drawings_differ() -> None:
    dishes = catalogue().dishes.values()
    assert len({drawing(dish) for dish in dishes}) > 195
    assert {dish.kind for dish in dishes} == set(SHAPES)


@pytest.mark.parametrize("name", ["</title><script>alert(1)</script>", '"><image href="//evil.test/x"/>', "&amp;", "x" * 5000])
def test_case_70_a_name_is_text_and_nothing_else(name: str) -> None:
    drawn = drawing(msgspec.structs.replace(catalogue().dishes[101], name=name, kind="unheard of"))
    root = ET.fromstring(drawn)
    assert len(drawn) < MOST_BYTES and root[0].text == name[:120]
    assert not list(root.iter("{http://www.w3.org/2000/svg}script")) and not list(root.iter("{http://www.w3.org/2000/svg}image"))
