"""What a traveller's words name, by their shape: ages, a month, a number of days, an altitude, a budget, names of places."""

import re
from collections.abc import Mapping
from typing import Any

from handrail.apps.trips.scenarios.itineraries import Itinerary, itinerary_for

MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
)  # fmt: skip
NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
AGES = re.compile(r"\bages? ((?:\d{1,3}(?:, | and |, and )?)+)")
DAYS = re.compile(rf"\b(\d{{1,2}}|{'|'.join(NUMBERS)})[ -]days?\b")
WEEKS = re.compile(r"\b(?:a|one) week\b")
MONTH = re.compile(rf"\b(?:in|of|early|late|mid)[ -](?:the )?({'|'.join(MONTHS)})\b")
ONLY_MONTH = re.compile(rf"({'|'.join(MONTHS)})[.!]?")
BARE_MONTH = re.compile(rf"\b(?:{'|'.join(MONTHS)})\b")
BARE_NUMBER = re.compile(rf"\b(?:\d{{1,2}}|{'|'.join(NUMBERS)})\b")
AGE = re.compile(r"\b\d{1,3}\b")
HIGHEST = re.compile(r"\b(\d{1,2}[,.]?\d{3}) ?m\b")
BUDGET = re.compile(r"\b(\d[\d,]{2,}) ?(?:cny|yuan)\b")
FROM = re.compile(r"\bfrom ([\w-]+)")
MOST_WISHES = 300


def wishes(words: str) -> dict[str, Any]:
    """The fields of a brief that the words name; if they name none, the words themselves are a wish."""
    return named(words) or {"wishes": [words[:MOST_WISHES]]}


def named(words: str, before: Mapping[str, Any] = {}) -> dict[str, Any]:
    """The fields that the words name; `before` has those named earlier, whose start and places stay as long as the region does."""
    text = words.lower()
    itinerary = itinerary_for(text)
    said = {"ages": _ages(text), "month": _month(text), "days": _days(text)}
    fields: dict[str, Any] = {field: value for field, value in said.items() if value is not None}
    for field, pattern in (("highest_m", HIGHEST), ("budget_cny", BUDGET)):
        if match := pattern.search(text):
            fields[field] = int(re.sub(r"[,.]", "", match[1]))
    if itinerary is not None:
        fields |= _where(text, itinerary, before)
    return fields


def answered(field: str, words: str) -> list[int] | int | None:
    """What a bare answer says to a question about ages, month or days: "August", "30 and 31", "ten"."""
    text = words.lower()
    if field == "ages":
        return [int(age) for age in AGE.findall(text)] or None
    if field == "month":
        month = BARE_MONTH.search(text)
        return None if month is None else MONTHS.index(month[0]) + 1
    number = BARE_NUMBER.search(text)
    return None if number is None else _number(number[0])


def _where(text: str, itinerary: Itinerary, before: Mapping[str, Any]) -> dict[str, Any]:
    match = FROM.search(text)
    said = match[1] if match is not None and match[1] in itinerary.stops else None
    again = before.get("regions") == [itinerary.region]
    start = said or (before["start"] if again else itinerary.stops[0])
    found = [place for place in itinerary.stops if place != start and re.search(rf"\b{re.escape(place.replace('-', ' '))}\b", text)]
    must_go = [*(before["must_go"] if again else []), *found]
    return {"regions": [itinerary.region], "start": start, "must_go": list(dict.fromkeys(must_go))}


def _ages(text: str) -> list[int] | None:
    match = AGES.search(text)
    return [int(age) for age in re.findall(r"\d+", match[1])] if match is not None else None


def _days(text: str) -> int | None:
    if WEEKS.search(text):
        return 7
    match = DAYS.search(text)
    return None if match is None else _number(match[1])


def _number(text: str) -> int:
    return int(text) if text.isdigit() else NUMBERS.index(text) + 1


def _month(text: str) -> int | None:
    match = MONTH.search(text) or ONLY_MONTH.fullmatch(text.strip())
    return MONTHS.index(match[1]) + 1 if match is not None else None
