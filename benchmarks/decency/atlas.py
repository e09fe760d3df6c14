"""The trips data set as the judge reads it: its files, and nothing of the planner's."""

import heapq
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

DATA = Path(__file__).parents[2] / "src" / "handrail" / "apps" / "trips" / "data"


class Atlas(msgspec.Struct, frozen=True, kw_only=True):
    """What the data set says.

    Args:
        places: rows by id.
        ids: a place's id by each name that it goes by, in small letters.
        roads: from a place to others: the minutes, and the months in which the road is closed.
        flights: rows by id.
        hotels: rows by id.
    """

    places: dict[str, dict[str, Any]]
    ids: dict[str, str]
    roads: dict[str, list[tuple[str, int, frozenset[int]]]]
    flights: dict[str, dict[str, Any]]
    hotels: dict[str, dict[str, Any]]

    def night_cny(self, hotel_id: str, month: int) -> int:
        """The price of a room for a night."""
        hotel = self.hotels[hotel_id]
        return int(hotel["high_cny"] if month in hotel["high_months"] else hotel["low_cny"])

    def minutes(self, origin: str, destination: str, month: int) -> int | None:
        """The fastest drive on the roads that are open in the month, or None."""
        best, queue = {origin: 0}, [(0, origin)]
        while queue:
            so_far, here = heapq.heappop(queue)
            if here == destination:
                return so_far
            for there, minutes, closed in self.roads.get(here, ()):
                if month not in closed and so_far + minutes < best.get(there, so_far + minutes + 1):
                    best[there] = so_far + minutes
                    heapq.heappush(queue, (so_far + minutes, there))
        return None


@cache
def atlas() -> Atlas:
    """The data set, read once."""
    places = {row["id"]: row for row in _rows("places")}
    roads: dict[str, list[tuple[str, int, frozenset[int]]]] = {}
    for row in _rows("roads"):
        for one, other in ((row["a"], row["b"]), (row["b"], row["a"])):
            roads.setdefault(one, []).append((other, row["minutes"], frozenset(row["closed_months"])))
    ids = {row[name].casefold(): id for id, row in places.items() for name in ("id", "name", "local_name") if row[name]}
    flights, hotels = ({row["id"]: row for row in _rows(name)} for name in ("flights", "hotels"))
    return Atlas(places=places, ids=ids, roads=roads, flights=flights, hotels=hotels)


def _rows(name: str) -> Iterator[dict[str, Any]]:
    yield from map(json.loads, (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines())
