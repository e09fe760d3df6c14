"""Tests of the pages are run at any hour, and the restaurants' clocks always say the same one."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from tests.web.served import AFTERNOON, zone_at


@pytest.mark.parametrize("hour", range(24))
def test_whatever_the_hour_it_is_afternoon_at_the_restaurants(hour: int) -> None:
    now = datetime(2026, 12, 1, hour, 30, tzinfo=UTC)
    assert now.astimezone(ZoneInfo(zone_at(AFTERNOON, now=now))).hour == AFTERNOON
