"""The shop's ring: ids come from somewhere, one cart is of one restaurant, and nobody orders but the person who has seen the very cart.

Rules: a rule reads what look-ups found and what the interface noted, and nothing that a model said; it refuses before a person is asked.
"""

from handrail.apps.delivery.documents import exact_cart
from handrail.apps.delivery.known import CART, DISH, PAGE, RESTAURANT, cart_in, dishes, restaurants
from handrail.guards import (
    AnswerLimit,
    Approval,
    BaseGuard,
    CallLimit,
    Grounded,
    JudgedCall,
    Lens,
    NoProgress,
    Reading,
    TimeLimit,
    TokenLimit,
    TurnLimit,
    guard,
)

WORDS = 70
"""Answers are spoken: nobody listens to more."""
TURNS, SECONDS, TOKENS = 24, 300, 150_000
MENU, OPEN, CLOSE = "get_menu_of_restaurant", "open_restaurant_page", "close_restaurant_page"
ADD, REMOVE, ORDER = "add_food_to_cart", "remove_food_from_cart", "place_order"
CARTS, DISHES, PAGES, RESTAURANTS = Lens("facts", CART), Lens("facts", DISH), Lens("facts", PAGE), Lens("facts", RESTAURANT)
UUID, FOOD = "restaurant_uuid", "food_id"


@guard(tool=CLOSE, looks=[PAGES])
def page_is_open(state: Reading, call: JudgedCall) -> str | None:
    """What is not open cannot be closed."""
    return None if state.facts(PAGE) else "No restaurant's page is open, so there is none to close."


@guard(tool=ADD, looks=[DISHES])
def dish_is_of_that_restaurant(state: Reading, call: JudgedCall) -> str | None:
    """A dish of the same name on another menu is another dish."""
    return _elsewhere(state, call)


@guard(tool=REMOVE, looks=[DISHES])
def removed_dish_is_of_that_restaurant(state: Reading, call: JudgedCall) -> str | None:
    """The right one of two lines is removed."""
    return _elsewhere(state, call)


@guard(tool=ADD, looks=[RESTAURANTS])
def kitchen_is_open(state: Reading, call: JudgedCall) -> str | None:
    """Nobody fills a cart at a restaurant that is closed."""
    found = restaurants(state.facts(RESTAURANT)).get(call.arguments[UUID])
    return _closed(found.name, found.opens) if found is not None and found.open is False else None


@guard(tool=ADD, looks=[CARTS])
def one_cart_one_restaurant(state: Reading, call: JudgedCall) -> str | None:
    """Dishes of two restaurants never end up in one order; the user is asked which it is to be."""
    cart = cart_in(state.facts(CART))
    if cart is None or cart.restaurant_uuid in {None, call.arguments[UUID]}:
        return None
    return (
        f"The cart holds dishes of restaurant {cart.restaurant_uuid} ({cart.restaurant!r}), and one cart is of one restaurant. Ask the "
        f"user whether to keep it; only if they want another restaurant, take those dishes out with {REMOVE} first."
    )


@guard(tool=REMOVE, looks=[CARTS])
def dish_is_in_the_cart(state: Reading, call: JudgedCall) -> str | None:
    """What is not in the cart cannot be taken out."""
    cart = cart_in(state.facts(CART))
    if cart is None:
        return "The cart is empty, so there is nothing to take out."
    if not cart.lines or any(line.food_id == call.arguments[FOOD] for line in cart.lines):
        return None
    there = ", ".join(f"{line.quantity} × {line.food_id} ({line.name!r})" for line in cart.lines)
    return f"Food {call.arguments[FOOD]} is not in the cart. In it are: {there}."


@guard(tool=ORDER, looks=[CARTS])
def cart_is_not_empty(state: Reading, call: JudgedCall) -> str | None:
    """Nobody is asked about an order of nothing, and a closed restaurant takes none."""
    cart = cart_in(state.facts(CART))
    if cart is None:
        return f"The cart is empty, so there is nothing to order. Put dishes into it with {ADD} first."
    return _closed(cart.restaurant, cart.opens) if cart.open is False else None


RING: tuple[BaseGuard, ...] = (
    TurnLimit(TURNS),
    TimeLimit(SECONDS),
    TokenLimit(TOKENS),
    NoProgress(firm=2, narrow=4, land=6),
    Grounded(MENU, UUID, RESTAURANT),
    Grounded(OPEN, UUID, RESTAURANT),
    Grounded(ADD, UUID, RESTAURANT),
    Grounded(ADD, FOOD, DISH),
    Grounded(REMOVE, UUID, RESTAURANT),
    Grounded(REMOVE, FOOD, DISH),
    page_is_open,
    dish_is_of_that_restaurant,
    removed_dish_is_of_that_restaurant,
    kitchen_is_open,
    one_cart_one_restaurant,
    dish_is_in_the_cart,
    cart_is_not_empty,
    CallLimit(ORDER, 1, count="succeeded"),
    Approval(ORDER, show=exact_cart),
    AnswerLimit(WORDS),
)


def _elsewhere(state: Reading, call: JudgedCall) -> str | None:
    found = dishes(state.facts(DISH)).get(call.arguments[FOOD])
    if found is None or found.restaurant_uuid in {None, call.arguments[UUID]}:
        return None
    return (
        f"Food {found.food_id} is on the menu of restaurant {found.restaurant_uuid}, not of {call.arguments[UUID]}. Take it from there, "
        f"or look at this restaurant's menu with {MENU}."
    )


def _closed(name: str, opens: str | None) -> str:
    return f"{name!r} is closed now{'' if opens is None else f'; it opens {opens}'}. Tell the user, and offer another restaurant."
