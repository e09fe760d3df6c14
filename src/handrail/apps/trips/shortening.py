"""The longest sensible way through what has been computed: days of drives within the hours, from bed to bed.

Rules: only drives that were computed, between places that were found; no stop above what the travellers bear, no night outside of
their regions; each drive at most once; the same facts give the same way. The search is cut off after `MOST_STEPS`, and then the best so
far stands.
"""

from collections.abc import Iterator, Mapping

import msgspec

from handrail.apps.trips.brief import Brief
from handrail.apps.trips.known import Known, KnownDrive, KnownFlight, KnownPlace

MOST_STEPS = 4000
MOST_DRIVES_A_DAY = 12
MOST_DAYS = 60


class WayDay(msgspec.Struct, frozen=True, kw_only=True):
    """A day of a way: a flight or none, drives, and a bed."""

    stay: str
    drives: tuple[KnownDrive, ...] = ()
    flight: KnownFlight | None = None


Way = tuple[WayDay, ...]


class _Here(msgspec.Struct, frozen=True, kw_only=True):
    """How far a way has come."""

    place: str
    days: Way = ()
    today: tuple[KnownDrive, ...] = ()
    flight: KnownFlight | None = None

    @property
    def minutes(self) -> int:
        return sum(drive.minutes or 0 for drive in self.today)

    def drove(self, drive: KnownDrive) -> bool:
        return drive in self.today or any(drive in day.drives for day in self.days)


class Roads:
    """What may be driven and where one may sleep, for one party."""

    def __init__(self, brief: Brief, known: Known) -> None:
        """Leave out what does not fit."""
        self._brief = brief
        self._places = {id: place for id, place in known.places.items() if brief.allows_altitude(place.altitude_m)}
        self._from: dict[str, list[KnownDrive]] = {}
        for drive in sorted(filter(self._may_be_driven, known.drives.values()), key=self._order):
            self._from.setdefault(drive.origin, []).append(drive)
        self._flights = [flight for flight in known.flights.values() if flight.month == brief.month and flight.destination in self._places]
        self._most_days = min(brief.days or MOST_DAYS, MOST_DAYS)

    def best(self) -> Way:
        """The way that has most of the places that have to be in, then most places, then least driving; empty where there is none.

        A way that begins where the trip is to begin comes before any other.
        """
        brief = self._brief
        if brief.start in self._places:
            arrivals = [flight for flight in self._flights if flight.origin == brief.start]
            begins = [_Here(place=str(brief.start)), *(_Here(place=flight.destination, flight=flight) for flight in arrivals)]
            if way := self._best_from(begins):
                return way
        return self._best_from([_Here(place=place) for place in self._from]) or self._one_night()

    def _best_from(self, begins: list[_Here]) -> Way:
        best: Way = ()
        for way in self._ways(begins):
            if not best or self._worth(way) > self._worth(best):
                best = way
        return best

    def _ways(self, begins: list[_Here]) -> Iterator[Way]:
        """Ways that end with a bed, the most promising first."""
        stack, steps = begins[::-1], 0
        while stack and steps < MOST_STEPS:
            here, steps = stack.pop(), steps + 1
            moved = bool(here.today) or here.flight is not None
            further = [self._driven(here, drive) for drive in self._from.get(here.place, ()) if self._fits(here, drive)]
            stack.extend(reversed(further))
            if moved and self._may_sleep(here.place):
                days = (*here.days, WayDay(stay=here.place, drives=here.today, flight=here.flight))
                yield days
                if len(days) < self._most_days:
                    stack.append(_Here(place=here.place, days=days))

    def _driven(self, here: _Here, drive: KnownDrive) -> _Here:
        return _Here(place=drive.destination, days=here.days, today=(*here.today, drive), flight=here.flight)

    def _fits(self, here: _Here, drive: KnownDrive) -> bool:
        within = here.minutes + (drive.minutes or 0) <= self._brief.hours_a_day * 60
        return within and len(here.today) < MOST_DRIVES_A_DAY and not here.drove(drive)

    def _one_night(self) -> Way:
        """No drive leads anywhere: a night where one can be spent, the start before places that have to be in before any other."""
        wanted = [self._brief.start, *self._brief.must_go, *self._places]
        bed = next((place for place in wanted if place is not None and self._may_sleep(place)), None)
        return () if bed is None else (WayDay(stay=bed),)

    def _may_sleep(self, place_id: str) -> bool:
        place: KnownPlace | None = self._places.get(place_id)
        return place is not None and place.overnight is True and self._brief.allows_night(place.id, place.region)

    def _may_be_driven(self, drive: KnownDrive) -> bool:
        known = drive.minutes is not None and drive.month == self._brief.month
        short = (drive.minutes or 0) <= self._brief.hours_a_day * 60
        return known and short and drive.origin in self._places and drive.destination in self._places and drive.origin != drive.destination

    def _order(self, drive: KnownDrive) -> tuple[bool, int, str, str]:
        return drive.destination not in self._brief.must_go, drive.minutes or 0, drive.origin, drive.destination

    def _worth(self, way: Way) -> tuple[int, int, int]:
        drives = [drive for day in way for drive in day.drives]
        places = {*(day.stay for day in way), *(end for drive in drives for end in (drive.origin, drive.destination))}
        return len(places.intersection(self._brief.must_go)), len(places), -sum(drive.minutes or 0 for drive in drives)


def cheapest_beds(known: Known, month: int | None) -> Mapping[str, str]:
    """The id of the cheapest hotel that is known, by place."""
    found: dict[str, str] = {}
    for hotel in sorted(known.hotels.values(), key=lambda hotel: (hotel.price_cny, hotel.id)):
        if hotel.month == month:
            found.setdefault(hotel.place, hotel.id)
    return found
