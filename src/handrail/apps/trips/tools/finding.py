"""Searching: places, which become facts that a plan may name, and travel notes, which are only read."""

from typing import Annotated, Any

from pydantic import Field

from handrail import ABSENT, Absent, Fact, Result, tool
from handrail.apps.trips.geography import Place
from handrail.apps.trips.known import PLACE
from handrail.apps.trips.tools.outside import Context, providers, told

Words = Annotated[str, Field(max_length=200)]


@tool(effect="read", timeout=20, produces={PLACE}, examples=[{"text": "Kangding"}])
async def search_places(
    *,
    context: Context,
    text: Words = "",
    region: Annotated[str, Field(max_length=60)] | Absent = ABSENT,
    tags: Annotated[list[Annotated[str, Field(max_length=40)]], Field(max_length=4)] | Absent = ABSENT,
    near: Annotated[str, Field(max_length=80)] | Absent = ABSENT,
    within_km: Annotated[float, Field(gt=0, le=1000)] = 150,
    highest_m: Annotated[int, Field(ge=0, le=9000)] | Absent = ABSENT,
    overnight: bool | Absent = ABSENT,
    limit: Annotated[int, Field(ge=1, le=40)] = 12,
) -> Result:
    """Search places. A plan may name only places that a search has found.

    Args:
        context: holds the providers.
        text: Words to look for: names, kinds of place, regions. Leave it out to get all that fits the rest.
        region: Only places of this region, such as western-sichuan or hainan.
        tags: Only places with all of these tags, such as lake or hot-spring.
        near: Only places near the place with this id, the nearest first.
        within_km: How near, in kilometres.
        highest_m: Only places up to this altitude, in metres.
        overnight: true for places to sleep in, false for places to see by day.
        limit: The most places to return.
    """
    with told():
        found = await providers(context).places.search(
            text,
            region=_given(region),
            tags=_given(tags) or (),
            near=_given(near),
            within_km=within_km,
            max_altitude_m=_given(highest_m),
            overnight=_given(overnight),
            limit=limit,
        )
    return Result([_row(place) for place in found], facts=[_fact(place) for place in found])


@tool(effect="read", timeout=20, examples=[{"text": "altitude"}])
async def search_notes(
    context: Context,
    text: Annotated[str, Field(min_length=1, max_length=200)],
    place: Annotated[str, Field(max_length=80)] | Absent = ABSENT,
) -> list[dict[str, Any]]:
    """Search travel notes on permits, altitude, fuel, roads, seasons and festivals.

    Args:
        context: holds the providers.
        text: Words to look for.
        place: Only notes about the place with this id.
    """
    with told():
        found = await providers(context).notes.search(text, place_id=_given(place), limit=5)
    return [{"topic": note.topic, "places": list(note.places), "text": note.text} for note in found]


def _given(value: Any) -> Any:
    return None if isinstance(value, Absent) else value


def _row(place: Place) -> dict[str, Any]:
    return {
        "id": place.id,
        "name": place.name,
        "region": place.region,
        "altitude_m": place.altitude_m,
        "overnight": place.overnight,
        "tags": list(place.tags),
        "know": place.know,
    }


def _fact(place: Place) -> Fact:
    about = {
        "name": place.name,
        "local_name": place.local_name,
        "region": place.region,
        "altitude_m": place.altitude_m,
        "latitude": place.latitude,
        "longitude": place.longitude,
        "overnight": place.overnight,
    }
    return Fact(PLACE, place.id, about=about)
