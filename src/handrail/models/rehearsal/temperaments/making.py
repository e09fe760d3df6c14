"""What temperaments are made of: earlier calls, values that have come up, arguments that look right, and changes to arguments.

Nothing here knows any tool: names and schemas of the conversation's own tools are all that there is to go by.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from handrail.models.rehearsal.conversation import arguments_of
from handrail.models.rehearsal.scenario import Arguments, Call, Conversation, Move
from handrail.models.rehearsal.slots import FORMATS
from handrail.models.rehearsal.temperament import Dice

LAST_STEP = re.compile(r"^(?:submit|final|finish|complete|deliver|book|order|buy|pay|send|save|create|place|verdict)", re.IGNORECASE)
LOOKING = re.compile(r"search|find|look|list|get|browse|query|check|estimate", re.IGNORECASE)
WORD = re.compile(r"[A-Za-z][\w-]{2,}")
DEEPEST = 8
MOST_ITEMS = 4
FURTHEST = 600


def earlier_calls(conversation: Conversation) -> list[tuple[str, dict[str, Any]]]:
    """Every call of the conversation, in order, as its arguments stand in the request."""
    made = [call["function"] for message in conversation.messages for call in message.get("tool_calls") or ()]
    return [(call["name"], arguments_of(call)) for call in made]


def last_step(conversation: Conversation) -> str | None:
    """The tool that looks like the last step: by its name, else the one that was declared last."""
    if conversation.choice in conversation.declarations:
        return conversation.choice
    names = list(conversation.declarations)
    return next((name for name in reversed(names) if LAST_STEP.match(name)), names[-1] if names else None)


def looking_tools(conversation: Conversation) -> list[str]:
    """The tools that look something up, by their names; else those that are no last step."""
    names = [name for name in conversation.declarations if LOOKING.search(name)]
    return names or [name for name in conversation.declarations if name != last_step(conversation)]


def values_seen(conversation: Conversation) -> list[str]:
    """Short texts that have come up in results, those that look like ids first."""
    found: dict[str, None] = {}
    for result in conversation.results:
        if result.error is None:
            found.update(dict.fromkeys(_texts(result.value)))
    return sorted(found, key=lambda text: " " in text)


def plausible(conversation: Conversation, tool: str, dice: Dice) -> dict[str, Any]:
    """Arguments that fit the tool's schema, filled from what has come up; nothing that makes sense beyond that."""
    schema = conversation.declarations.get(tool, {}).get("parameters", {})
    words = values_seen(conversation)[:40] or WORD.findall(conversation.user)[:12] or ["x"]
    value = _Filling(dice, words, schema.get("$defs", {})).value(schema, "", 0)
    return value if isinstance(value, dict) else {}


def changed(value: Any, change: Callable[[Any], Any]) -> Any:
    """The value with every leaf put through `change`."""
    match value:
        case Mapping():
            return {key: changed(item, change) for key, item in value.items()}
        case list() | tuple():
            return [changed(item, change) for item in value]
        case _:
            return change(value)


def with_arguments(move: Move, change: Callable[[str, dict[str, Any]], Arguments]) -> Move:
    """The move with each call's arguments changed; a text stays as it is, and so do arguments that are broken already."""
    if not isinstance(move, Call):
        return move
    made = tuple((tool, change(tool, dict(given)) if isinstance(given, Mapping) else given) for tool, given in move.calls)
    return Call(calls=made, text=move.text)


def schema_of(conversation: Conversation, tool: str) -> Mapping[str, Any]:
    """The tool's parameters, or nothing."""
    found: Mapping[str, Any] = conversation.declarations.get(tool, {}).get("parameters", {})
    return found


class _Filling:
    """Fills a schema from dice and words."""

    def __init__(self, dice: Dice, words: Sequence[str], definitions: Mapping[str, Any]) -> None:
        self._dice = dice
        self._words = words
        self._definitions = definitions

    def value(self, schema: Mapping[str, Any], name: str, number: int, depth: int = 0) -> Any:
        """A value for the property `name`; `number` is its item's place in a list, from 1."""
        if depth > DEEPEST:
            return None
        if "$ref" in schema:
            return self.value(self._definitions.get(str(schema["$ref"]).rsplit("/", 1)[-1], {}), name, number, depth + 1)
        if "const" in schema:
            return schema["const"]
        if schema.get("enum"):
            return self._dice.choice(schema["enum"])
        for union in ("anyOf", "oneOf", "allOf"):
            if schema.get(union):
                return self.value(self._dice.choice(schema[union]), name, number, depth + 1)
        kind = schema.get("type")
        return self._typed(kind[0] if isinstance(kind, list) else kind, schema, name, number, depth)

    def _typed(self, kind: Any, schema: Mapping[str, Any], name: str, number: int, depth: int) -> Any:
        match kind:
            case "object":
                return self._object(schema, number, depth)
            case "array":
                most = min(schema.get("maxItems", MOST_ITEMS), MOST_ITEMS)
                count = self._dice.randint(min(max(1, schema.get("minItems", 1)), most), most)
                return [self.value(schema.get("items", {}), name, at, depth + 1) for at in range(1, count + 1)]
            case "integer" | "number":
                return self._number(schema, number if schema.get("minimum") == 1 else 0)
            case "boolean":
                return self._dice.happens(0.5)
            case "null":
                return None
            case _:
                return FORMATS.get(schema.get("format", "")) or self._dice.choice(self._words)[: schema.get("maxLength", 200)]

    def _object(self, schema: Mapping[str, Any], number: int, depth: int) -> dict[str, Any]:
        required = schema.get("required", ())
        wanted = [key for key in schema.get("properties", {}) if key in required or self._dice.happens(0.5)]
        return {key: self.value(schema["properties"][key], key, number, depth + 1) for key in wanted}

    def _number(self, schema: Mapping[str, Any], number: int) -> int:
        if number:
            return number  # numbered from 1, as the items of a list often are
        least = int(schema.get("minimum", schema.get("exclusiveMinimum", -1) + 1))
        most = int(schema.get("maximum", least + FURTHEST))
        return self._dice.randint(least, max(least, min(most, least + FURTHEST)))


def _texts(value: Any, key: str = "", depth: int = 0) -> Iterator[str]:
    if depth > DEEPEST:
        return
    if isinstance(value, str):
        if 1 < len(value) <= 40 and (not key or key in {"id", "name"} or key.endswith("_id")):
            yield value
    elif isinstance(value, Mapping):
        for inner, item in value.items():
            yield from _texts(item, str(inner), depth + 1)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item, key, depth + 1)


def slug(text: str) -> str:
    """A text as an id would have it."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "x"
