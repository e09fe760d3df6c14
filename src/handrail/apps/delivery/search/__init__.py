"""Search over restaurants and dishes: by words (BM25), and where the extra `search` is installed by meaning too, fused by rank.

- It works in memory over the whole catalogue: 200 dishes are less than one query of a database, and both databases find the same.
- Ranks are fused, not scores, since scores of two kinds cannot be compared (reciprocal rank fusion: Cormack, Clarke, Büttcher, SIGIR 2009).
- What has to be so (a diet, a price, open now) is a filter and never a matter of rank.
"""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime

import msgspec

from handrail.apps.delivery.catalogue import Catalogue, Dish, Restaurant
from handrail.apps.delivery.search.lexical import Field, Lexical
from handrail.apps.delivery.search.meaning import Meaning
from handrail.apps.delivery.search.wishes import diets_in, without_diets

FLATTER = 20
"""The constant of the fusion: how much a first rank counts beside a tenth one."""


class Filters(msgspec.Struct, frozen=True, kw_only=True):
    """What has to be so.

    Args:
        diets: tags that a dish has to have, such as `vegan`.
        most_cents: of one dish.
        open_at: the restaurant is open at that time of its clock.
        restaurants: only dishes of these.
    """

    diets: frozenset[str] = frozenset()
    most_cents: int | None = None
    open_at: datetime | None = None
    restaurants: frozenset[str] | None = None


class Search:
    """A search over one catalogue.

    Attributes:
        catalogue: what is searched.
        by_meaning: whether the extra is installed.
    """

    def __init__(self, catalogue: Catalogue, meaning: Meaning | None) -> None:
        """Index the words; see `over` for the meaning."""
        self.catalogue = catalogue
        self.by_meaning = meaning is not None
        self._meaning = meaning
        self._dishes = list(catalogue.dishes.values())
        self._restaurants = list(catalogue.restaurants.values())
        self._words = Lexical(map(self._fields, self._dishes))
        self._places = Lexical(map(_place_fields, self._restaurants))

    @classmethod
    async def over(cls, catalogue: Catalogue, *, meaning: bool) -> "Search":
        """A search, with its model where that is wanted: it is read and run in a thread."""
        made = cls(catalogue, None)
        if not meaning:
            return made
        texts = [made._text(dish) for dish in made._dishes]
        return cls(catalogue, await asyncio.to_thread(Meaning, texts))

    async def dishes(self, text: str, filters: Filters | None = None) -> Sequence[Dish]:
        """Dishes that fit, best first. Words such as `vegan` are filters too; where there are no others, all that is left fits."""
        filters = filters or Filters()
        diets = filters.diets | diets_in(text)
        said = without_diets(text)
        fitting = [place for place, dish in enumerate(self._dishes) if self._fits(dish, msgspec.structs.replace(filters, diets=diets))]
        if not said:
            return sorted((self._dishes[place] for place in fitting), key=self._by_rating)
        ranks = [self._words.ranked(said)]
        if self._meaning is not None:
            ranks.append(await asyncio.to_thread(self._meaning.ranked, text))
        allowed = set(fitting)
        return [self._dishes[place] for place in fused([[place for place in rank if place in allowed] for rank in ranks])]

    def restaurants(self, text: str) -> Sequence[Restaurant]:
        """Restaurants whose name, cuisine or description has the words, best first; all of them without words."""
        if not text.strip():
            return self._restaurants
        return [self._restaurants[place] for place in self._places.ranked(text)]

    def _fits(self, dish: Dish, filters: Filters) -> bool:
        restaurant = self.catalogue.restaurants[dish.restaurant_uuid]
        return (
            filters.diets <= set(dish.tags)
            and (filters.most_cents is None or dish.price_cents <= filters.most_cents)
            and (filters.open_at is None or restaurant.hours.open_at(filters.open_at))
            and (filters.restaurants is None or dish.restaurant_uuid in filters.restaurants)
        )

    def _by_rating(self, dish: Dish) -> tuple[float, int]:
        return -self.catalogue.restaurants[dish.restaurant_uuid].rating, dish.food_id

    def _fields(self, dish: Dish) -> Sequence[Field]:
        restaurant = self.catalogue.restaurants[dish.restaurant_uuid]
        return (
            Field(dish.name, 3.0),
            Field(" ".join((dish.kind, *dish.tags)), 1.5),
            Field(dish.description, 1.0),
            Field(f"{restaurant.cuisine} {restaurant.name}", 1.0),
        )

    def _text(self, dish: Dish) -> str:
        cuisine = self.catalogue.restaurants[dish.restaurant_uuid].cuisine
        return f"{dish.name}: {dish.description} {cuisine} {dish.kind}, {', '.join(dish.tags)}"


def fused(ranks: Iterable[Sequence[int]]) -> Sequence[int]:
    """What several rankings together put first."""
    scores: dict[int, float] = defaultdict(float)
    for rank in ranks:
        for place, found in enumerate(rank, 1):
            scores[found] += 1 / (FLATTER + place)
    return sorted(scores, key=lambda found: (-scores[found], found))


def _place_fields(restaurant: Restaurant) -> Sequence[Field]:
    return Field(restaurant.name, 3.0), Field(restaurant.cuisine, 3.0), Field(restaurant.description, 1.0)
