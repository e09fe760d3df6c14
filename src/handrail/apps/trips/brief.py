"""The brief: what the travellers want and bear, read from the facts that they have said yes to.

Rules: every field is a fact of its own (`kind="brief"`, `key` the field), so a later brief replaces only the fields that it names; what
is not known limits nothing, but for the hours a day: whoever did not say how old they are is treated with care.
"""

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any

import msgspec

from handrail import Fact, Ledger

KIND = "brief"
FIELDS = ("ages", "month", "start_date", "days", "budget_cny", "highest_m", "must_go", "start", "regions", "wishes")
NEEDED = ("ages", "days", "month")
"""Fields without which nothing can be planned; a start date stands for a month."""

ELDERLY = 65
SMALL_CHILD = 8
HOURS = 6
CAREFUL_HOURS = 4

_LABELS = {
    "ages": "Ages of the party",
    "month": "Month",
    "start_date": "First day",
    "days": "Days",
    "budget_cny": "Budget for beds and flights, CNY",
    "highest_m": "Highest place to stop or sleep at, m",
    "must_go": "Must be in",
    "start": "Start",
    "regions": "Region",
    "wishes": "Other wishes",
}


class Brief(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of the party and the trip; `None` or empty where nothing is.

    Args:
        ages: of everybody who travels, in years.
        month: 1 to 12.
        start_date: the first day.
        days: how long.
        budget_cny: for beds and flights, everybody together.
        highest_m: metres; no stop and no night above it. Passes that are only crossed do not count.
        must_go: ids of places that have to be in.
        start: the id of the place where the trip begins.
        regions: where the nights are to be; a night at the start is allowed as well.
        wishes: anything else, in the travellers' words.
    """

    ages: tuple[int, ...] = ()
    month: int | None = None
    start_date: date | None = None
    days: int | None = None
    budget_cny: int | None = None
    highest_m: int | None = None
    must_go: tuple[str, ...] = ()
    start: str | None = None
    regions: tuple[str, ...] = ()
    wishes: tuple[str, ...] = ()

    @property
    def careful(self) -> bool:
        """Whether somebody elderly or a small child travels, or might."""
        return not self.ages or any(age >= ELDERLY or age < SMALL_CHILD for age in self.ages)

    @property
    def hours_a_day(self) -> int:
        """How long the party may drive on one day."""
        return CAREFUL_HOURS if self.careful else HOURS

    @property
    def rooms(self) -> int:
        """A room for two."""
        return max(1, (len(self.ages) + 1) // 2)

    def allows_altitude(self, altitude_m: int | None) -> bool:
        """Whether the party bears it; an altitude that is not known is no reason against a place."""
        return self.highest_m is None or altitude_m is None or altitude_m <= self.highest_m

    def allows_night(self, place_id: str, region: str | None) -> bool:
        """Whether a night there is where the travellers want to be."""
        return not self.regions or region is None or region in self.regions or place_id == self.start


def brief_of(facts: Iterable[Fact]) -> Brief:
    """The brief that facts add up to: for each field the latest, those with a yes before those without."""
    found: dict[str, Any] = {}
    for fact in sorted((fact for fact in facts if fact.kind == KIND and fact.key in FIELDS), key=lambda fact: fact.confirmed):
        found[str(fact.key)] = fact.value
    return msgspec.convert({key: value for key, value in found.items() if value is not None}, Brief)


def brief_in(ledger: Ledger) -> Brief:
    """The brief that a ledger holds."""
    return brief_of(ledger.of(KIND))


def plain_brief(brief: Brief) -> dict[str, Any]:
    """The fields that are known, as JSON has them."""
    fields: dict[str, Any] = msgspec.to_builtins(brief)
    return {key: value for key, value in fields.items() if value not in (None, [], ())}


def shown(arguments: Mapping[str, Any], ledger: Ledger) -> str:
    """The document that travellers say yes to: what is new, and what stays as they said before."""
    new = [_line(key, arguments[key]) for key in FIELDS if key in arguments]
    known = plain_brief(brief_in(ledger))
    kept = [_line(key, known[key]) for key in FIELDS if key in known and key not in arguments]
    return "\n".join(["This is how I understood you:", *new, *(["As before:", *kept] if kept else []), "Is that right?"])


def _line(key: str, value: Any) -> str:
    shown = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    return f"- {_LABELS[key]}: {shown or 'none'}"
