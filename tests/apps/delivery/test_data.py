"""The made-up restaurants: what tests and pages rely on is in them."""

from collections import Counter
from uuid import UUID

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from handrail.apps.delivery import data
from handrail.apps.delivery.catalogue import DIETS
from handrail.apps.delivery.hours import WEEKDAYS
from handrail.apps.delivery.images.drawing import SHAPES
from handrail.apps.delivery.seeding import fill, seed
from handrail.apps.delivery.shop import read_catalogue, shop, what_is_missing
from handrail.service.database import make_engine
from tests.apps.delivery.kit import catalogue

ANIMALS = {"beef", "chicken", "fish", "lamb", "pork", "seafood", "shrimp"}


def test_there_are_25_restaurants_with_8_dishes_each() -> None:
    found = catalogue()
    assert len(found.restaurants) == 25 and len(found.dishes) == 200
    assert {len(found.menu(uuid)) for uuid in found.restaurants} == {8}
    assert len({each.name for each in found.restaurants.values()}) == 25


def test_ids_are_what_they_are_said_to_be() -> None:
    for place, line in enumerate(data.restaurants(), 1):
        assert str(UUID(line.restaurant_uuid)) == line.restaurant_uuid
        menu = [dish.food_id for dish in data.dishes() if dish.restaurant_uuid == line.restaurant_uuid]
        assert menu == [place * 100 + number for number in range(1, 9)]


def test_some_dishes_have_the_same_name_in_two_restaurants_and_none_in_one() -> None:
    names = Counter(dish.name for dish in data.dishes())
    assert len([name for name, times in names.items() if times == 2]) >= 2 and max(names.values()) == 2
    assert max(Counter((dish.restaurant_uuid, dish.name) for dish in data.dishes()).values()) == 1


def test_tags_do_not_contradict_each_other() -> None:
    for dish in data.dishes():
        tags = set(dish.tags)
        assert len(tags) == len(dish.tags)
        assert "vegan" not in tags or "vegetarian" in tags, dish.name
        assert "vegetarian" not in tags or not tags & ANIMALS, dish.name
        assert dish.kind in SHAPES and 0 < dish.price_cents < 10_000, dish.name
    assert {tag for dish in data.dishes() for tag in dish.tags} >= {*DIETS, "spicy", "drink"}


def test_hours_name_every_day_and_some_pass_midnight() -> None:
    restaurants = catalogue().restaurants.values()
    assert all(len(each.hours.days) == len(WEEKDAYS) for each in restaurants)
    assert any(span.closes > 24 * 60 for each in restaurants for day in each.hours.days for span in day)
    assert any(not day for each in restaurants for day in each.hours.days), "somebody has a day off"
    assert all(1 <= each.rating <= 5 for each in restaurants)


async def test_what_is_seeded_is_what_is_read(database: AsyncEngine) -> None:
    read, given = await read_catalogue(database), catalogue()
    assert list(read.restaurants.values()) == list(given.restaurants.values())
    assert list(read.dishes.values()) == list(given.dishes.values())


async def test_a_full_database_is_left_alone(database: AsyncEngine) -> None:
    assert not await fill(database)
    assert (await seed()).startswith("There are restaurants in ")


async def test_an_empty_database_is_told_of_and_filled(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    url = f"sqlite:///{tmp_path_factory.mktemp('empty') / 'empty.db'}"
    monkeypatch.setenv("HANDRAIL_DATABASE_URL", url)
    async with shop() as opened:
        missing = await what_is_missing(opened)
        assert missing is not None and "handrail seed delivery" in missing
        assert (await seed()).startswith("25 made-up restaurants with 200 dishes are now in ")
        assert await what_is_missing(opened) is None
        assert len((await opened.catalogue()).dishes) == 200


async def test_a_database_that_is_not_there_is_told_of() -> None:
    async with shop() as opened:
        assert opened.images is None
    engine = make_engine("sqlite:////nowhere/at/all.db")
    missing = await what_is_missing(type(opened)(engine))
    await engine.dispose()
    assert missing is not None and "HANDRAIL_DATABASE_URL" in missing
