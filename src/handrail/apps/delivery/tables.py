"""The tables: restaurants and menus, carts, orders, and the action trail.

- Money is in cents. Times are aware UTC in every database.
- A cart and a trail belong to a user and a session of theirs; both are part of every key.
- An order keeps names and prices as they were when it was placed.
- An act has its id once in a session, and its place in the trail once: what is told twice is there once.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Float, ForeignKey, Index, Integer, String, UniqueConstraint
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from handrail.service.database import UtcDateTime

USER, SESSION, ID = String(128), String(200), String(200)


class Base(DeclarativeBase):
    """The tables of this app."""


class RestaurantRow(Base):
    """A restaurant. The words are its own."""

    __tablename__ = "delivery_restaurants"

    restaurant_uuid: Mapped[str] = mapped_column(String(36), primary_key=True)
    place: Mapped[int] = mapped_column(Integer, unique=True)
    name: Mapped[str] = mapped_column(String(120))
    cuisine: Mapped[str] = mapped_column(String(60))
    description: Mapped[str] = mapped_column(String(500))
    rating: Mapped[float] = mapped_column(Float)
    hours: Mapped[dict[str, Any]] = mapped_column(JSON)


class DishRow(Base):
    """A dish. The words are the restaurant's own."""

    __tablename__ = "delivery_dishes"

    food_id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    restaurant_uuid: Mapped[str] = mapped_column(ForeignKey("delivery_restaurants.restaurant_uuid"))
    name: Mapped[str] = mapped_column(String(120))
    description: Mapped[str] = mapped_column(String(500))
    price_cents: Mapped[int] = mapped_column(Integer)
    kind: Mapped[str] = mapped_column(String(30))
    tags: Mapped[list[str]] = mapped_column(JSON)


class SessionRow(Base):
    """A session: up to where the model has heard of its acts. Whoever changes anything of the session locks this row first."""

    __tablename__ = "delivery_sessions"

    user_id: Mapped[str] = mapped_column(USER, primary_key=True)
    session_id: Mapped[str] = mapped_column(SESSION, primary_key=True)
    told_seq: Mapped[int] = mapped_column(Integer, default=0)


class CartLineRow(Base):
    """A dish in a cart, and how often. The lines of a cart are of one restaurant."""

    __tablename__ = "delivery_cart_lines"

    user_id: Mapped[str] = mapped_column(USER, primary_key=True)
    session_id: Mapped[str] = mapped_column(SESSION, primary_key=True)
    food_id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    quantity: Mapped[int] = mapped_column(Integer)
    place: Mapped[int] = mapped_column(Integer)


class OrderRow(Base):
    """An order as it was placed. Its lines are written once and never changed."""

    __tablename__ = "delivery_orders"

    order_id: Mapped[str] = mapped_column(String(40), primary_key=True)
    user_id: Mapped[str] = mapped_column(USER)
    session_id: Mapped[str] = mapped_column(SESSION)
    idempotency: Mapped[str] = mapped_column(ID)
    cart: Mapped[str] = mapped_column(String(64))
    restaurant_uuid: Mapped[str] = mapped_column(String(36))
    restaurant: Mapped[str] = mapped_column(String(120))
    lines: Mapped[list[dict[str, Any]]] = mapped_column(JSON)
    total_cents: Mapped[int] = mapped_column(Integer)
    placed_at: Mapped[datetime] = mapped_column(UtcDateTime)

    __table_args__ = (
        UniqueConstraint("user_id", "idempotency", name="delivery_orders_once"),
        Index("delivery_orders_newest_of_user", "user_id", "placed_at", "order_id"),
    )


class ActRow(Base):
    """Something that the user or the agent did in the interface."""

    __tablename__ = "delivery_acts"

    user_id: Mapped[str] = mapped_column(USER, primary_key=True)
    session_id: Mapped[str] = mapped_column(SESSION, primary_key=True)
    seq: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    act_id: Mapped[str] = mapped_column(ID)
    at: Mapped[datetime] = mapped_column(UtcDateTime)
    who: Mapped[str] = mapped_column(String(8))
    what: Mapped[str] = mapped_column(String(30))
    ids: Mapped[dict[str, Any]] = mapped_column(JSON)

    __table_args__ = (UniqueConstraint("user_id", "session_id", "act_id", name="delivery_acts_once"),)
