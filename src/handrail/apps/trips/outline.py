"""The outline: what travellers see of a plan and say yes or no to. Text, with the numbers of the ledger beside those of the plan."""

from collections.abc import Mapping
from typing import Any

from handrail import Ledger
from handrail.apps.trips.trip import Trip, TripDay, composed


def outline(arguments: Mapping[str, Any], ledger: Ledger) -> str:
    """The document of an approval."""
    trip = composed(arguments, ledger)
    cost = [f"Beds and flights: {trip.cost_cny} CNY"] if trip.cost_cny is not None else []
    return "\n".join([trip.title, trip.summary, *(_line(day, trip) for day in trip.days), *cost])


def _line(day: TripDay, trip: Trip) -> str:
    when = f" ({day.date.isoformat()})" if day.date is not None else ""
    flown = [f"fly {_name(day.flight.origin, trip)} → {_name(day.flight.destination, trip)}"] if day.flight is not None else []
    driven = [f"{_name(leg.origin, trip)} → {_name(leg.destination, trip)} {leg.minutes} min" for leg in day.legs]
    height = f" at {day.sleeping_altitude_m} m" if day.sleeping_altitude_m is not None else ""
    slept = [f"night in {_name(day.stay, trip)}{height}{f', {day.hotel_name}' if day.hotel_name else ''}"] if day.stay is not None else []
    return f"Day {day.day}{when}: {'; '.join([*flown, *driven, *slept]) or 'free'}"


def _name(place_id: str, trip: Trip) -> str:
    stop = trip.places.get(place_id)
    return stop.name if stop is not None else place_id
