"""What the interface has to say to a run: its facts, and beside a message what the user did meanwhile.

- Everything here is computed from the server's own rows. Nothing that a browser says becomes a fact.
- The facts stand for what was noted before: a cart that was emptied and a page that was closed are facts no longer.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress

import msgspec

from handrail import Fact
from handrail.apps.delivery import carts, trail
from handrail.apps.delivery.carts import Cart
from handrail.apps.delivery.catalogue import Catalogue, Restaurant
from handrail.apps.delivery.known import CART, PAGE, dish_fact, restaurant_fact
from handrail.apps.delivery.shop import Shop
from handrail.apps.delivery.trail import Act, Owner, acts_note
from handrail.service import Beside, Noted
from handrail.service.desk import NotThere
from handrail.service.serving import Notes

SOURCE = "page"
REPLACES = (CART, PAGE)
ACTS_WITH_IDS = 50
"""So many of the last acts have ids that may be named."""


async def beside(shop: Shop, user_id: str, session_id: str) -> Beside:
    """What goes along with the next message: what the user did since the last one, told once, and how things stand."""
    owner = Owner(user_id, session_id)
    note = acts_note(await trail.unheard(shop.database, owner))
    return Beside(notes=(note,) if note else (), facts=(await noted(shop, owner),))


async def tell(shop: Shop, notes: Notes | None, owner: Owner) -> None:
    """Tell the run how things stand in the interface, if there is one."""
    if notes is not None:
        with suppress(NotThere):
            await notes.note(owner.user_id, owner.session_id, await noted(shop, owner))


async def noted(shop: Shop, owner: Owner) -> Noted:
    """How things stand in the interface, in the place of what was noted before."""
    return Noted(source=SOURCE, facts=await facts_of(shop, owner), replaces=REPLACES)


async def facts_of(shop: Shop, owner: Owner) -> tuple[Fact, ...]:
    """How things stand in the interface, as facts."""
    catalogue = await shop.catalogue()
    acts = await trail.acts(shop.database, owner, last=ACTS_WITH_IDS)
    page = await trail.open_page(shop.database, owner)
    cart = await carts.cart(shop, owner)
    found = [*_named(shop, catalogue, acts, cart, page)]
    if page in catalogue.restaurants:
        found.append(Fact(PAGE, page, "page"))
    if cart.lines:
        found.append(_cart(shop, catalogue, cart))
    return tuple(found)


def _named(shop: Shop, catalogue: Catalogue, acts: Sequence[Act], cart: Cart, page: str | None) -> Iterator[Fact]:
    """Restaurants and dishes that the trail, the cart and the open page name, each once."""
    uuids = [str(act.ids.get("restaurant_uuid")) for act in acts] + [str(cart.restaurant_uuid)]
    numbers = [int(act.ids.get("food_id", 0)) for act in acts] + [line.food_id for line in cart.lines]
    numbers += [dish.food_id for dish in catalogue.menu(page or "")]
    for uuid in dict.fromkeys(uuids):
        if uuid in catalogue.restaurants:
            yield fact_of(shop, catalogue.restaurants[uuid])
    for number in dict.fromkeys(numbers):
        if number in catalogue.dishes:
            dish = catalogue.dishes[number]
            yield dish_fact(dish.food_id, dish.name, price_cents=dish.price_cents, restaurant_uuid=dish.restaurant_uuid)


def fact_of(shop: Shop, restaurant: Restaurant) -> Fact:
    """A restaurant as it is now."""
    at = shop.local()
    is_open = restaurant.hours.open_at(at)
    opens = None if is_open else restaurant.hours.next_opening(at)
    return restaurant_fact(restaurant.restaurant_uuid, restaurant.name, is_open=is_open, opens=opens)


def _cart(shop: Shop, catalogue: Catalogue, cart: Cart) -> Fact:
    about = msgspec.to_builtins(cart)
    version = about.pop("version")
    restaurant = catalogue.restaurants[str(cart.restaurant_uuid)]
    at = shop.local()
    about["open"] = restaurant.hours.open_at(at)
    about["opens"] = None if about["open"] else restaurant.hours.next_opening(at)
    return Fact(CART, version, "cart", about)
