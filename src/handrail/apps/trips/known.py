"""What a run knows of the world: places, drives, flights and hotels, read from the facts of its ledger.

Rules: nothing here was said by a model; it all came from providers through successful calls. A fact that lacks a detail is still a fact:
what is not known of it is `None`.
"""

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, TypeVar

import msgspec

from handrail import Fact, Ledger

PLACE, LEG, FLIGHT, HOTEL = "place", "leg", "flight", "hotel"
T = TypeVar("T")


class KnownPlace(msgspec.Struct, frozen=True, kw_only=True):
    """A place that a search has found; `overnight` says whether one can sleep there."""

    id: str
    name: str
    local_name: str = ""
    region: str | None = None
    altitude_m: int | None = None
    latitude: float | None = None
    longitude: float | None = None
    overnight: bool | None = None


class KnownDrive(msgspec.Struct, frozen=True, kw_only=True):
    """A drive that has been computed, for the roads of a month."""

    origin: str
    destination: str
    minutes: int | None = None
    km: int = 0
    month: int | None = None


class KnownFlight(msgspec.Struct, frozen=True, kw_only=True):
    """A flight that runs in a month; the price is for one person."""

    id: str
    origin: str
    destination: str
    minutes: int = 0
    price_cny: int = 0
    month: int | None = None


class KnownHotel(msgspec.Struct, frozen=True, kw_only=True):
    """A hotel that is open in a month; the price is for a room and a night."""

    id: str
    place: str
    name: str = ""
    price_cny: int = 0
    month: int | None = None


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """All of it, by id; drives by their two ends."""

    places: dict[str, KnownPlace] = {}
    drives: dict[tuple[str, str], KnownDrive] = {}
    flights: dict[str, KnownFlight] = {}
    hotels: dict[str, KnownHotel] = {}


def known_in(ledger: Ledger) -> Known:
    """What a ledger knows."""
    return _known(ledger, {PLACE, LEG, FLIGHT, HOTEL})


def known_for(days: Iterable[Mapping[str, Any]], ledger: Ledger) -> Known:
    """What a ledger knows of the kinds of thing that a plan names, and nothing of the others."""
    named = [(FLIGHT, "flight"), (HOTEL, "hotel"), (LEG, "legs")]
    return _known(ledger, {PLACE, *(kind for day in days for kind, field in named if day.get(field))})


def _known(ledger: Ledger, kinds: AbstractSet[str]) -> Known:
    return Known(
        places=places_of(ledger.of(PLACE)),
        drives=drives_of(ledger.of(LEG)) if LEG in kinds else {},
        flights=flights_of(ledger.of(FLIGHT)) if FLIGHT in kinds else {},
        hotels=hotels_of(ledger.of(HOTEL)) if HOTEL in kinds else {},
    )


def places_of(facts: Iterable[Fact]) -> dict[str, KnownPlace]:
    """Places by id."""
    return {fact.value: _read(fact, KnownPlace, id=fact.value, name=fact.about.get("name", fact.value)) for fact in facts}


def drives_of(facts: Iterable[Fact]) -> dict[tuple[str, str], KnownDrive]:
    """Drives by their two ends; a fact that does not say its ends is none."""
    drives = (_read(fact, KnownDrive) for fact in facts if {"origin", "destination"} <= fact.about.keys())
    return {(drive.origin, drive.destination): drive for drive in drives}


def flights_of(facts: Iterable[Fact]) -> dict[str, KnownFlight]:
    """Flights by id; a fact that does not say its ends is none."""
    return {fact.value: _read(fact, KnownFlight, id=fact.value) for fact in facts if {"origin", "destination"} <= fact.about.keys()}


def hotels_of(facts: Iterable[Fact]) -> dict[str, KnownHotel]:
    """Hotels by id; a fact that does not say where it is is none."""
    return {fact.value: _read(fact, KnownHotel, id=fact.value) for fact in facts if "place" in fact.about}


def _read(fact: Fact, kind: type[T], **fields: Any) -> T:
    return msgspec.convert(fact.about | fields, kind)
