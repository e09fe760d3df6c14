"""What the routes take and give. What is not known in a body is refused; numbers are numbers, and no texts that look like some."""

from datetime import datetime
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from handrail.apps.delivery.orders import Progress
from handrail.apps.delivery.trail import What, Who
from handrail.service.schemas.fields import KEY, Asking, SessionId

MOST_ACTS = 200
MOST_QUANTITY = 20

ActId = Annotated[str, Field(pattern=KEY, description="The interface's own name of this act: told again, nothing happens again.")]
Uuid = Annotated[str, Field(min_length=1, max_length=36, description="The restaurant.")]
FoodId = Annotated[int, Field(strict=True, ge=1, le=2**31 - 1, description="The dish.")]
Quantity = Annotated[int, Field(strict=True, ge=1, le=MOST_QUANTITY)]
By = Annotated[Who, Field(description="Who acted: the user with a click, or the agent through the page.")]


class Acting(Asking):
    """What every act has."""

    session_id: SessionId
    act_id: ActId
    by: By = Who.USER


class Adding(Acting):
    """A dish for the cart."""

    restaurant_uuid: Uuid
    food_id: FoodId
    quantity: Quantity = 1


class Removing(Acting):
    """A dish to take out; without `quantity` all of it."""

    restaurant_uuid: Uuid
    food_id: FoodId
    quantity: Quantity | None = None


class Ordering(Acting):
    """What is in the cart is ordered."""

    idempotency: Annotated[str, Field(pattern=KEY, description="The same for every repetition of this order.")]
    cart: str | None = Field(
        default=None,
        max_length=64,
        description="The `version` of the cart that was shown; another one is not ordered. The agent's orders have to say it.",
    )

    @model_validator(mode="after")
    def _an_agent_says_which(self) -> Self:
        if self.by is Who.AGENT and self.cart is None:
            raise ValueError("an order by the agent says which cart the person said yes to")
        return self


class Noting(Acting):
    """Something else that was done in the interface."""

    what: Literal["page_opened", "page_closed", "cart_opened", "cart_closed", "handsfree_on", "handsfree_off"]
    restaurant_uuid: Uuid | None = None

    @model_validator(mode="after")
    def _a_page_is_of_a_restaurant(self) -> Self:
        if (self.what == What.PAGE_OPENED.value) is (self.restaurant_uuid is None):
            raise ValueError("a page is opened of a restaurant, and nothing else names one")
        return self


class _Given(BaseModel):
    """What is answered."""

    model_config = ConfigDict(from_attributes=True)


class DishBody(_Given):
    """A dish."""

    food_id: int
    restaurant_uuid: str
    name: str
    description: str
    price_cents: int
    kind: str
    tags: list[str]
    image: str
    photograph: str | None


class RestaurantBody(_Given):
    """A restaurant. `matches` are dishes that fit what was searched, `menu` all of them where one restaurant was asked for.

    `price_level` is 1 to 3, and `pictures` are of dishes that it is known for: a card shows both without the menu.
    """

    restaurant_uuid: str
    name: str
    cuisine: str
    description: str
    rating: float
    price_level: int
    pictures: list[str]
    open: bool
    opens: str | None
    hours: dict[str, list[str]]
    matches: list[DishBody] = []
    menu: list[DishBody] = []


class RestaurantsBody(_Given):
    """Restaurants, those that fit best first."""

    restaurants: list[RestaurantBody]


class LineBody(_Given):
    """A dish of a cart or an order."""

    food_id: int
    name: str
    quantity: int
    price_cents: int


class CartBody(_Given):
    """A cart. `version` changes with everything else in it."""

    restaurant_uuid: str | None
    restaurant: str | None
    lines: list[LineBody]
    total_cents: int
    version: str


class OrderBody(_Given):
    """An order."""

    order_id: str
    session_id: str
    restaurant_uuid: str
    restaurant: str
    lines: list[LineBody]
    total_cents: int
    placed_at: datetime
    status: Progress


class OrdersBody(_Given):
    """The newest orders first."""

    orders: list[OrderBody]


class ActBody(_Given):
    """An act of the trail."""

    seq: int
    act_id: str
    at: datetime
    who: Who
    what: What
    ids: dict[str, Any]


class ActsBody(_Given):
    """The last acts, oldest first, the page that is open, and whether the cart's drawer is."""

    acts: list[ActBody]
    open_page: str | None
    cart_is_open: bool
