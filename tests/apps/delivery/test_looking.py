"""The tools that look things up: what they return, what may be named afterwards, and what they say when they cannot."""

import json
from typing import Any

import pytest

from handrail.apps.delivery.looking import get_menu_of_restaurant, get_restaurant_pages
from handrail.core.ring import Parsed, Unfit
from handrail.service.database import make_engine
from handrail.tools import Failed, Returned, Tool, ToolContext
from tests.apps.delivery.kit import BANGKOK, NOODLE, SAFFRON, TestShop


async def ran(tool: Tool, shop: TestShop, arguments: dict[str, Any]) -> Returned | Failed:
    parsed = tool.parse(json.dumps(arguments))
    assert isinstance(parsed, Parsed), parsed
    came = await tool.run(parsed.canonical, ToolContext(deps=shop))
    assert isinstance(came, Returned | Failed)
    return came


async def pages(shop: TestShop, **arguments: Any) -> list[dict[str, Any]]:
    came = await ran(get_restaurant_pages, shop, arguments)
    assert isinstance(came, Returned), came
    found: list[dict[str, Any]] = json.loads(came.content)
    return found


async def test_a_search_returns_pages_and_facts(shop: TestShop) -> None:
    came = await ran(get_restaurant_pages, shop, {"food_requested": ["something spicy and noodly"], "quantity": 2})
    assert isinstance(came, Returned)
    found = json.loads(came.content)
    assert len(found) == 2 and found[0]["restaurant_uuid"] == NOODLE and found[0]["open"] is True
    named = {fact.value for fact in came.facts}
    assert named == {page["restaurant_uuid"] for page in found} | {dish["food_id"] for page in found for dish in page["dishes"]}
    dish = next(fact for fact in came.facts if fact.value == 101)
    assert dish.about == {"name": "Dan Dan Noodles", "price_cents": 1190, "restaurant_uuid": NOODLE}


async def test_several_things_are_looked_for_together(shop: TestShop) -> None:
    (page,) = await pages(shop, food_requested=["dan dan noodles", "jasmine tea"], quantity=1)
    assert page["restaurant_uuid"] == NOODLE and {dish["food_id"] for dish in page["dishes"]} >= {101, 108}


async def test_who_is_open_comes_before_who_is_closed(shop: TestShop) -> None:
    found = await pages(shop, food_requested=["curry"], quantity=5)
    assert [page["open"] for page in found] == sorted((page["open"] for page in found), reverse=True)
    (closed,) = await pages(shop, food_requested=["lamb phaal"], name_of_restaurant="Saffron Door", quantity=1)
    assert (closed["restaurant_uuid"], closed["open"], closed["opens"]) == (SAFFRON, False, "today at 17:00")


async def test_a_name_and_a_kind_of_restaurant_narrow_it(shop: TestShop) -> None:
    (named,) = await pages(shop, food_requested=[], name_of_restaurant="bangkok corner", quantity=1)
    thai = await pages(shop, food_requested=["noodles"], type_of_restaurant="thai", quantity=5)
    assert named["restaurant_uuid"] == BANGKOK == thai[0]["restaurant_uuid"]
    assert await pages(shop, food_requested=["noodles"], name_of_restaurant="xylophone") == []
    assert len(await pages(shop, food_requested=["noodles"], type_of_restaurant="xylophone", quantity=5)) == 5


async def test_other_information_filters(shop: TestShop) -> None:
    found = await pages(shop, food_requested=["noodles"], other_information="vegan, under 12, open now", quantity=5)
    dishes = [dish for page in found for dish in page["dishes"]]
    assert dishes and all(page["open"] for page in found)
    assert all("vegan" in dish["tags"] and dish["price_cents"] <= 1200 for dish in dishes)


async def test_a_menu_is_whole(shop: TestShop) -> None:
    came = await ran(get_menu_of_restaurant, shop, {"restaurant_uuid": NOODLE})
    assert isinstance(came, Returned)
    assert [dish["food_id"] for dish in json.loads(came.content)["menu"]] == list(range(101, 109))
    assert {fact.value for fact in came.facts} == {NOODLE, *range(101, 109)}
    assert isinstance(await ran(get_menu_of_restaurant, shop, {"restaurant_uuid": "nothing"}), Failed)


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"food_requested": "noodles"},
        {"food_requested": ["x"] * 6},
        {"food_requested": ["x"], "quantity": 0},
        {"food_requested": ["x"], "quantity": 6},
        {"food_requested": ["x"], "quantity": True},
        {"food_requested": [""]},
    ],
)
def test_what_does_not_fit_is_told(wrong: dict[str, Any]) -> None:
    assert isinstance(get_restaurant_pages.parse(json.dumps(wrong)), Unfit)


async def test_a_database_that_is_not_there_is_told_without_its_address() -> None:
    engine = make_engine("sqlite:////nowhere/hunter2/at/all.db")
    for tool, arguments in ((get_restaurant_pages, {"food_requested": ["x"]}), (get_menu_of_restaurant, {"restaurant_uuid": NOODLE})):
        assert await ran(tool, TestShop(engine), arguments) == Failed("The restaurants cannot be looked up at the moment.")
    await engine.dispose()
