"""What the trip planner knows about the world: places, roads, flights, hotels and notes, and pure functions over them.

Rules: everything here is frozen and pure; altitudes are metres, distances km, driving times minutes, prices yuan (CNY),
months 1 to 12; the same question always has the same answer in the same order.
"""

import heapq
import math
import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Literal

import msgspec

EARTH_RADIUS_KM = 6371.0
"""The mean radius of the earth; a sphere is good to half a per cent, which is enough for a road."""

_SAYS_NOTHING = frozenset({"and", "for", "from", "near", "the", "with"})

Surface = Literal["expressway", "asphalt", "narrow", "gravel"]


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """A town, sight, pass or airport that a plan may name."""

    id: str
    name: str
    local_name: str
    latitude: float
    longitude: float
    altitude_m: int
    province: str
    region: str
    country: str
    tags: tuple[str, ...]
    overnight: bool
    season: str
    know: str


class Road(msgspec.Struct, frozen=True, kw_only=True):
    """A stretch of road between two places, the same in both directions."""

    a: str
    b: str
    km: int
    minutes: int
    surface: Surface
    closed_months: tuple[int, ...]


class Flight(msgspec.Struct, frozen=True, kw_only=True):
    """A direct flight in one direction."""

    id: str
    origin: str
    destination: str
    months: tuple[int, ...]
    minutes: int
    price_cny: int
    weekly: int


class Hotel(msgspec.Struct, frozen=True, kw_only=True):
    """Somewhere to sleep; prices are for a double room and one night."""

    id: str
    place: str
    name: str
    stars: int
    low_cny: int
    high_cny: int
    high_months: tuple[int, ...]
    open_months: tuple[int, ...]
    family_rooms: bool
    oxygen: bool

    def price_cny(self, month: int) -> int:
        """Return the price of one night in a month."""
        return self.high_cny if month in self.high_months else self.low_cny


class Note(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of travel advice about some places."""

    id: str
    topic: str
    places: tuple[str, ...]
    text: str


class Drive(msgspec.Struct, frozen=True, kw_only=True):
    """How long a drive takes; `via` are the places passed between the two ends, where the source knows them."""

    minutes: int
    km: int
    via: tuple[str, ...] = ()


RoadMap = Mapping[str, tuple[Road, ...]]
"""Every place's roads, by place id."""


def great_circle_km(a: Place, b: Place) -> float:
    """Return the straight distance over the ground (haversine)."""
    return distance_km(a.latitude, a.longitude, b.latitude, b.longitude)


def distance_km(latitude: float, longitude: float, other_latitude: float, other_longitude: float) -> float:
    """Return the great-circle distance between two points, given in degrees."""
    north, other_north = math.radians(latitude), math.radians(other_latitude)
    half_up = math.sin((other_north - north) / 2)
    half_across = math.sin(math.radians(other_longitude - longitude) / 2)
    return 2 * EARTH_RADIUS_KM * math.asin(math.sqrt(half_up**2 + math.cos(north) * math.cos(other_north) * half_across**2))


def road_map(roads: Iterable[Road]) -> RoadMap:
    """Return the roads by the places at their ends."""
    found: dict[str, list[Road]] = {}
    for road in roads:
        found.setdefault(road.a, []).append(road)
        found.setdefault(road.b, []).append(road)
    return {place: tuple(at) for place, at in found.items()}


def shortest_drive(roads: RoadMap, origin: str, destination: str, month: int) -> Drive | None:
    """Return the fastest way by the roads open in a month (Dijkstra by minutes), or None."""
    best = {origin: 0}
    came_by: dict[str, Road] = {}
    queue = [(0, origin)]
    while queue:
        minutes, here = heapq.heappop(queue)
        if here == destination:
            return _drive_back(came_by, destination, minutes)
        if minutes > best[here]:
            continue
        for road in roads.get(here, ()):
            there, arrival = other_end(road, here), minutes + road.minutes
            if month not in road.closed_months and arrival < best.get(there, arrival + 1):
                best[there], came_by[there] = arrival, road
                heapq.heappush(queue, (arrival, there))
    return None


def _drive_back(came_by: Mapping[str, Road], destination: str, minutes: int) -> Drive:
    """Read the way back from the road by which each place was first reached."""
    km, via, here = 0, [destination], destination
    while (road := came_by.get(here)) is not None:
        here = other_end(road, here)
        km += road.km
        via.append(here)
    return Drive(minutes=minutes, km=km, via=tuple(reversed(via[1:-1])))


def other_end(road: Road, place: str) -> str:
    """Return the end of a road that is not `place`."""
    return road.b if road.a == place else road.a


def plain(text: str) -> str:
    """Return text for comparing: small letters without accents."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in decomposed if not unicodedata.combining(c))


def find_places(
    places: Iterable[Place],
    *,
    text: str = "",
    tags: Iterable[str] = (),
    region: str | None = None,
    max_altitude_m: int | None = None,
    near: Place | None = None,
    within_km: float = 150.0,
    overnight: bool | None = None,
) -> list[Place]:
    """Return the places that fit every condition: nearest first with `near`, or else best match first.

    A place must hold at least one word of `text` and all of `tags`; `overnight` is True for places to sleep in and False for
    those to see by day.
    """
    wanted, words, whole = set(tags), _words(text), plain(text).strip()
    ranked: list[tuple[float, float, str, Place]] = []
    for place in places:
        away = great_circle_km(near, place) if near is not None else 0.0
        fits = (
            wanted.issubset(place.tags)
            and region in {None, place.region}
            and (max_altitude_m is None or place.altitude_m <= max_altitude_m)
            and overnight in {None, place.overnight}
            and away <= within_km
        )
        score = _score(place, words, whole) if fits and whole else 0.0
        if fits and (score > 0 or not whole):
            ranked.append((away, -score, place.id, place))
    return [place for *_, place in sorted(ranked, key=lambda row: row[:3])]


def _score(place: Place, words: tuple[str, ...], whole: str) -> float:
    """Return how well a place answers the words: a name counts most, then where it is, then tags, then advice."""
    found = sum(weight for word in words for weight, field in _fields(place) if f" {word}" in field)
    return found + 50.0 * (whole in _names(place))


def _names(place: Place) -> tuple[str, ...]:
    """Return what a place is called."""
    return tuple(plain(name) for name in (place.id, place.name, place.local_name) if name)


@lru_cache(maxsize=4096)
def _fields(place: Place) -> tuple[tuple[float, str], ...]:
    """Return what a place is searched by, with how much a word found there counts; every word has a space before it."""
    weighted = (
        (8.0, " ".join(_names(place))),
        (6.0, f"{place.region} {place.province} {place.country}"),
        (4.0, " ".join(place.tags)),
        (1.0, f"{place.season} {place.know}"),
    )
    return tuple((weight, " " + " ".join(_split(field))) for weight, field in weighted)


def _words(text: str) -> tuple[str, ...]:
    """Return the words to look for: without plural endings, so that `lakes` finds `lake`, and without those that say nothing."""
    return tuple(_stem(word) for word in _split(text) if word not in _SAYS_NOTHING and (len(word) > 2 or not word.isascii()))


def _split(text: str) -> list[str]:
    """Return text as plain words; a hyphen parts words."""
    return re.findall(r"\w+", plain(text))


def _stem(word: str) -> str:
    """Take a plural ending off; short words stay whole."""
    for ending in ("ies", "es", "s"):
        if len(word) > len(ending) + 2 and word.endswith(ending):
            return word.removesuffix(ending)
    return word
