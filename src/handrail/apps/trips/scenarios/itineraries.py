"""The three trips that the stand-in knows, each a loop of places to sleep in, and how their stops become days.

Everything about them is looked up and computed again in each run: here is only the order of the stops.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import msgspec


class Itinerary(msgspec.Struct, frozen=True, kw_only=True):
    """A loop.

    Args:
        title: what it is called.
        region: where its nights are.
        words: one of them in what the traveller says means this trip.
        stops: ids, the start first.
        notes: what to look up in the travel notes.
    """

    title: str
    region: str
    words: tuple[str, ...]
    stops: tuple[str, ...]
    notes: str


SICHUAN = Itinerary(
    title="western Sichuan",
    region="western-sichuan",
    words=("sichuan", "plateau", "chengdu", "litang", "danba", "kangding"),
    stops=(
        "chengdu", "luding", "kangding", "xinduqiao", "yajiang", "litang", "yajiang", "xinduqiao", "tagong", "danba", "xiaojin",
        "siguniang-town", "wolong", "chengdu",
    ),
    notes="altitude",
)  # fmt: skip
HAINAN = Itinerary(
    title="Hainan",
    region="hainan",
    words=("hainan", "haikou", "sanya", "island"),
    stops=("haikou", "wenchang", "boao", "xinglong", "lingshui", "sanya", "baoting", "wuzhishan", "qiongzhong", "haikou"),
    notes="beach",
)
TENERIFE = Itinerary(
    title="Tenerife",
    region="tenerife",
    words=("tenerife", "teide", "canar"),
    stops=(
        "los-cristianos", "vilaflor", "puerto-de-la-cruz", "garachico", "la-laguna", "santa-cruz-tenerife", "candelaria", "los-cristianos",
    ),
    notes="roads",
)  # fmt: skip
ITINERARIES = (SICHUAN, HAINAN, TENERIFE)

Leg = tuple[str, str]


def itinerary_for(text: str) -> Itinerary | None:
    """The trip whose word comes last in the text: people change their minds towards the end."""
    found = [(text.lower().rfind(word), itinerary) for itinerary in ITINERARIES for word in itinerary.words]
    at, itinerary = max(found, key=lambda pair: pair[0])
    return itinerary if at >= 0 else None


def legs_between(stops: Sequence[str]) -> list[Leg]:
    """The drives from stop to stop."""
    return [(origin, destination) for origin, destination in pairwise(stops) if origin != destination]


def days_of(legs: Sequence[Leg], minutes: Mapping[Leg, int], *, most: int, days: int) -> list[list[Leg]]:
    """The drives of each day: as many days as are wanted, none longer than `most` minutes where that can be, some without a drive."""
    caps = sorted({sum(minutes[leg] for leg in legs[first:last]) for last in range(len(legs) + 1) for first in range(last)})
    fitting = (_packed(legs, minutes, cap) for cap in caps if cap <= most)
    packed = next((each for each in fitting if len(each) <= days), None) or _packed(legs, minutes, most)
    while len(packed) < days and any(len(day) > 1 for day in packed):
        longest = max((day for day in packed if len(day) > 1), key=lambda day: sum(minutes[leg] for leg in day))
        at = packed.index(longest)
        packed[at : at + 1] = [longest[:-1], longest[-1:]]
    while len(packed) < days:
        packed.insert(max(1, len(packed) // 2), [])
    return packed[:days]


def _packed(legs: Sequence[Leg], minutes: Mapping[Leg, int], most: int) -> list[list[Leg]]:
    """The drives in days that are as full as they may be."""
    packed: list[list[Leg]] = []
    for leg in legs:
        if packed and sum(minutes[each] for each in packed[-1]) + minutes[leg] <= most:
            packed[-1].append(leg)
        else:
            packed.append([leg])
    return packed


def plan_of(
    days: Sequence[Sequence[Leg]], minutes: Mapping[Leg, int], *, beds: Mapping[str, str], names: Mapping[str, str], start: str
) -> list[dict[str, Any]]:
    """The days as `submit_plan` takes them. Who is back where they began on the last day needs no bed there."""
    here, planned = start, []
    for number, legs in enumerate(days, 1):
        here = legs[-1][1] if legs else here
        home = number == len(days) > 1 and here == start
        day: dict[str, Any] = {
            "day": number,
            "legs": [{"origin": leg[0], "destination": leg[1], "minutes": minutes[leg]} for leg in legs],
            "stay": None if home else here,
            "drive_hours": round(sum(minutes[leg] for leg in legs) / 60, 2),
            "note": f"On the road to {names.get(here, here)}." if legs else "A day to rest and look around.",
        }
        planned.append(day | ({"hotel": beds[here]} if here in beds and not home else {}))
    return planned
