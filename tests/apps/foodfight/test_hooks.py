"""Logging and analytics: what they are told, and what they are never told."""

import logging
from typing import Any

import pytest

from handrail import Fact, Ledger
from handrail.apps.foodfight.fight_tools import create_promo_fight, get_promo_fights
from handrail.apps.foodfight.hooks import Analytics, LoggingHooks, ToolStart, around
from handrail.apps.foodfight.kitchen import Kitchen
from handrail.service.database import make_engine
from tests.apps.foodfight.kit import MAKE, ran


async def test_a_call_is_logged_with_its_ids_and_its_time() -> None:
    ticks = iter([10.0, 12.5])
    analytics = Analytics()
    async with around((analytics,), ToolStart(tool="look", run_id="run_1", call_id="t1c1"), seconds=lambda: next(ticks)):
        assert analytics.started == {"look": 1} and analytics.ended == {}
    assert analytics.ended == {("look", "returned"): 1} and analytics.seconds == {"look": 2.5}


async def test_a_tool_that_is_stopped_half_way_has_an_end_too() -> None:
    analytics = Analytics()
    with pytest.raises(KeyError):
        async with around((analytics,), ToolStart(tool="look", run_id="run_1", call_id="t1c1")):
            raise KeyError
    assert analytics.ended == {("look", "unknown"): 1}


async def test_case_75_no_log_has_an_address_or_a_payment_intent(kitchen: Kitchen, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    logged = Kitchen(database=kitchen.database, hooks=(LoggingHooks(),))
    await ran(create_promo_fight, logged, MAKE)
    ours = [record.getMessage() for record in caplog.records if record.name == "handrail.apps.foodfight"]
    assert [line.split()[:2] for line in ours] == [["create_promo_fight", "starts"], ["create_promo_fight", "returned"]]
    assert "Sage" not in caplog.text and "pi_mine" not in caplog.text


async def test_a_write_that_nobody_knows_of_is_counted_as_such(sqlite_url: str) -> None:
    engine, analytics = make_engine(sqlite_url), Analytics()
    nowhere = Kitchen(database=engine, hooks=(analytics,))
    known: Any = Ledger((Fact("restaurant", 3),))
    await ran(create_promo_fight, nowhere, MAKE, ledger=known)
    await ran(get_promo_fights, nowhere, {})
    await engine.dispose()
    assert analytics.ended == {("create_promo_fight", "unknown"): 1, ("get_promo_fights", "failed"): 1}
