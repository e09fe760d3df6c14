"""The one table, and how the service opens it.

The index serves the one query that there is: a customer's orders, newest first. Times are aware UTC in every database.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from enum import StrEnum

from sqlalchemy import CheckConstraint, Index, Integer, String, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from handrail.service.database import UtcDateTime, make_engine
from handrail.service.settings import database_url


class Status(StrEnum):
    """How far an order is."""

    PLACED = "placed"
    SHIPPED = "shipped"
    DELIVERED = "delivered"
    CANCELLED = "cancelled"


class Base(DeclarativeBase):
    """The tables of this app."""


class Order(Base):
    """One order. The total is in cents, since money is no float."""

    __tablename__ = "orders"

    order_id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    customer_email: Mapped[str] = mapped_column(String(320))
    status: Mapped[str] = mapped_column(String(16))
    total_cents: Mapped[int] = mapped_column(Integer)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)

    __table_args__ = (
        CheckConstraint("status IN ('placed', 'shipped', 'delivered', 'cancelled')", name="orders_status"),
        Index("orders_newest_of_customer", "customer_email", "created_at", "order_id"),
    )


@asynccontextmanager
async def order_database() -> AsyncIterator[AsyncEngine]:
    """The database that `HANDRAIL_DATABASE_URL` names, for as long as it is needed."""
    engine = make_engine(database_url())
    try:
        yield engine
    finally:
        await engine.dispose()


async def what_is_missing(database: AsyncEngine) -> str | None:
    """Whether orders can be looked up, and what to do where they cannot."""
    try:
        async with database.connect() as connection:
            await connection.execute(select(Order.order_id).limit(1))
    except SQLAlchemyError:
        return "the database has no orders to look up, or cannot be reached: see to HANDRAIL_DATABASE_URL, then run `handrail seed orders`"
    return None
