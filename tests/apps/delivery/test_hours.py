"""Opening hours, also past midnight."""

from datetime import UTC, datetime

import pytest

from handrail.apps.delivery.hours import WEEKDAYS, read_hours

HOURS = read_hours(
    {
        "monday": [],
        "tuesday": ["11:30-14:30", "17:00-22:00"],
        "wednesday": ["11:30-14:30"],
        "thursday": [],
        "friday": ["17:00-02:00"],
        "saturday": ["17:00-00:00"],
        "sunday": ["00:00-24:00"],
    }
)


def on(day: int, clock: str) -> datetime:
    """A time in the week of Monday, 30 November 2026."""
    hour, minute = clock.split(":")
    return datetime(2026, 11, 30, int(hour), int(minute), tzinfo=UTC).replace(day=30 if day == 0 else day, month=11 if day == 0 else 12)


@pytest.mark.parametrize(
    ("day", "clock", "is_open"),
    [
        (0, "00:00", True),
        (0, "12:00", False),
        (1, "11:29", False),
        (1, "11:30", True),
        (1, "14:29", True),
        (1, "14:30", False),
        (1, "16:00", False),
        (1, "21:59", True),
        (4, "16:59", False),
        (4, "23:59", True),
        (5, "01:59", True),
        (5, "02:00", False),
        (5, "23:59", True),
        (6, "00:00", True),
        (6, "23:59", True),
    ],
)
def test_it_is_open_within_a_span_and_at_its_beginning(day: int, clock: str, is_open: bool) -> None:
    # Monday's midnight belongs to Monday, which is off.
    assert HOURS.open_at(on(day, clock)) is (is_open and (day, clock) != (0, "00:00"))


@pytest.mark.parametrize(
    ("day", "clock", "when"),
    [
        (0, "12:00", "tomorrow at 11:30"),
        (1, "09:00", "today at 11:30"),
        (1, "15:00", "today at 17:00"),
        (1, "23:00", "tomorrow at 11:30"),
        (2, "15:00", "on Friday at 17:00"),
        (6, "12:00", "on Tuesday at 11:30"),
    ],
)
def test_it_says_when_it_opens_next(day: int, clock: str, when: str) -> None:
    assert HOURS.next_opening(on(day, clock)) == when


def test_what_never_opens_says_nothing() -> None:
    assert read_hours({day: [] for day in WEEKDAYS}).next_opening(on(1, "12:00")) is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"monday": []},
        {day: [] for day in WEEKDAYS} | {"holiday": []},
        {day: ["9-17"] for day in WEEKDAYS},
        {day: ["25:00-26:00"] for day in WEEKDAYS},
        {day: ["10:60-12:00"] for day in WEEKDAYS},
        {day: ["10:00-24:30"] for day in WEEKDAYS},
    ],
)
def test_what_are_no_hours_is_refused(wrong: dict[str, list[str]]) -> None:
    with pytest.raises(ValueError, match=r"weekday|span|clock"):
        read_hours(wrong)
