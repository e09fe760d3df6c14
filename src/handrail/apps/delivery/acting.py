"""The nine tools that the user's browser runs: each is something that the user can do in the pages, too.

- Here they are only declared, so that validation and the ring are the server's. The page calls the same functions as its buttons do.
- What a call leads to (a cart, an open page) is noted by the server from its own rows, never taken from what the browser returns: that is
  what `produces` stands for here.
"""

from typing import Annotated

from pydantic import Field

from handrail import ABSENT, Absent, tool
from handrail.apps.delivery.known import CART, PAGE
from handrail.apps.delivery.looking import AN_UUID, RestaurantUuid

SECONDS = 20
"""How long the page may take."""

FoodId = Annotated[int, Field(ge=1, le=2**31 - 1)]
Quantity = Annotated[int, Field(ge=1, le=20)]
A_DISH = {"restaurant_uuid": AN_UUID, "food_id": 101, "quantity": 2}


@tool(effect="idempotent", where="client", timeout=SECONDS, produces={PAGE}, examples=({"restaurant_uuid": AN_UUID},))
def open_restaurant_page(restaurant_uuid: RestaurantUuid) -> None:
    """Open a restaurant's page for the user to look at.

    Args:
        restaurant_uuid: The restaurant, as a search or the user's actions named it.
    """


@tool(effect="idempotent", where="client", timeout=SECONDS)
def close_restaurant_page() -> None:
    """Close the restaurant's page that is open."""


@tool(effect="read", where="client", timeout=SECONDS)
def get_user_actions(last: Annotated[int, Field(ge=1, le=50)] = 10) -> None:
    """Read what the user and you have done in the interface, oldest first: pages, cart, orders.

    Args:
        last: How many of the last actions to return.
    """


@tool(effect="write", where="client", timeout=SECONDS, produces={CART}, examples=(A_DISH,))
def add_food_to_cart(restaurant_uuid: RestaurantUuid, food_id: FoodId, quantity: Quantity) -> None:
    """Put a dish into the cart; it adds to what is there. For two dishes call it twice.

    Args:
        restaurant_uuid: The restaurant whose menu the dish is on.
        food_id: The dish's number, as a menu or a search named it.
        quantity: How many to add.
    """


@tool(effect="write", where="client", timeout=SECONDS, examples=(A_DISH,))
def remove_food_from_cart(restaurant_uuid: RestaurantUuid, food_id: FoodId, quantity: Quantity | Absent = ABSENT) -> None:
    """Take a dish out of the cart.

    Args:
        restaurant_uuid: The restaurant of the dish.
        food_id: The dish's number.
        quantity: How many to take out; leave it out to take out all of them.
    """


@tool(effect="idempotent", where="client", timeout=SECONDS)
def open_shopping_cart() -> None:
    """Open the shopping cart for the user to look at."""


@tool(effect="idempotent", where="client", timeout=SECONDS)
def close_shopping_cart() -> None:
    """Close the shopping cart."""


@tool(effect="write", where="client", timeout=SECONDS)
def place_order() -> None:
    """Order what is in the cart. The user is shown the exact cart and its total, and says yes or no, before it happens."""


@tool(effect="idempotent", where="client", timeout=SECONDS)
def activate_handsfree(on: bool) -> None:
    """Switch listening without a button on or off.

    Args:
        on: true to listen all the time, false to stop.
    """


ACTING = (
    open_restaurant_page,
    close_restaurant_page,
    get_user_actions,
    add_food_to_cart,
    remove_food_from_cart,
    open_shopping_cart,
    close_shopping_cart,
    place_order,
    activate_handsfree,
)
"""All of them, in the order in which a model sees them."""
