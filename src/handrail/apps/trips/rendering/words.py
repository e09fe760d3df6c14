"""What Markdown and page say alike: a day's parts in words, durations, names."""

from handrail.apps.trips.trip import Trip, TripDay

HEADINGS = ("Day", "Drives", "Hours", "Night", "Altitude")


def cells(day: TripDay, trip: Trip) -> tuple[str, ...]:
    """A day under the headings."""
    when = f"{day.day} ({day.date.isoformat()})" if day.date is not None else str(day.day)
    height = f"{day.sleeping_altitude_m} m" if day.sleeping_altitude_m is not None else ""
    night = "" if day.stay is None else name(day.stay, trip) + (f", {day.hotel_name}" if day.hotel_name else "")
    return when, drives(day, trip), hours(day.drive_hours), night, height


def drives(day: TripDay, trip: Trip) -> str:
    """Flights and drives of a day."""
    flown = [f"flight {name(day.flight.origin, trip)} → {name(day.flight.destination, trip)}"] if day.flight is not None else []
    driven = [f"{name(leg.origin, trip)} → {name(leg.destination, trip)} ({leg.km} km)" for leg in day.legs]
    return "; ".join([*flown, *driven]) or "none"


def hours(value: float) -> str:
    """A duration: `3 h 39 min`."""
    minutes = round(value * 60)
    return f"{minutes // 60} h {minutes % 60:02} min"


def name(place_id: str, trip: Trip) -> str:
    """What a place is called."""
    stop = trip.places.get(place_id)
    return stop.name if stop is not None else place_id
