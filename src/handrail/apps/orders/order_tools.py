"""The one tool: a customer's orders, newest first.

The tool trusts its arguments, because handrail holds them against the declaration before anything else sees them.
"""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field
from sqlalchemy import Select, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from handrail import ABSENT, Absent, Fact, Result, ToolContext, ToolError, tool
from handrail.apps.orders.ring import ORDER
from handrail.apps.orders.tables import Order

COLUMNS = (Order.order_id, Order.customer_email, Order.status, Order.total_cents, Order.created_at)


@tool(
    effect="read",
    timeout=20,
    produces={ORDER},
    examples=({"customer_email": "amber@example.com"}, {"customer_email": "amber@example.com", "status": "shipped"}),
)
async def lookup_orders(
    context: ToolContext[AsyncEngine],
    customer_email: Annotated[str, Field(min_length=1)],
    status: Literal["placed", "shipped", "delivered", "cancelled"] | Absent = ABSENT,
    limit: Annotated[int, Field(ge=1, le=50)] = 10,
) -> Result:
    """Look up the orders of one customer, newest first.

    It trusts its arguments: they have been held against the declaration before it runs.

    Args:
        context: holds the database.
        customer_email: The customer's e-mail address, exactly as it is written in the orders.
        status: Only orders of this status; leave it out for all of them.
        limit: The most orders to return.
    """
    try:
        async with context.deps.connect() as connection:
            rows = (await connection.execute(newest(customer_email, status, limit))).mappings().all()
    except SQLAlchemyError:
        # What a driver says may hold the database's address, and a password with it.
        raise ToolError("The orders cannot be looked up at the moment.") from None
    return Result([dict(row) for row in rows], facts=[Fact(ORDER, row["order_id"], about={"status": row["status"]}) for row in rows])


def newest(customer_email: str, status: str | Absent, limit: int) -> Select[int, str, str, int, datetime]:
    """The query. It trusts its arguments; every value is a bound parameter."""
    query = select(*COLUMNS).where(Order.customer_email == customer_email)
    if not isinstance(status, Absent):
        query = query.where(Order.status == status)
    return query.order_by(Order.created_at.desc(), Order.order_id.desc()).limit(limit)


LOOKUP_ORDERS_TOOL = lookup_orders.declaration
