"""The embedded data set behind the port: offline, and the same answer every time.

Rules: it answers only from `handrail.apps.trips.data`; every refusal names what would be accepted, because it is read by
models.
"""

import difflib
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import islice

from handrail.apps.trips.data import Atlas, atlas
from handrail.apps.trips.geography import Drive, Flight, Hotel, Note, Place, find_places, great_circle_km, plain, shortest_drive
from handrail.apps.trips.providers.note_index import NoteIndex
from handrail.apps.trips.providers.port import NotKnown, Providers, Unreachable, known_month

MAX_RESULTS = 50
MAX_ECHO = 80
"""How much of an unknown name is said back."""

MONTHS = range(1, 13)


def embedded(data: Atlas | None = None) -> Providers:
    """Return all providers over the embedded data set."""
    known = Known(atlas() if data is None else data)
    return Providers(
        roads=EmbeddedRoads(known),
        places=EmbeddedPlaces(known),
        notes=EmbeddedNotes(known),
        flights=EmbeddedFlights(known),
        hotels=EmbeddedHotels(known),
    )


class Known:
    """The data set with its refusals."""

    def __init__(self, data: Atlas) -> None:
        self.data = data

    def place(self, place_id: str) -> Place:
        """Return a place, or raise with the closest ids."""
        place = self.data.places.get(place_id)
        if place is None:
            raise NotKnown(f"There is no place with the id {place_id[:MAX_ECHO]!r}. {self._closest(place_id)}")
        return place

    @cached_property
    def tags(self) -> tuple[str, ...]:
        """All tags, in order."""
        return tuple(sorted({tag for place in self.data.places.values() for tag in place.tags}))

    @cached_property
    def regions(self) -> tuple[str, ...]:
        """All regions, in the order of the data."""
        return tuple(dict.fromkeys(place.region for place in self.data.places.values()))

    @cached_property
    def airports(self) -> tuple[Place, ...]:
        """The places with an airport."""
        return tuple(place for place in self.data.places.values() if "airport" in place.tags)

    def nearest_airports(self, place: Place) -> str:
        """Say which airports are nearest to a place."""
        nearest = sorted(self.airports, key=lambda airport: (great_circle_km(place, airport), airport.id))[:2]
        return " and ".join(f"{airport.id!r}" for airport in nearest)

    @cached_property
    def _ids_by_name(self) -> dict[str, str]:
        """Place ids by every name that they go by."""
        by_name = {}
        for place in self.data.places.values():
            for name in (place.name, place.local_name, place.id):
                by_name[plain(name)] = place.id
        return by_name

    def _closest(self, name: str) -> str:
        """Say which ids are close to a name that is not known."""
        asked = plain(name[:MAX_ECHO]).strip()
        close = difflib.get_close_matches(asked, self._ids_by_name, n=3, cutoff=0.6)
        ids = list(dict.fromkeys(self._ids_by_name[match] for match in close))
        if not ids:
            return "No id is close to it: search the places first and use an id from there."
        return f"The closest ids are {_listed(ids)}."


class EmbeddedRoads:
    """Driving times over the data set's road graph."""

    def __init__(self, known: Known) -> None:
        self._known = known

    async def drive(self, origin_id: str, destination_id: str, month: int) -> Drive:
        """Return the fastest drive on the roads open in a month."""
        origin, destination = self._known.place(origin_id), self._known.place(destination_id)
        roads = self._known.data.road_map
        drive = shortest_drive(roads, origin.id, destination.id, known_month(month))
        if drive is not None:
            return drive
        if open_in := [m for m in MONTHS if shortest_drive(roads, origin.id, destination.id, m) is not None]:
            raise Unreachable(
                f"Every road from {origin.id!r} to {destination.id!r} is closed in month {month}. "
                f"There is a way in the months {_months(open_in)}: choose another place or another month."
            )
        raise Unreachable(
            f"No road joins {origin.id!r} ({origin.region}) and {destination.id!r} ({destination.region}): plan a flight. "
            f"Airports near the first are {self._known.nearest_airports(origin)}, "
            f"near the second {self._known.nearest_airports(destination)}."
        )


class EmbeddedPlaces:
    """The data set's places."""

    def __init__(self, known: Known) -> None:
        self._known = known

    async def get(self, place_id: str) -> Place:
        """Return one place."""
        return self._known.place(place_id)

    async def search(
        self,
        text: str = "",
        *,
        tags: Iterable[str] = (),
        region: str | None = None,
        max_altitude_m: int | None = None,
        near: str | None = None,
        within_km: float = 150.0,
        overnight: bool | None = None,
        limit: int = 12,
    ) -> tuple[Place, ...]:
        """Return the places that fit every condition."""
        tags = tuple(tags)
        for tag in tags:
            _one_of("tag", tag, self._known.tags)
        if region is not None:
            _one_of("region", region, self._known.regions)
        found = find_places(
            self._known.data.places.values(),
            text=text,
            tags=tags,
            region=region,
            max_altitude_m=max_altitude_m,
            near=None if near is None else self._known.place(near),
            within_km=within_km,
            overnight=overnight,
        )
        return tuple(found[: _within(limit)])


class EmbeddedNotes:
    """The data set's notes; the index is built at the first search."""

    def __init__(self, known: Known) -> None:
        self._known = known

    @cached_property
    def _index(self) -> NoteIndex:
        return NoteIndex(self._known.data.notes, self._known.data.places)

    async def search(self, text: str, *, place_id: str | None = None, limit: int = 6) -> tuple[Note, ...]:
        """Return the notes that fit the words best."""
        place = None if place_id is None else self._known.place(place_id)
        found = (note for note in self._index.search(text) if place is None or place.id in note.places)
        return tuple(islice(found, _within(limit)))


class EmbeddedFlights:
    """The data set's direct flights."""

    def __init__(self, known: Known) -> None:
        self._known = known

    async def between(self, origin_id: str, destination_id: str, month: int) -> tuple[Flight, ...]:
        """Return the direct flights of a month, or say what to do instead."""
        origin, destination = self._known.place(origin_id), self._known.place(destination_id)
        known_month(month)
        direct = [f for f in self._known.data.flights if (f.origin, f.destination) == (origin.id, destination.id)]
        if found := tuple(flight for flight in direct if month in flight.months):
            return found
        if direct:
            raise Unreachable(
                f"Flights from {origin.id!r} to {destination.id!r} do not run in month {month}; they run in the months "
                f"{_months(direct[0].months)}. {self._instead(origin, destination, month)}"
            )
        raise Unreachable(f"No flight goes straight from {origin.id!r} to {destination.id!r}. {self._instead(origin, destination, month)}")

    def _instead(self, origin: Place, destination: Place, month: int) -> str:
        """Say where to fly from, where to, or where to change."""
        if without := [place for place in (origin, destination) if "airport" not in place.tags]:
            return " ".join(f"{place.id!r} has no airport; the nearest are {self._known.nearest_airports(place)}." for place in without)
        running = [flight for flight in self._known.data.flights if month in flight.months]
        to = {flight.origin: flight.minutes for flight in running if flight.destination == destination.id}
        changes = sorted((f.minutes + to[f.destination], f.destination) for f in running if f.origin == origin.id and f.destination in to)
        if changes:
            return f"Change in {_listed([place for _, place in changes[:3]])} and ask for each of the two flights."
        onward = sorted(flight.destination for flight in running if flight.origin == origin.id)
        return f"From {origin.id!r} flights go to {_listed(onward)} in that month." if onward else "No flight leaves there in that month."


class EmbeddedHotels:
    """The data set's hotels."""

    def __init__(self, known: Known) -> None:
        self._known = known

    async def at(self, place_id: str, month: int, *, family_rooms: bool = False, oxygen: bool = False) -> tuple[Hotel, ...]:
        """Return the open hotels of a place, cheapest first."""
        place, month = self._known.place(place_id), known_month(month)
        fitting = [
            hotel
            for hotel in self._known.data.hotels
            if hotel.place == place.id
            and month in hotel.open_months
            and (hotel.family_rooms or not family_rooms)
            and (hotel.oxygen or not oxygen)
        ]
        return tuple(sorted(fitting, key=lambda hotel: (hotel.price_cny(month), hotel.id)))


def _one_of(kind: str, value: str, known: Sequence[str]) -> None:
    """Raise unless the value is known."""
    if value in known:
        return
    close = difflib.get_close_matches(plain(value[:MAX_ECHO]).strip(), known, n=3, cutoff=0.6)
    hint = f"Did you mean {_listed(close)}? " if close else ""
    raise NotKnown(f"There is no {kind} {value[:MAX_ECHO]!r}. {hint}Every {kind}: {', '.join(known)}.")


def _within(limit: int) -> int:
    """Return a limit that is neither below nothing nor without bound."""
    return max(0, min(limit, MAX_RESULTS))


def _listed(values: Sequence[str]) -> str:
    """Return values in quotes with commas."""
    return ", ".join(f"{value!r}" for value in values)


def _months(months: Iterable[int]) -> str:
    """Return months with commas."""
    return ", ".join(str(month) for month in months)
