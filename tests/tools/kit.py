"""Tools that several tests share."""

import enum
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from handrail.core.ring import Parsed, Unfit
from handrail.tools import ABSENT, Absent, Tool, ToolContext, tool

CONTEXT = ToolContext[Any](deps=None, run_id="r1", call_id="t1c1", idempotency_key="r1.t1c1")


class Status(enum.StrEnum):
    PLACED = "placed"
    SHIPPED = "shipped"
    DELIVERED = "delivered"
    CANCELLED = "cancelled"


@tool(effect="read")
async def lookup_orders(
    customer_email: Annotated[str, Field(min_length=1)],
    status: Status | Absent = ABSENT,
    limit: Annotated[int, Field(ge=1, le=50)] = 10,
) -> list[Any]:
    """Look up a customer's orders, newest first.

    Args:
        customer_email: The address that the orders were placed with.
        status: Only orders that stand there.
        limit: How many orders at most.
    """
    return [customer_email, status, limit]


@tool(effect="read")
async def ping() -> str:
    """Say that it is there."""
    return "pong"


@tool(effect="read")
async def weather(city: str) -> str:
    """The weather in a city."""
    return city


class Line(BaseModel):
    sku: str
    count: int = 1


class Card(BaseModel):
    by: Literal["card"] = "card"
    number: str


class Transfer(BaseModel):
    by: Literal["transfer", "wire"]
    iban: str


Payment = Annotated[Card | Transfer, Field(discriminator="by")]


class Node(BaseModel):
    v: int
    kids: list["Node"] = []


def reason(made: Parsed | Unfit) -> str:
    """What is wrong with arguments that do not fit."""
    assert isinstance(made, Unfit), made
    return made.reason


def fitting(made: Parsed | Unfit) -> Parsed:
    """Arguments that fit."""
    assert isinstance(made, Parsed), made
    return made


def parameters(of: Tool) -> dict[str, Any]:
    """The JSON Schema in a tool's declaration."""
    schema: dict[str, Any] = of.declaration["function"]["parameters"]
    return schema
