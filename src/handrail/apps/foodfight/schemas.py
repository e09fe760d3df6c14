"""What the service layer takes: a bet that is made, one that is accepted, and a dish with its number.

Every bound is here once: the tools' declarations are made from the same fields.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

MOST_DISHES = 12
BIGGEST_ID = 2**31 - 1

Id = Annotated[int, Field(ge=1, le=BIGGEST_ID)]
Outcome = Annotated[int, Field(ge=1, le=2)]
TakeoutType = Annotated[int, Field(ge=0, le=2)]
Address = Annotated[str, Field(min_length=3, max_length=200)]
PaymentIntent = Annotated[str, Field(min_length=3, max_length=100)]

TAKEOUT = ("eaten in", "picked up", "delivered")
"""What the numbers of `takeout_type` stand for."""


class MenuItemOrder(BaseModel):
    """A dish, and how often."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    menu_item_id: Id
    quantity: Annotated[int, Field(ge=1, le=20)] = 1


Dishes = Annotated[list[MenuItemOrder], Field(min_length=1, max_length=MOST_DISHES)]
DishIds = Annotated[list[Id], Field(min_length=1, max_length=MOST_DISHES)]


class LiveBetBase(BaseModel):
    """A bet that somebody makes. In promotions the stake is dinner."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    bet_type: Literal["promotion"] = "promotion"
    restaurant_id: Id
    maker_outcome: Outcome
    restaurant_items: Dishes
    takeout_type: TakeoutType
    maker_address: Address
    maker_payment_intent: PaymentIntent


class PromoBase(BaseModel):
    """A bet that somebody accepts: they take the other side.

    Without `menu_item_ids` they order what the maker has ordered.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    restaurant_id: Id
    user_preferred_outcome: Outcome
    bet_id: Id
    menu_item_ids: DishIds | None = None
