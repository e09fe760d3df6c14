"""The plan as a model submits it: the types of `submit_plan`'s arguments.

Rules: days count from 1; a day's flight comes first, then its drives in order, then its night; whatever is named is named by its id.
"""

from typing import Annotated

from pydantic import BaseModel, Field

PlaceId = Annotated[str, Field(min_length=1, max_length=80)]


class Leg(BaseModel):
    """One drive."""

    origin: PlaceId = Field(description="Id of the place where the drive begins.")
    destination: PlaceId = Field(description="Id of the place where it ends.")
    minutes: int = Field(ge=0, le=3000, description="As estimate_drive returned it.")


class Day(BaseModel):
    """One day."""

    day: int = Field(ge=1, le=60, description="1 for the first day.")
    flight: str | None = Field(
        default=None, max_length=80, description="Id of a flight from check_flights, taken before any drive of the day."
    )
    legs: list[Leg] = Field(default_factory=list, max_length=12, description="The drives of the day, in order.")
    stay: PlaceId | None = Field(default=None, description="Id of the place of the night; only the last day may go without.")
    sleeping_altitude_m: int | None = Field(default=None, ge=-500, le=9000, description="Altitude of that place in metres.")
    drive_hours: float = Field(default=0, ge=0, le=24, description="Hours of driving that day.")
    hotel: str | None = Field(default=None, max_length=80, description="Id of a hotel from check_hotels; needed where there is a budget.")
    note: str = Field(default="", max_length=600, description="What the day is for, in a sentence or two.")
