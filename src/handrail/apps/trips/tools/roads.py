"""Driving times. A drive is a fact under its two ends; the same drive in another month takes its place."""

from typing import Annotated

from pydantic import Field

from handrail import Fact, Result, tool
from handrail.apps.trips.known import LEG
from handrail.apps.trips.tools.outside import Context, month_of, providers, told

PlaceId = Annotated[str, Field(min_length=1, max_length=80)]


@tool(effect="read", timeout=20, produces={LEG}, examples=[{"origin": "chengdu", "destination": "kangding"}])
async def estimate_drive(context: Context, origin: PlaceId, destination: PlaceId) -> Result:
    """Compute the driving time from one place to another in the month of the trip. Every leg of a plan needs its own, in its own direction.

    Args:
        context: holds the providers and the month.
        origin: Id of the place where the drive begins.
        destination: Id of the place where it ends.
    """
    month = month_of(context)
    with told():
        drive = await providers(context).roads.drive(origin, destination, month)
    about = {"origin": origin, "destination": destination, "minutes": drive.minutes, "km": drive.km, "month": month}
    shown = {"origin": origin, "destination": destination, "minutes": drive.minutes, "km": drive.km, "via": list(drive.via)}
    ends = f"{origin} → {destination}"
    return Result(shown, facts=[Fact(LEG, ends, key=ends, about=about)])
