"""What the trip planner asks of the outside, as Protocols, and the two ways in which an answer can be no.

Rules: ids are exact and never guessed at; a name that is not known is answered with what is known; a search that finds
nothing returns an empty tuple; a month is 1 to 12. An adapter that cannot reach its service raises an exception of its own
and never answers from elsewhere.
"""

from collections.abc import Iterable
from typing import Protocol

import msgspec

from handrail.apps.trips.geography import Drive, Flight, Hotel, Note, Place


class NotKnown(Exception):
    """No place, tag, region or month of that name; the text says which are known."""


class Unreachable(Exception):
    """Both ends are known, and there is no way between them; the text says what to do instead."""


def known_month(month: int) -> int:
    """Return a month, or raise `NotKnown`."""
    if month not in range(1, 13):
        raise NotKnown(f"There is no month {month!r}: give a number from 1 (January) to 12 (December).")
    return month


class Roads(Protocol):
    """Driving times."""

    async def drive(self, origin_id: str, destination_id: str, month: int) -> Drive:
        """Return the fastest drive in a month.

        Raises:
            NotKnown: an end or the month is not known.
            Unreachable: no open road joins them.
        """
        ...


class Places(Protocol):
    """The places that a plan may name."""

    async def get(self, place_id: str) -> Place:
        """Return one place.

        Raises:
            NotKnown: there is none of that id.
        """
        ...

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
        """Return the places that fit every condition: nearest first with `near` (an id), or else best match first.

        Raises:
            NotKnown: a tag, the region or the place `near` is not known.
        """
        ...


class Notes(Protocol):
    """Travel advice."""

    async def search(self, text: str, *, place_id: str | None = None, limit: int = 6) -> tuple[Note, ...]:
        """Return the notes that fit the words best, about one place only with `place_id`; no words fit all.

        Raises:
            NotKnown: there is no place of that id.
        """
        ...


class Flights(Protocol):
    """Direct flights."""

    async def between(self, origin_id: str, destination_id: str, month: int) -> tuple[Flight, ...]:
        """Return the direct flights of a month: always at least one.

        Raises:
            NotKnown: an end or the month is not known.
            Unreachable: none is direct; the text names airports near by, other months, or where to change.
        """
        ...


class Hotels(Protocol):
    """Somewhere to sleep."""

    async def at(self, place_id: str, month: int, *, family_rooms: bool = False, oxygen: bool = False) -> tuple[Hotel, ...]:
        """Return the hotels of a place that are open in a month, cheapest first; True asks only for those that have it.

        Raises:
            NotKnown: the place or the month is not known.
        """
        ...


class Providers(msgspec.Struct, frozen=True, kw_only=True):
    """One of each, as the planner's tools get them."""

    roads: Roads
    places: Places
    notes: Notes
    flights: Flights
    hotels: Hotels
