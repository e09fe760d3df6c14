"""`/delivery/restaurants`: all of them, a search over them and their dishes, and one with its menu."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query

from handrail.apps.delivery.bodies import DishBody, RestaurantBody, RestaurantsBody
from handrail.apps.delivery.catalogue import Catalogue, Dish, Restaurant
from handrail.apps.delivery.hours import WEEKDAYS, Span
from handrail.apps.delivery.images.photographs import photograph
from handrail.apps.delivery.routes.answers import shop_of
from handrail.apps.delivery.search import Filters
from handrail.apps.delivery.shop import Shop
from handrail.service import Serving
from handrail.service.auth.callers import CalledBy
from handrail.service.desk import NotThere

CONSIDERED = 40
"""Dishes of a search by words; by filters alone it is all of them."""
LEVELS = (900, 1070)
"""Cents of the dish in the middle of a menu from which a restaurant is moderate, and expensive."""
PICTURES = 3

Diets = Annotated[
    list[Literal["vegan", "vegetarian", "gluten-free"]] | None, Query(max_length=3, description="Tags that a dish has to have.")
]


def router(serving: Serving) -> APIRouter:
    """The routes."""
    routes = APIRouter(prefix="/restaurants")

    @routes.get("")
    async def listed(
        called_by: CalledBy,
        text: Annotated[str, Query(max_length=200, description="What somebody wants to eat, or a restaurant's name.")] = "",
        diet: Diets = None,
        most_cents: Annotated[int | None, Query(ge=1, le=1_000_000, description="Of one dish.")] = None,
        open_now: bool = False,
    ) -> RestaurantsBody:
        """Restaurants; with words or filters those that have what fits, best first."""
        shop = shop_of(serving)
        catalogue, search = await shop.catalogue(), await shop.search()
        filters = Filters(diets=frozenset(diet or ()), most_cents=most_cents, open_at=shop.local() if open_now else None)
        if not text.strip() and filters == Filters():
            return RestaurantsBody(restaurants=[_shown(shop, catalogue, each) for each in catalogue.restaurants.values()])
        dishes = await search.dishes(text, filters)
        pages = _grouped(dishes[:CONSIDERED] if text.strip() else dishes)
        named = [each.restaurant_uuid for each in search.restaurants(text)] if text.strip() and not diet and most_cents is None else []
        found = [catalogue.restaurants[uuid] for uuid in dict.fromkeys((*pages, *named))]
        fitting = [each for each in found if not open_now or each.hours.open_at(shop.local())]
        return RestaurantsBody(restaurants=[_shown(shop, catalogue, each, matches=pages.get(each.restaurant_uuid, ())) for each in fitting])

    @routes.get("/{restaurant_uuid}", responses={404: {}})
    async def one(restaurant_uuid: Annotated[str, Path(max_length=36)], called_by: CalledBy) -> RestaurantBody:
        """A restaurant with its whole menu."""
        shop = shop_of(serving)
        catalogue = await shop.catalogue()
        restaurant = catalogue.restaurants.get(restaurant_uuid)
        if restaurant is None:
            raise NotThere(f"there is no restaurant {restaurant_uuid!r}")
        return _shown(shop, catalogue, restaurant, menu=catalogue.menu(restaurant_uuid))

    return routes


def _grouped(dishes: Sequence[Dish]) -> Mapping[str, list[Dish]]:
    pages: dict[str, list[Dish]] = {}
    for dish in dishes:
        pages.setdefault(dish.restaurant_uuid, []).append(dish)
    return pages


def _shown(
    shop: Shop, catalogue: Catalogue, restaurant: Restaurant, *, matches: Sequence[Dish] = (), menu: Sequence[Dish] = ()
) -> RestaurantBody:
    at = shop.local()
    dishes = catalogue.menu(restaurant.restaurant_uuid)
    is_open = restaurant.hours.open_at(at)
    return RestaurantBody(
        restaurant_uuid=restaurant.restaurant_uuid,
        name=restaurant.name,
        cuisine=restaurant.cuisine,
        description=restaurant.description,
        rating=restaurant.rating,
        price_level=1 + bisect_right(LEVELS, median(dish.price_cents for dish in dishes)) if dishes else 1,
        pictures=[_image(dish) for dish in dishes[:PICTURES]],
        open=is_open,
        opens=None if is_open else restaurant.hours.next_opening(at),
        hours={day: [_span(span) for span in spans] for day, spans in zip(WEEKDAYS, restaurant.hours.days, strict=True)},
        matches=[_dish(shop, dish) for dish in matches],
        menu=[_dish(shop, dish) for dish in menu],
    )


def _dish(shop: Shop, dish: Dish) -> DishBody:
    return DishBody(
        food_id=dish.food_id,
        restaurant_uuid=dish.restaurant_uuid,
        name=dish.name,
        description=dish.description,
        price_cents=dish.price_cents,
        kind=dish.kind,
        tags=list(dish.tags),
        image=_image(dish),
        photograph=None if photograph(shop.images, dish.food_id) is None else f"/delivery/photographs/{dish.food_id}",
    )


def _image(dish: Dish) -> str:
    return f"/delivery/images/{dish.food_id}.svg"


def _span(span: Span) -> str:
    closes = span.closes if span.closes <= 24 * 60 else span.closes - 24 * 60
    return f"{span.opens // 60:02}:{span.opens % 60:02}-{closes // 60:02}:{closes % 60:02}"
