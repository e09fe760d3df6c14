"""`careless`: ignores what it was told.

- It mishears, and always the same in one conversation: a field of a result is forgotten, a number is another number, a list is shorter.
- Once there are results it may go on from what the user said first, as if nothing had been said since.
- It makes slips: one value of a call is wrong, two things are mixed up, or old arguments come again.
"""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from handrail.models.rehearsal.scenario import Conversation, Move, ToolResult
from handrail.models.rehearsal.temperament import Bent, Dice
from handrail.models.rehearsal.temperaments.making import earlier_calls, schema_of, values_seen, with_arguments

FACTORS = (0.5, 0.8, 1.25, 2, 3)
MISHEARD = 0.2


class Careless:
    """The more careless, the more is misheard, and the more slips it makes. What comes of it still looks like arguments."""

    def hears(self, conversation: Conversation, dice: Dice) -> Conversation:
        """Get what it was told wrong."""
        results = tuple(_misheard(result, dice.habit) for result in conversation.results)
        ignores = len(conversation.said) > 1 and results and Dice(f"{dice.habit}:last words").happens(dice.habit)
        said = conversation.said[:1] * len(conversation.said) if ignores else conversation.said
        return replace(conversation, results=results, said=said)

    def bend(self, move: Move, conversation: Conversation, dice: Dice) -> Bent:
        """Make a slip."""
        if not dice.happens(0.02 + 0.2 * dice.habit):
            return move
        stale, seen = earlier_calls(conversation), values_seen(conversation)

        def wrong(tool: str, given: dict[str, Any]) -> dict[str, Any]:
            before = [old for name, old in stale if name == tool]
            if before and dice.happens(0.2):
                return dice.choice(before)
            if dice.happens(0.6):
                return _slip(given, seen, dice)
            required = schema_of(conversation, tool).get("required", ())
            kept = {key: value for key, value in given.items() if key in required or not dice.happens(0.25)}
            return {key: _wrong(value, seen, dice) for key, value in kept.items()}

        return with_arguments(move, wrong)


def _misheard(result: ToolResult, habit: float) -> ToolResult:
    if result.error is not None or not isinstance(result.value, dict | list):
        return result
    value = _remembered(result.value, f"{habit}:{result.tool}", MISHEARD * habit)
    return replace(result, value=value, content=msgspec.json.encode(value).decode())


def _remembered(value: Any, name: str, probability: float) -> Any:
    """A value as it is remembered. Chance depends on the field's name alone, so that it is remembered the same way every time."""
    dice = Dice(name)
    match value:
        case Mapping():
            known = {key: item for key, item in value.items() if not Dice(f"{name}.{key}?").happens(probability) or _is_needed(item)}
            return {key: _remembered(item, f"{name}.{key}", probability) for key, item in known.items()}
        case [str(), *_] if dice.happens(2 * probability):
            return value[1:]
        case list():
            return [_remembered(item, name, probability) for item in value]
        case int() | float() if not isinstance(value, bool) and dice.happens(2 * probability):
            return round(value * dice.choice(FACTORS))
        case _:
            return value


def _is_needed(item: Any) -> bool:
    """What a thing is called and what it consists of is not forgotten: nothing could be made of the rest."""
    return isinstance(item, str | Mapping | list)


def _slip(given: dict[str, Any], seen: list[str], dice: Dice) -> dict[str, Any]:
    """The same with one thing wrong somewhere."""
    slipped: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(given))
    places = list(_places(slipped))
    if places:
        within, key = dice.choice(places)
        within[key] = _once_wrong(within[key], seen, dice)
    return slipped


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Every place in it where something stands."""
    keys: list[Any] = list(value) if isinstance(value, dict) else list(range(len(value))) if isinstance(value, list) else []
    return [(value, key) for key in keys] + [place for key in keys for place in _places(value[key])]


def _once_wrong(value: Any, seen: list[str], dice: Dice) -> Any:
    match value:
        case bool():
            return not value
        case int() | float():
            return round(value * dice.choice(FACTORS))
        case str():
            return dice.choice(seen) if seen else value
        case [dict() as first, dict() as second, *rest]:
            return [_merged(first, second), *rest] if dice.happens(0.5) else [second, first, *rest]
        case [_, *rest]:
            return rest or value
        case _:
            return value


def _merged(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Two things taken for one: lists joined, of everything else the second's."""
    both = {**first, **second}
    return {
        key: [*first[key], *item] if isinstance(item, list) and isinstance(first.get(key), list) else item for key, item in both.items()
    }


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
