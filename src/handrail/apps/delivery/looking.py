"""The two tools that look things up on the server. What they find may be named in calls; nothing else may.

Rules: what restaurants write about themselves is data and goes to the model as data; a page is a restaurant with what fits of its menu.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import Annotated, Any

from pydantic import Field
from sqlalchemy.exc import SQLAlchemyError

from handrail import ABSENT, Absent, Fact, Result, ToolContext, ToolError, tool
from handrail.apps.delivery.catalogue import Catalogue, Dish, Restaurant
from handrail.apps.delivery.interface import fact_of
from handrail.apps.delivery.known import DISH, RESTAURANT, dish_fact
from handrail.apps.delivery.search import Filters, Search
from handrail.apps.delivery.search.wishes import diets_in, most_cents_in, open_in
from handrail.apps.delivery.shop import Shop

Context = ToolContext[Shop]
RestaurantUuid = Annotated[str, Field(min_length=1, max_length=36)]
Words = Annotated[str, Field(min_length=1, max_length=100)]

AN_UUID = "f2f86d1c-3d7c-5f0e-8f0e-000000000001"
"""For examples only."""
CONSIDERED = 16
"""Dishes for each thing that was asked for."""
SHOWN = 5
"""Dishes of a page that are shown."""
NAMED = 3
"""Restaurants that a name can stand for."""
UNREACHABLE = "The restaurants cannot be looked up at the moment."


@tool(
    effect="read",
    timeout=30,
    produces={RESTAURANT, DISH},
    examples=({"food_requested": ["something spicy and noodly"], "quantity": 3},),
)
async def get_restaurant_pages(
    *,
    context: Context,
    food_requested: Annotated[list[Words], Field(max_length=5)],
    type_of_restaurant: Words | Absent = ABSENT,
    name_of_restaurant: Words | Absent = ABSENT,
    quantity: Annotated[int, Field(ge=1, le=5)] = 3,
    other_information: Annotated[str, Field(max_length=300)] | Absent = ABSENT,
) -> Result:
    """Search restaurants by what somebody wants to eat or drink. The best one comes first, with the dishes that fit.

    Args:
        context: holds the shop.
        food_requested: What they want, each dish or craving by itself, in their own words; an empty list for any food.
        type_of_restaurant: The kind of restaurant, such as thai; only if they named one.
        name_of_restaurant: Its name; only if they named one.
        quantity: How many restaurants to return.
        other_information: Anything else that matters, such as: vegan, gluten-free, under 12, open now.
    """
    try:
        search = await context.deps.search()
    except SQLAlchemyError:
        raise ToolError(UNREACHABLE) from None
    name, kind, other = _given(name_of_restaurant), _given(type_of_restaurant), _given(other_information)
    pages = await _pages(context.deps, search, food_requested or [""], name=name, kind=kind, other=other)
    found = list(pages.items())[:quantity]
    rows = [{**_page(context.deps, restaurant), "dishes": [_row(dish) for dish in fitting[:SHOWN]]} for restaurant, fitting in found]
    facts = [fact for restaurant, fitting in found for fact in (fact_of(context.deps, restaurant), *_facts(fitting[:SHOWN]))]
    return Result(rows, facts=facts)


@tool(effect="read", timeout=20, produces={RESTAURANT, DISH}, examples=({"restaurant_uuid": AN_UUID},))
async def get_menu_of_restaurant(context: Context, restaurant_uuid: RestaurantUuid) -> Result:
    """Read the whole menu of a restaurant that was found before, with prices in cents and whether it is open.

    Args:
        context: holds the shop.
        restaurant_uuid: The restaurant, as a search or the user's actions named it.
    """
    try:
        catalogue = await context.deps.catalogue()
    except SQLAlchemyError:
        raise ToolError(UNREACHABLE) from None
    restaurant = catalogue.restaurants.get(restaurant_uuid)
    if restaurant is None:
        raise ToolError("There is no such restaurant. Search for one first.")
    menu = catalogue.menu(restaurant_uuid)
    shown = {**_page(context.deps, restaurant), "menu": [{**_row(dish), "description": dish.description} for dish in menu]}
    return Result(shown, facts=[fact_of(context.deps, restaurant), *_facts(menu)])


async def _pages(
    shop: Shop, search: Search, foods: Sequence[str], *, name: str, kind: str, other: str
) -> Mapping[Restaurant, Sequence[Dish]]:
    """Restaurants with the dishes that fit, those first whose dishes came first."""
    said = " ".join((*foods, other))
    filters = Filters(
        diets=diets_in(other),
        most_cents=most_cents_in(said),
        open_at=shop.local() if open_in(said) else None,
        restaurants=_meant(search, name, kind),
    )
    scores: dict[str, float] = defaultdict(float)
    fitting: dict[str, list[list[Dish]]] = defaultdict(list)
    for food in foods:
        here: dict[str, list[Dish]] = defaultdict(list)
        for place, dish in enumerate((await search.dishes(food, filters))[:CONSIDERED], 1):
            here[dish.restaurant_uuid].append(dish)
            scores[dish.restaurant_uuid] += 1 / place
        for uuid, dishes in here.items():
            fitting[uuid].append(dishes)
    return {search.catalogue.restaurants[uuid]: _in_turn(fitting[uuid]) for uuid in _best(shop, search.catalogue, scores)}


def _in_turn(several: Sequence[Sequence[Dish]]) -> Sequence[Dish]:
    """The best dish for each thing that was asked for, then the second best ones."""
    return list({dish.food_id: dish for dishes in zip_longest(*several) for dish in dishes if dish is not None}.values())


def _meant(search: Search, name: str, kind: str) -> frozenset[str] | None:
    """The restaurants that a name or a kind stands for; a kind that no restaurant has stands for all."""
    if name:
        return frozenset(each.restaurant_uuid for each in search.restaurants(name)[:NAMED])
    of_kind = search.restaurants(kind) if kind else ()
    return frozenset(each.restaurant_uuid for each in of_kind) or None


def _best(shop: Shop, catalogue: Catalogue, scores: Mapping[str, float]) -> Sequence[str]:
    """Whoever is open before whoever is closed, then by what fits."""
    at = shop.local()
    return sorted(scores, key=lambda uuid: (not catalogue.restaurants[uuid].hours.open_at(at), -scores[uuid]))


def _page(shop: Shop, restaurant: Restaurant) -> dict[str, Any]:
    at = shop.local()
    is_open = restaurant.hours.open_at(at)
    return {
        "restaurant_uuid": restaurant.restaurant_uuid,
        "name": restaurant.name,
        "cuisine": restaurant.cuisine,
        "rating": restaurant.rating,
        "open": is_open,
        "opens": None if is_open else restaurant.hours.next_opening(at),
    }


def _row(dish: Dish) -> dict[str, Any]:
    return {"food_id": dish.food_id, "name": dish.name, "price_cents": dish.price_cents, "tags": list(dish.tags)}


def _facts(dishes: Iterable[Dish]) -> Iterable[Fact]:
    for dish in dishes:
        yield dish_fact(dish.food_id, dish.name, price_cents=dish.price_cents, restaurant_uuid=dish.restaurant_uuid)


def _given(value: str | Absent) -> str:
    return "" if isinstance(value, Absent) else value
