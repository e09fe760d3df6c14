"""The submit tool: its success ends the run, and what it returns is the trip. What may come this far is the ring's affair."""

from typing import Annotated, Any

import msgspec
from pydantic import Field

from handrail import tool
from handrail.apps.trips.plan import Day
from handrail.apps.trips.tools.outside import Context
from handrail.apps.trips.trip import composed

EXAMPLE = {
    "title": "A day's drive",
    "summary": "From Chengdu up to Kangding.",
    "days": [
        {
            "day": 1,
            "legs": [{"origin": "chengdu", "destination": "kangding", "minutes": 219}],
            "stay": "kangding",
            "sleeping_altitude_m": 2560,
            "drive_hours": 3.65,
        }
    ],
}


@tool(effect="idempotent", timeout=20, examples=[EXAMPLE])
def submit_plan(
    context: Context,
    title: Annotated[str, Field(min_length=1, max_length=120)],
    summary: Annotated[str, Field(min_length=1, max_length=1500)],
    days: Annotated[list[Day], Field(min_length=1, max_length=60)],
) -> dict[str, Any]:
    """Hand in the finished plan. A reviewer looks at it first, then the travellers; the trip that they say yes to is final.

    Args:
        context: holds what is known.
        title: A short title.
        summary: What the trip is like, in a few sentences, with every place that has to be in.
        days: Every day, in order. Each begins where the last one ended.
    """
    plan = {"title": title, "summary": summary, "days": [day.model_dump() for day in days]}
    trip: dict[str, Any] = msgspec.to_builtins(composed(plan, context.ledger))
    return trip
