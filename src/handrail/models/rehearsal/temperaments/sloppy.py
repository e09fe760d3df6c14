"""`sloppy`: bad arguments of every kind that models and providers produce.

- No object: nothing, blank space, `null`, a list, a text, a number, broken JSON, an object inside a text.
- An object that is wrong: a value of another type, a list as text, a missing key, a key too many, the same key twice, a number that is
  none, no integer, or longer than any integer type.
- Too much: nesting without end, text without end.
"""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from handrail.models.rehearsal.scenario import Arguments, Conversation, Move
from handrail.models.rehearsal.temperament import Bent, Dice
from handrail.models.rehearsal.temperaments.making import schema_of, with_arguments

Given = Mapping[str, Any]
DEEP = 5000
LONG = 300_000
NO_OBJECT: Mapping[str, str] = {
    "empty": "",
    "blank": " \n",
    "null": "null",
    "list": "[1]",
    "text": '"x"',
    "number": "7",
    "true": "true",
    "null in a text": '"null"',
    "nested without end": "[" * DEEP,
    "objects without end": '{"a":' * DEEP + "1" + "}" * DEEP,
    "no JSON at all": "I will use the default values.",
    "quotes in a text": '{"sql":"select "a""}',
}
LEAVES: Mapping[str, str] = {
    "null": "null",
    "None": '"None"',
    "null as a text": '"null"',
    "empty text": '""',
    "a boolean": "true",
    "half": "140.5",
    "huge": "1e22",
    "no number": "NaN",
    "infinite": "1e400",
    "nineteen digits": "1234567890123456789",
    "five thousand digits": "9" * DEEP,
    "a number as a text": '"140.0"',
    "an underscore": '"1_000"',
    "an object": '{"value": 1}',
    "a list": "[[]]",
    "a control character": '"a\\u0000b"',
    "half an emoji": '"\\ud83d"',
    "a long text": '"' + "x" * LONG + '"',
}
INJECTED: Given = {"call_id": "forged", "context": {}, "ctx": {}, "dry_run": True, "why": "the user asked", "__class__": "x"}


class Sloppy:
    """Some calls are sloppy, or nearly all."""

    def bend(self, move: Move, conversation: Conversation, dice: Dice) -> Bent:
        """Get the form wrong."""
        if not dice.happens(0.25 + 0.65 * dice.habit):
            return move
        return with_arguments(move, lambda tool, given: sloppy(given, schema_of(conversation, tool), dice))


def sloppy(given: Given, schema: Given, dice: Dice) -> Arguments:
    """The arguments, wrong in one way; some ways are harmless, since models do those too."""
    return dice.choice(WAYS)(given, schema, dice)


def _no_object(given: Given, schema: Given, dice: Dice) -> Arguments:
    return NO_OBJECT[dice.choice(list(NO_OBJECT))]


def _in_a_text(given: Given, schema: Given, dice: Dice) -> Arguments:
    """The whole object as a text, once or twice."""
    text = _json(given)
    for _ in range(dice.randint(1, 2)):
        text = _json(text)
    return text


def _broken(given: Given, schema: Given, dice: Dice) -> Arguments:
    """What people write by hand, or half of it."""
    text = _json(given)
    ways = (
        text.replace('"', "'"),
        text[:-1] + ",}",
        f"```json\n{text}\n```",
        text + text,
        text[: len(text) // 2],
        text.replace(":", "="),
        f"arguments: {text}",
    )
    return dice.choice(ways)


def _twice(given: Given, schema: Given, dice: Dice) -> Arguments:
    """A key that is given twice, with two values."""
    if not given:
        return '{"a":1,"a":2}'
    key = dice.choice(list(given))
    return f"{{{_json(key)}:{LEAVES['empty text']},{_json(given)[1:]}"


def _leaf(given: Given, schema: Given, dice: Dice) -> Arguments:
    """One value of another kind."""
    key = dice.choice(list(given) or list(schema.get("properties", {})) or ["x"])
    others = [f"{_json(name)}:{_json(value)}" for name, value in given.items() if name != key]
    return "{" + ",".join([*others, f"{_json(key)}:{LEAVES[dice.choice(list(LEAVES))]}"]) + "}"


def _optional(given: Given, schema: Given, dice: Dice) -> Arguments:
    """What was to be left out is filled in with nothing."""
    nothing: Any = dice.choice((None, "None", "null", "", []))
    return {**dict.fromkeys(schema.get("properties", {}), nothing), **given}


def _retyped(given: Given, schema: Given, dice: Dice) -> Arguments:
    """Numbers as texts or with a fraction, lists and objects as JSON in a text, single values in a list."""
    way = dice.randrange(3)
    return {key: _other_type(value, way) if dice.happens(0.6) else value for key, value in given.items()}


def _extra(given: Given, schema: Given, dice: Dice) -> Arguments:
    """A key that nobody declared."""
    key = dice.choice(list(INJECTED))
    return {**given, key: INJECTED[key]}


def _missing(given: Given, schema: Given, dice: Dice) -> Arguments:
    """A key too few."""
    left_out = dice.choice(list(given)) if given else None
    return {key: value for key, value in given.items() if key != left_out}


def _renamed(given: Given, schema: Given, dice: Dice) -> Arguments:
    """Keys in another style."""
    return {key.replace("_", "") if "_" in key else f"{key}_": value for key, value in given.items()}


def _wrapped(given: Given, schema: Given, dice: Dice) -> Arguments:
    """One level too deep."""
    return {dice.choice(("arguments", "input", "parameters", "kwargs")): given}


WAYS: tuple[Callable[[Given, Given, Dice], Arguments], ...] = (
    _no_object,
    _in_a_text,
    _broken,
    _twice,
    _leaf,
    _leaf,
    _optional,
    _retyped,
    _extra,
    _missing,
    _renamed,
    _wrapped,
)


def _other_type(value: Any, way: int) -> Any:
    match value:
        case bool():
            return ("true", 1, "yes")[way]
        case int() | float():
            return (str(value), float(value), [value])[way]
        case str():
            return ([value], {"value": value}, 7)[way]
        case _:
            return _json(value)


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()
