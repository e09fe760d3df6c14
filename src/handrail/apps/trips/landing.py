"""Landing: when a limit is reached, a shorter trip from what is verified, or an honest report that there is none. No model is asked.

Rules: only places that searches found and drives that were computed; within the hours, the altitude, the regions and the budget; what is
missing of what the travellers wanted is said. It is always partial, and nobody has confirmed it.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from handrail import Ledger
from handrail.apps.trips.brief import Brief, brief_in, plain_brief
from handrail.apps.trips.known import Known, known_in
from handrail.apps.trips.shortening import Roads, Way, WayDay, cheapest_beds
from handrail.apps.trips.trip import Trip, composed, cost_of

CUT_SHORT = "The run had to end before the plan was finished: this is what had been verified by then. Nobody has confirmed it."
NO_DAYS = "The run had to end before there was a plan."
NOTHING = "No trip could be put together: {why}. Nothing here is made up, so there is nothing to show."


def land(ledger: Ledger) -> Mapping[str, Any]:
    """The shorter trip, in the form of every other."""
    trip: dict[str, Any] = msgspec.to_builtins(shorter_trip(ledger))
    return trip


def shorter_trip(ledger: Ledger) -> Trip:
    """The best trip that the ledger holds."""
    brief, known = brief_in(ledger), known_in(ledger)
    way = Roads(brief, known).best()
    days = _within_budget(_days(way, cheapest_beds(known, brief.month)), brief, known)
    if not days:
        return _report(brief, known)
    way = way[: len(days)]
    plan = {"title": _title(way, known), "summary": _summary(way, known), "days": days}
    return composed(plan, ledger, partial=True, reasons=[CUT_SHORT, *_missing(way, brief, known)])


def _days(way: Way, beds: Mapping[str, str]) -> list[dict[str, Any]]:
    return [
        {
            "day": number,
            "flight": day.flight.id if day.flight is not None else None,
            "legs": [{"origin": drive.origin, "destination": drive.destination, "minutes": drive.minutes} for drive in day.drives],
            "stay": day.stay,
            "hotel": beds.get(day.stay),
        }
        for number, day in enumerate(way, 1)
    ]


def _within_budget(days: list[dict[str, Any]], brief: Brief, known: Known) -> list[dict[str, Any]]:
    """As many days from the first as the travellers can pay for, going by the prices that are known."""
    while brief.budget_cny is not None and days and (cost_of(days, brief, known) or 0) > brief.budget_cny:
        days = days[:-1]
    return days


def _report(brief: Brief, known: Known) -> Trip:
    if not known.places:
        why = "no place had been found yet"
    else:
        why = f"none of the {len(known.places)} places that were found fits what you want and can be slept at or paid for"
    text = NOTHING.format(why=why)
    return Trip(
        title="No trip yet", summary=text, brief=plain_brief(brief), hours_a_day=brief.hours_a_day, partial=True, reasons=(NO_DAYS,)
    )


def _title(way: Way, known: Known) -> str:
    ends = dict.fromkeys([_begin(way[0]), way[-1].stay])
    return f"A shorter trip: {' – '.join(_name(end, known) for end in ends)}"


def _summary(way: Way, known: Known) -> str:
    nights = ", ".join(dict.fromkeys(_name(day.stay, known) for day in way))
    days = "1 day" if len(way) == 1 else f"{len(way)} days"
    return f"{days}, with nights in {nights}. Every place was looked up and every driving time computed."


def _missing(way: Way, brief: Brief, known: Known) -> Iterator[str]:
    places = {end for day in way for drive in day.drives for end in (drive.origin, drive.destination)} | {day.stay for day in way}
    if brief.days is not None and len(way) < brief.days:
        yield f"It has {len(way)} of the {brief.days} days that you wanted."
    if left_out := [place for place in brief.must_go if place not in places]:
        yield f"It does not come to {_names(left_out, known)}."
    if brief.start is not None and _begin(way[0]) != brief.start:
        yield f"It begins in {_name(_begin(way[0]), known)}, since no drive from {_name(brief.start, known)} was computed."
    beds = cheapest_beds(known, brief.month)
    if brief.budget_cny is not None and (unpriced := [day.stay for day in way if day.stay not in beds]):
        yield f"No hotel was looked up in {_names(list(dict.fromkeys(unpriced)), known)}, so the budget is not checked there."


def _begin(day: WayDay) -> str:
    if day.flight is not None:
        return day.flight.origin
    return day.drives[0].origin if day.drives else day.stay


def _names(places: Sequence[str], known: Known) -> str:
    return ", ".join(_name(place, known) for place in places)


def _name(place_id: str, known: Known) -> str:
    place = known.places.get(place_id)
    return place.name if place is not None else place_id
