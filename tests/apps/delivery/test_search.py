"""Search: forty questions with what should be found, filters that hold, and words in whatever form."""

import json
from hashlib import sha256
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from handrail.apps.delivery import search as search_package
from handrail.apps.delivery import shop as shop_module
from handrail.apps.delivery.search import Filters, Search, fused, meaning
from handrail.apps.delivery.search.lexical import words
from handrail.apps.delivery.search.meaning import installed
from handrail.apps.delivery.search.wishes import diets_in, most_cents_in, open_in, without_diets
from handrail.service.problems import Problem
from tests.apps.delivery.kit import AT, BANGKOK, NOODLE, TestShop, catalogue

QUESTIONS = [json.loads(line) for line in (Path(__file__).parent / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
BASE, EXTRA = 35, 36
"""Questions of the forty whose answer is among the first three: by words alone, and with the extra `search` at least."""


async def found(search: Search) -> list[str]:
    """The questions that are answered."""
    return [
        question["text"]
        for question in QUESTIONS
        if any(dish.food_id in question["expected"] for dish in (await search.dishes(question["text"]))[:3])
    ]


@pytest.fixture
async def search() -> Search:
    return await Search.over(catalogue(), meaning=False)


def test_the_questions_are_forty_and_ask_for_what_there_is() -> None:
    assert len({question["text"] for question in QUESTIONS}) == 40
    dishes = catalogue().dishes
    assert all(question["expected"] and set(question["expected"]) <= dishes.keys() for question in QUESTIONS)


async def test_the_base_install_finds_seven_of_eight(search: Search) -> None:
    assert len(await found(search)) >= BASE
    assert not search.by_meaning


@pytest.mark.slow
@pytest.mark.skipif(not installed(), reason="needs the extra `search`")
async def test_with_the_extra_nine_of_ten_are_found() -> None:
    search = await Search.over(catalogue(), meaning=True)
    answered = await found(search)
    assert len(answered) >= EXTRA == 0.9 * len(QUESTIONS)
    assert search.by_meaning and "something for a small child" in answered


async def test_something_spicy_and_noodly_is_a_spicy_noodle_dish(search: Search) -> None:
    first = (await search.dishes("something spicy and noodly"))[0]
    assert first.kind == "noodles" and "spicy" in first.tags and {first.restaurant_uuid} <= {NOODLE, BANGKOK}


@pytest.mark.parametrize(
    ("text", "filters", "holds"),
    [
        ("noodles", Filters(diets=frozenset({"vegan"})), lambda dish: "vegan" in dish.tags),
        ("vegan noodles", Filters(), lambda dish: "vegan" in dish.tags),
        ("noodles", Filters(most_cents=1000), lambda dish: dish.price_cents <= 1000),
        ("curry", Filters(restaurants=frozenset({NOODLE})), lambda dish: dish.restaurant_uuid == NOODLE),
        ("", Filters(diets=frozenset({"gluten-free"})), lambda dish: "gluten-free" in dish.tags),
        ("vegetarian", Filters(), lambda dish: "vegetarian" in dish.tags),
    ],
)
async def test_filters_hold_for_every_hit(search: Search, text: str, filters: Filters, holds: Any) -> None:
    hits = await search.dishes(text, filters)
    assert all(map(holds, hits))
    assert bool(hits) is (text != "curry"), "the noodle kitchen has no curry"


async def test_only_what_is_open_is_found_where_that_is_wanted(search: Search) -> None:
    hits = await search.dishes("curry", Filters(open_at=AT))
    restaurants = {search.catalogue.restaurants[dish.restaurant_uuid].name for dish in hits}
    assert "Curry Leaf" in restaurants and "Saffron Door" not in restaurants


async def test_without_words_the_best_rated_come_first(search: Search) -> None:
    hits = await search.dishes("")
    assert len(hits) == 200 and search.catalogue.restaurants[hits[0].restaurant_uuid].rating == 4.8


async def test_words_that_nothing_has_find_nothing(search: Search) -> None:
    assert await search.dishes("xylophone") == []
    assert search.restaurants("xylophone") == []


@pytest.mark.parametrize(("text", "name"), [("night noodle", "Night Noodle"), ("thai", "Bangkok Corner"), ("Café Lumière", "Cafe Lumiere")])
async def test_restaurants_are_found_by_name_and_cuisine(search: Search, text: str, name: str) -> None:
    assert search.restaurants(text)[0].name == name
    assert len(search.restaurants(" ")) == 25


@pytest.mark.parametrize(("one", "other"), [("noodly", "noodles"), ("spicy", "spice"), ("curries", "curry"), ("Crème", "creme")])
def test_words_are_compared_by_their_stems(one: str, other: str) -> None:
    assert words(one) == words(other) != []


def test_a_long_text_is_no_burden() -> None:
    assert len(words("noodles " * 10_000)) == 10_000
    assert words("the a of") == []


async def test_where_the_model_cannot_be_read_words_are_enough(
    shop: TestShop, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(meaning, "MODEL", ("no_such_package", "model.onnx", "0"))
    without = TestShop(shop.database, meaning=True)
    found = await without.search()
    assert not found.by_meaning and not (await without.search()).by_meaning
    assert caplog.text.count("searches by words alone") == 1
    await without.close()


async def test_while_the_model_is_being_read_words_are_enough(shop: TestShop, monkeypatch: pytest.MonkeyPatch) -> None:
    read = Event()

    class Slow:
        """A model that takes until the test says so."""

        def __init__(self, texts: list[str]) -> None:
            read.wait()

    monkeypatch.setattr(search_package, "Meaning", Slow)
    monkeypatch.setattr(shop_module, "PATIENCE", 0.0)
    slow = TestShop(shop.database, meaning=True)
    assert not (await slow.search()).by_meaning
    read.set()
    await slow.close()
    assert (await slow.search()).by_meaning


def test_a_file_that_is_not_the_known_one_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a_package").mkdir()
    (tmp_path / "a_package" / "model.onnx").write_bytes(b"something else")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(Problem, match="is not the one that this version knows"):
        meaning._checked("a_package", "model.onnx", "0" * 64)
    known = sha256(b"something else").hexdigest()
    assert meaning._checked("a_package", "model.onnx", known) == b"something else"


def test_ranks_are_fused() -> None:
    assert list(fused([[1, 2, 3], [3, 2]])) == [3, 2, 1]
    assert list(fused([[], []])) == []


@pytest.mark.parametrize(
    ("text", "diets"),
    [
        ("a vegan ramen", {"vegan"}),
        ("pizza without cheese", {"vegan"}),
        ("no meat, gluten-free", {"vegetarian", "gluten-free"}),
        ("meatless", {"vegetarian"}),
        ("meatballs", set()),
        ("veganish", set()),
    ],
)
def test_diets_are_read_from_words(text: str, diets: set[str]) -> None:
    assert diets_in(text) == diets
    assert not diets_in(without_diets(text))


@pytest.mark.parametrize(
    ("text", "cents"),
    [("under 12", 1200), ("at most €9.50", 950), ("less than 10,00", 1000), ("12 dumplings", None), ("under 123456", None)],
)
def test_prices_are_read_from_words(text: str, cents: int | None) -> None:
    assert most_cents_in(text) == cents
    assert open_in("what is open now") and not open_in("opened")
