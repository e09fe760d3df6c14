"""A trip: what a plan becomes once everything in it is looked up in the ledger. It is what travellers get, as JSON and as pages.

Rules: a trip is composed from verified facts alone, whoever wrote the plan; numbers are those of the facts, not those that were claimed;
prices are yuan, drives minutes, altitudes metres.
"""

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from handrail import Ledger
from handrail.apps.trips.brief import Brief, brief_in, plain_brief
from handrail.apps.trips.known import Known, known_for


class Stop(msgspec.Struct, frozen=True, kw_only=True):
    """A place of the trip."""

    name: str
    region: str = ""
    altitude_m: int | None = None
    latitude: float | None = None
    longitude: float | None = None


class TripLeg(msgspec.Struct, frozen=True, kw_only=True):
    """A drive."""

    origin: str
    destination: str
    minutes: int
    km: int = 0


class TripFlight(msgspec.Struct, frozen=True, kw_only=True):
    """A flight; the price is for one person."""

    id: str
    origin: str
    destination: str
    minutes: int = 0
    price_cny: int = 0


class TripDay(msgspec.Struct, frozen=True, kw_only=True):
    """A day."""

    day: int
    date: dt.date | None = None
    flight: TripFlight | None = None
    legs: tuple[TripLeg, ...] = ()
    stay: str | None = None
    sleeping_altitude_m: int | None = None
    drive_hours: float = 0.0
    hotel: str | None = None
    hotel_name: str = ""
    note: str = ""


class Trip(msgspec.Struct, frozen=True, kw_only=True):
    """The whole of it.

    Args:
        title: of the trip.
        summary: a few sentences.
        days: in order; none where nothing could be planned.
        places: every place of the trip by its id.
        brief: what the travellers said, by field.
        hours_a_day: how long the party may drive on one day.
        cost_cny: of the beds and flights that the plan names; `None` where it names none.
        partial: whether it is less than what was asked for.
        reasons: why, and what is missing.
    """

    title: str
    summary: str
    days: tuple[TripDay, ...] = ()
    places: dict[str, Stop] = {}
    brief: dict[str, Any] = {}
    hours_a_day: int = 4
    cost_cny: int | None = None
    partial: bool = False
    reasons: tuple[str, ...] = ()


def composed(plan: Mapping[str, Any], ledger: Ledger, *, partial: bool = False, reasons: Sequence[str] = ()) -> Trip:
    """The trip that a plan is. `plan` has the arguments of `submit_plan`."""
    brief, known = brief_in(ledger), known_for(plan["days"], ledger)
    days = tuple(_day(day, brief, known) for day in plan["days"])
    return Trip(
        title=plan["title"],
        summary=plan["summary"],
        days=days,
        places={place: _stop(place, known) for place in places_of(days)},
        brief=plain_brief(brief),
        hours_a_day=brief.hours_a_day,
        cost_cny=cost_of(plan["days"], brief, known),
        partial=partial,
        reasons=tuple(reasons),
    )


def places_of(days: Iterable[TripDay]) -> tuple[str, ...]:
    """The ids of all places, in the order in which the trip comes to them."""
    found: list[str] = []
    for day in days:
        found += [day.flight.origin, day.flight.destination] if day.flight is not None else []
        found += [place for leg in day.legs for place in (leg.origin, leg.destination)]
        found += [day.stay] if day.stay is not None else []
    return tuple(dict.fromkeys(found))


def cost_of(days: Iterable[Mapping[str, Any]], brief: Brief, known: Known) -> int | None:
    """What the beds and flights of a plan cost the whole party; `None` where it names none that is known."""
    prices = []
    for day in days:
        hotel, flight = known.hotels.get(day.get("hotel") or ""), known.flights.get(day.get("flight") or "")
        prices += [hotel.price_cny * brief.rooms] if hotel is not None else []
        prices += [flight.price_cny * max(1, len(brief.ages))] if flight is not None else []
    return sum(prices) if prices else None


def _day(day: Mapping[str, Any], brief: Brief, known: Known) -> TripDay:
    legs = tuple(_leg(leg, known) for leg in day.get("legs") or ())
    stay, number = day.get("stay"), int(day["day"])
    place, hotel = known.places.get(stay or ""), known.hotels.get(day.get("hotel") or "")
    return TripDay(
        day=number,
        date=brief.start_date + dt.timedelta(days=number - 1) if brief.start_date is not None else None,
        flight=_flight(day.get("flight"), known),
        legs=legs,
        stay=stay,
        sleeping_altitude_m=place.altitude_m if place is not None else None,
        drive_hours=round(sum(leg.minutes for leg in legs) / 60, 2),
        hotel=day.get("hotel"),
        hotel_name=hotel.name if hotel is not None else "",
        note=day.get("note") or "",
    )


def _leg(leg: Mapping[str, Any], known: Known) -> TripLeg:
    drive = known.drives.get((leg["origin"], leg["destination"]))
    minutes = leg["minutes"] if drive is None or drive.minutes is None else drive.minutes
    return TripLeg(origin=leg["origin"], destination=leg["destination"], minutes=minutes, km=drive.km if drive is not None else 0)


def _flight(flight_id: str | None, known: Known) -> TripFlight | None:
    flight = known.flights.get(flight_id or "")
    if flight is None:
        return None
    return TripFlight(
        id=flight.id, origin=flight.origin, destination=flight.destination, minutes=flight.minutes, price_cny=flight.price_cny
    )


def _stop(place_id: str, known: Known) -> Stop:
    place = known.places.get(place_id)
    if place is None:
        return Stop(name=place_id)
    return Stop(name=place.name, region=place.region or "", altitude_m=place.altitude_m, latitude=place.latitude, longitude=place.longitude)
