"""A broken rule of JSON Schema in words, with the value that broke it."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from jsonschema_rs import ValidationError

from handrail.tools.wording import cut, listed, shortened

_TYPES = {
    "array": "a list",
    "boolean": "true or false",
    "integer": "an integer",
    "null": "null",
    "number": "a number",
    "object": "an object",
    "string": "a string",
}
_FORMATS = {
    "date": "a date such as 2025-01-31",
    "date-time": "a time with its offset such as 2025-01-31T09:30:00+01:00",
    "duration": "an ISO 8601 duration such as PT90M",
    "uuid": "a UUID such as 123e4567-e89b-12d3-a456-426614174000",
}


def types(names: Iterable[str]) -> str:
    """JSON's types as words."""
    return " or ".join(_TYPES.get(name, name) for name in sorted(names))


def _count(limit: int, what: str) -> str:
    return f"{limit} {what}{'' if limit == 1 else 's'}"


_RULES: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "type": lambda kind: f"be {types(kind['types'])}",
    "enum": lambda kind: f"be one of {listed(kind['options'])}",
    "const": lambda kind: f"be {cut(kind['expected_value'])}",
    "minLength": lambda kind: f"have at least {_count(kind['limit'], 'character')}",
    "maxLength": lambda kind: f"have at most {_count(kind['limit'], 'character')}",
    "minItems": lambda kind: f"have at least {_count(kind['limit'], 'item')}",
    "maxItems": lambda kind: f"have at most {_count(kind['limit'], 'item')}",
    "minProperties": lambda kind: f"have at least {_count(kind['limit'], 'key')}",
    "maxProperties": lambda kind: f"have at most {_count(kind['limit'], 'key')}",
    "uniqueItems": lambda kind: "have no item twice",
    "minimum": lambda kind: f"be at least {kind['limit']}",
    "maximum": lambda kind: f"be at most {kind['limit']}",
    "exclusiveMinimum": lambda kind: f"be more than {kind['limit']}",
    "exclusiveMaximum": lambda kind: f"be less than {kind['limit']}",
    "multipleOf": lambda kind: f"be a multiple of {kind['multiple_of']}",
    "pattern": lambda kind: f"match the pattern {cut(kind['pattern'], 120)}",
    "format": lambda kind: f"be {_FORMATS.get(kind['format'], 'of the format ' + kind['format'])}",
}


def rule(error: ValidationError) -> str:
    """What the value must do, and the value: `must be at most 50, not 99`."""
    words = _RULES.get(error.kind.name)
    if words is None:
        return f"is not valid: {shortened(error.message, 200)}"
    return f"must {words(error.kind.as_dict())}, not {cut(error.instance)}"
