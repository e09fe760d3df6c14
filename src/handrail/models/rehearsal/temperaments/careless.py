"""`careless`: ignores what it was told. Fields are left out, numbers are other numbers, lists are shorter, and old arguments come again."""

from collections.abc import Mapping
from typing import Any

from handrail.models.rehearsal.scenario import Conversation, Move
from handrail.models.rehearsal.temperament import Bent, Dice
from handrail.models.rehearsal.temperaments.making import earlier_calls, schema_of, values_seen, with_arguments

FACTORS = (0.5, 0.8, 1.25, 2, 3)


class Careless:
    """The more careless, the more is wrong in a call. What it makes of the arguments still looks like arguments."""

    def bend(self, move: Move, conversation: Conversation, dice: Dice) -> Bent:
        """Get something wrong."""
        if not dice.happens(0.3 + 0.6 * dice.habit):
            return move
        stale = earlier_calls(conversation)

        def wrong(tool: str, given: dict[str, Any]) -> dict[str, Any]:
            before = [old for name, old in stale if name == tool]
            if before and dice.happens(0.25):
                return dice.choice(before)
            required = schema_of(conversation, tool).get("required", ())
            kept = {key: value for key, value in given.items() if key in required or not dice.happens(0.25)}
            return {key: _wrong(value, values_seen(conversation), dice) for key, value in kept.items()}

        return with_arguments(move, wrong)


def _wrong(value: Any, seen: list[str], dice: Dice) -> Any:
    match value:
        case bool():
            return value != dice.happens(0.2)
        case int() | float():
            return round(value * dice.choice(FACTORS)) if dice.happens(0.3) else value
        case str():
            return dice.choice(seen) if seen and dice.happens(0.2) else value
        case list():
            kept = [item for item in value if not dice.happens(0.15)] or value[:1]
            return [_wrong(item, seen, dice) for item in kept]
        case Mapping():
            return {key: _wrong(item, seen, dice) for key, item in value.items()}
        case _:
            return value
