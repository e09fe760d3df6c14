"""What comes from the travellers: the brief, to which they say yes, and answers to questions.

Rules: the brief names places by their ids, whatever the travellers call them; a brief that contradicts itself is not recorded; a field
that a later brief does not name stays as it is.
"""

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any

import msgspec
from pydantic import Field

from handrail import ABSENT, Absent, Fact, Result, ToolError, tool
from handrail.apps.trips.brief import KIND, Brief, brief_of, plain_brief
from handrail.apps.trips.geography import Place, plain
from handrail.apps.trips.providers.port import NotKnown, Providers
from handrail.apps.trips.tools.outside import Context, providers, told

Name = Annotated[str, Field(min_length=1, max_length=80)]
Wish = Annotated[str, Field(min_length=1, max_length=300)]


@tool(effect="idempotent", timeout=20, produces={KIND}, examples=[{"ages": [34, 36], "days": 1, "month": 10}])
async def record_brief(
    *,
    context: Context,
    ages: Annotated[list[Annotated[int, Field(ge=0, le=120)]], Field(min_length=1, max_length=20)] | Absent = ABSENT,
    month: Annotated[int, Field(ge=1, le=12)] | Absent = ABSENT,
    start_date: date | Absent = ABSENT,
    days: Annotated[int, Field(ge=1, le=60)] | Absent = ABSENT,
    budget_cny: Annotated[int, Field(ge=0, le=10_000_000)] | Absent = ABSENT,
    highest_m: Annotated[int, Field(ge=0, le=9000)] | Absent = ABSENT,
    must_go: Annotated[list[Name], Field(max_length=12)] | Absent = ABSENT,
    start: Name | Absent = ABSENT,
    regions: Annotated[list[Name], Field(max_length=4)] | Absent = ABSENT,
    wishes: Annotated[list[Wish], Field(max_length=12)] | Absent = ABSENT,
) -> Result:
    """Record what the travellers want. They are shown it and have to say yes. Call it first, and again whenever they say something new.

    Name only what they said. A later call replaces the fields that it names and leaves the others as they are.

    Args:
        context: holds the providers and what is known so far.
        ages: The age of everybody who travels, in years.
        month: The month of the trip, 1 to 12.
        start_date: The first day, if they said it.
        days: How many days the trip has.
        budget_cny: For beds and flights of everybody together, in yuan.
        highest_m: The altitude in metres above which they do not want to stop or sleep.
        must_go: Places that have to be in, by name or id.
        start: The place where the trip begins, by name or id.
        regions: Where the nights are to be, such as western-sichuan or hainan.
        wishes: Anything else, in their own words.
    """
    given = {
        "ages": ages,
        "month": month,
        "start_date": start_date,
        "days": days,
        "budget_cny": budget_cny,
        "highest_m": highest_m,
        "must_go": must_go,
        "start": start,
        "regions": regions,
        "wishes": wishes,
    }
    said = {key: value for key, value in given.items() if not isinstance(value, Absent)}
    with told():
        fields = await _with_ids(_with_month(said, brief_of(context.ledger.of(KIND))), providers(context))
        facts = [Fact(KIND, value, key=key) for key, value in fields.items()]
        brief = brief_of([*context.ledger.of(KIND), *(msgspec.structs.replace(fact, confirmed=True) for fact in facts)])
        await _check(brief, providers(context))
    return Result({"brief": plain_brief(brief), "most_hours_of_driving_a_day": brief.hours_a_day}, facts=facts)


@tool(effect="read", where="person", produces={"answer"}, examples=[{"question": "In which month do you want to go?"}])
def ask_traveller(question: Annotated[str, Field(min_length=3, max_length=400)]) -> str:
    """Ask the travellers one thing that you cannot find out otherwise. The result is their answer.

    Args:
        question: One question, in their language.
    """
    return question


def _with_month(said: Mapping[str, Any], before: Brief) -> dict[str, Any]:
    """The fields as facts have them. A date says the month too, and a month that it is not in outdates it."""
    fields = dict(said)
    day = fields.get("start_date")
    if isinstance(day, date):
        if fields.setdefault("month", day.month) != day.month:
            raise ToolError(f"The first day {day.isoformat()} is not in month {fields['month']}: leave one of the two out.")
        fields["start_date"] = day.isoformat()
    elif "month" in fields and before.start_date is not None and before.start_date.month != fields["month"]:
        fields["start_date"] = None
    return fields


async def _with_ids(fields: dict[str, Any], outside: Providers) -> dict[str, Any]:
    if "must_go" in fields:
        fields["must_go"] = list(dict.fromkeys([(await _called(name, outside)).id for name in fields["must_go"]]))
    if "start" in fields:
        fields["start"] = (await _called(fields["start"], outside)).id
    for region in fields.get("regions", ()):
        await outside.places.search(region=region, limit=0)
    return fields


async def _called(name: str, outside: Providers) -> Place:
    """The place that goes by that name or id.

    Raises:
        NotKnown: there is none; the text says which are close.
    """
    try:
        return await outside.places.get(name)
    except NotKnown:
        found = await outside.places.search(name, limit=3)
        wanted = plain(name).strip()
        for place in found:
            if wanted in {plain(place.name), plain(place.local_name)}:
                return place
        if not found:
            raise
    close = ", ".join(f"{place.id!r} ({place.name})" for place in found)
    raise NotKnown(f"No place is called {name!r}. Close to it are {close}: name one of these, or ask the travellers.")


async def _check(brief: Brief, outside: Providers) -> None:
    """Find contradictions before anything is planned on them.

    Raises:
        ToolError: there is one.
    """
    named = [*brief.must_go, *([brief.start] if brief.start is not None else [])]
    places = {place_id: await outside.places.get(place_id) for place_id in named}
    for place in places.values():
        if not brief.allows_altitude(place.altitude_m):
            raise ToolError(
                f"{place.id!r} lies at {place.altitude_m} m, and the travellers do not want to be above {brief.highest_m} m. "
                "Ask them which of the two holds, and record both fields anew."
            )
    for place_id in brief.must_go:
        region = places[place_id].region
        if place_id != brief.start and brief.regions and region not in brief.regions:
            raise ToolError(
                f"{place_id!r} has to be in, and is in {region}, not in {', '.join(brief.regions)}. "
                "Record must_go anew (an empty list if nothing has to be in), or the regions."
            )
