"""Opening hours: spans of a weekday, which may end after midnight, and whether a restaurant is open at a time.

- Times are those of the restaurants' own clocks; the caller brings the time in their zone.
- A span belongs to the day on which it begins: `17:00-02:00` of Friday covers one o'clock on Saturday.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

import msgspec

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
DAY = 24 * 60
SPAN = re.compile(r"(\d\d):(\d\d)-(\d\d):(\d\d)")


class Span(msgspec.Struct, frozen=True):
    """From when to when, in minutes from the beginning of the day; beyond 1,440 where it ends after midnight."""

    opens: int
    closes: int


class Hours(msgspec.Struct, frozen=True):
    """The spans of each day, Monday first."""

    days: tuple[tuple[Span, ...], ...]

    def open_at(self, at: datetime) -> bool:
        """Whether it is open at that time of the restaurant's clock."""
        minute, today = at.hour * 60 + at.minute, at.weekday()
        begun_today = any(span.opens <= minute < span.closes for span in self.days[today])
        return begun_today or any(minute + DAY < span.closes for span in self.days[today - 1])

    def next_opening(self, at: datetime) -> str | None:
        """When it opens next, in words such as `today at 17:00`; `None` where it never does."""
        minute = at.hour * 60 + at.minute
        for ahead in range(8):
            day = (at + timedelta(days=ahead)).weekday()
            for span in self.days[day]:
                if ahead or span.opens > minute:
                    when = ("today", "tomorrow")[ahead] if ahead < 2 else f"on {WEEKDAYS[day].capitalize()}"
                    return f"{when} at {span.opens // 60:02}:{span.opens % 60:02}"
        return None


def read_hours(given: Mapping[str, Sequence[str]]) -> Hours:
    """Hours from texts such as `{"monday": ["11:30-14:30", "17:00-02:00"], …}`.

    Raises:
        ValueError: a day is missing, or a text is no span.
    """
    if set(given) != set(WEEKDAYS):
        raise ValueError(f"opening hours name each weekday once, and these name {sorted(given)!r}")
    return Hours(tuple(tuple(_span(text) for text in given[day]) for day in WEEKDAYS))


def _span(text: str) -> Span:
    found = SPAN.fullmatch(text)
    if found is None:
        raise ValueError(f"a span looks like 17:00-02:00, and {text!r} does not")
    hour, minute, to_hour, to_minute = map(int, found.groups())
    opens, closes = hour * 60 + minute, to_hour * 60 + to_minute
    if minute > 59 or to_minute > 59 or opens >= DAY or closes > DAY:
        raise ValueError(f"{text!r} has a time that no clock shows")
    return Span(opens, closes if closes > opens else closes + DAY)
