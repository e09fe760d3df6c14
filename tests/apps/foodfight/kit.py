"""Fights as the tests look at them, and people who answer what the tests wrote down."""

import json
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from handrail import No, Say, ToolContext, Yes
from handrail.apps.foodfight.kitchen import Kitchen
from handrail.apps.foodfight.tables import PromoFight
from handrail.core.ring import Parsed
from handrail.tools import Failed, Lost, Returned, Tool
from handrail.vocab.facts import Ledger
from handrail.vocab.outcomes import OpenHold

AT = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)
LOOK = ("get_promo_fights", {"restaurant_id": 3})
MAKE: dict[str, Any] = {
    "restaurant_id": 3,
    "maker_outcome": 1,
    "restaurant_items": [{"menu_item_id": 301, "quantity": 2}, {"menu_item_id": 305, "quantity": 1}],
    "takeout_type": 2,
    "maker_address": "7 Sage Street",
    "maker_payment_intent": "pi_mine",
}
TAKE: dict[str, Any] = {"restaurant_id": 3, "user_preferred_outcome": 1, "bet_id": 7}


class Person:
    """Answers in turn, the last answer for ever, and keeps what it was shown."""

    def __init__(self, *answers: Yes | No | Say | None) -> None:
        self.holds: list[OpenHold] = []
        self._answers = answers

    async def __call__(self, hold: OpenHold) -> Yes | No | Say | None:
        self.holds.append(hold)
        return self._answers[min(len(self.holds), len(self._answers)) - 1]

    @property
    def shown(self) -> list[str]:
        """The documents."""
        return [str(hold.show) for hold in self.holds]


async def fights(database: AsyncEngine) -> dict[int, dict[str, Any]]:
    """Every fight with all its columns, by its number."""
    async with database.connect() as connection:
        rows = (await connection.execute(select(*PromoFight.__table__.columns))).mappings().all()
    return {row["bet_id"]: dict(row) for row in rows}


async def changed(database: AsyncEngine, before: dict[int, dict[str, Any]]) -> dict[int, dict[str, Any]]:
    """The fights that are new or other than they were."""
    return {number: row for number, row in (await fights(database)).items() if before.get(number) != row}


async def ran(
    tool: Tool, kitchen: Kitchen, arguments: dict[str, Any], *, key: str = "run/t1c1", ledger: Ledger | None = None
) -> Returned | Failed | Lost:
    """A tool, run on arguments that have passed its declaration."""
    parsed = tool.parse(json.dumps(arguments))
    assert isinstance(parsed, Parsed), parsed
    return await tool.run(parsed.canonical, ToolContext(deps=kitchen, idempotency_key=key, ledger=ledger or Ledger()))


async def value(tool: Tool, kitchen: Kitchen, arguments: dict[str, Any], **more: Any) -> Any:
    """What a tool returns, where it does."""
    came = await ran(tool, kitchen, arguments, **more)
    assert isinstance(came, Returned), came
    return json.loads(came.content)
