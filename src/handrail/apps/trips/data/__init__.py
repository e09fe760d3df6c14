"""The embedded data set, read from the JSON lines beside this file (see README.md there).

Rules: nothing is read before it is asked for; it is read once; what it gives is frozen.
"""

from functools import cache
from importlib.resources import files
from typing import TypeVar

import msgspec

from handrail.apps.trips.geography import Flight, Hotel, Note, Place, Road, RoadMap, road_map

T = TypeVar("T")


class Atlas(msgspec.Struct, frozen=True, kw_only=True):
    """All of the data set; `places` keeps the order of its file."""

    places: dict[str, Place]
    roads: tuple[Road, ...]
    road_map: RoadMap
    flights: tuple[Flight, ...]
    hotels: tuple[Hotel, ...]
    notes: tuple[Note, ...]


@cache
def atlas() -> Atlas:
    """Return the data set."""
    roads = _rows("roads", Road)
    return Atlas(
        places={place.id: place for place in _rows("places", Place)},
        roads=roads,
        road_map=road_map(roads),
        flights=_rows("flights", Flight),
        hotels=_rows("hotels", Hotel),
        notes=_rows("notes", Note),
    )


def _rows(name: str, kind: type[T]) -> tuple[T, ...]:
    """Read one file, a row a line."""
    text = files(__name__).joinpath(f"{name}.jsonl").read_bytes()
    return tuple(msgspec.json.Decoder(kind).decode_lines(text))
