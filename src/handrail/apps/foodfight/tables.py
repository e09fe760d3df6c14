"""The three tables: restaurants with the contest that runs there, their menus, and the fights.

- Money is in cents. Times are aware UTC in every database.
- A fight knows the key of the call that made it and of the one that accepted it, so a call that is repeated changes nothing more.
- A payment intent pays for one fight.
"""

from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import JSON, CheckConstraint, ForeignKey, Index, Integer, String
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from handrail.service.database import UtcDateTime


class Standing(StrEnum):
    """How far a fight is."""

    OPEN = "open"
    ACCEPTED = "accepted"


class Base(DeclarativeBase):
    """The tables of this app."""


class Restaurant(Base):
    """A venue, and the contest that is bet on there: a question with two outcomes."""

    __tablename__ = "restaurants"

    restaurant_id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    name: Mapped[str] = mapped_column(String(120))
    city: Mapped[str] = mapped_column(String(80))
    contest: Mapped[str] = mapped_column(String(200))
    first_outcome: Mapped[str] = mapped_column(String(80))
    second_outcome: Mapped[str] = mapped_column(String(80))


class MenuItem(Base):
    """A dish. The words are the restaurant's own, and nobody else has read them."""

    __tablename__ = "menu_items"

    menu_item_id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    restaurant_id: Mapped[int] = mapped_column(ForeignKey("restaurants.restaurant_id"))
    name: Mapped[str] = mapped_column(String(120))
    description: Mapped[str] = mapped_column(String(500))
    price_cents: Mapped[int] = mapped_column(Integer)

    __table_args__ = (Index("menu_items_of_restaurant", "restaurant_id", "menu_item_id"),)


class PromoFight(Base):
    """A bet: the maker's side, and once it is accepted the taker's, which is the other one."""

    __tablename__ = "promo_fights"

    bet_id: Mapped[int] = mapped_column(Integer, primary_key=True)
    bet_type: Mapped[str] = mapped_column(String(16), default="promotion")
    restaurant_id: Mapped[int] = mapped_column(ForeignKey("restaurants.restaurant_id"))
    status: Mapped[str] = mapped_column(String(16), default=Standing.OPEN.value)
    maker_outcome: Mapped[int] = mapped_column(Integer)
    restaurant_items: Mapped[list[dict[str, Any]]] = mapped_column(JSON)
    takeout_type: Mapped[int] = mapped_column(Integer)
    maker_address: Mapped[str] = mapped_column(String(200))
    maker_payment_intent: Mapped[str] = mapped_column(String(100), unique=True)
    taker_items: Mapped[list[dict[str, Any]] | None] = mapped_column(JSON, default=None)
    created_key: Mapped[str] = mapped_column(String(200), unique=True)
    accepted_key: Mapped[str | None] = mapped_column(String(200), unique=True, default=None)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    accepted_at: Mapped[datetime | None] = mapped_column(UtcDateTime, default=None)

    __table_args__ = (
        CheckConstraint("status IN ('open', 'accepted')", name="promo_fights_status"),
        CheckConstraint("maker_outcome IN (1, 2)", name="promo_fights_outcome"),
        Index("promo_fights_of_restaurant", "restaurant_id", "status", "created_at", "bet_id"),
    )
