"""Filling slots: values picked out of a text by their shape, and arguments made up from a schema. No language is understood here."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+")
"""Each part is as long as an address allows, and begins where a word does: a long text is gone through once."""
NUMBER = re.compile(r"(?<![\w.@-])\d{1,18}(?![\w@])")
FORMATS = {
    "date": "2026-07-01",
    "date-time": "2026-07-01T10:00:00Z",
    "time": "10:00:00Z",
    "duration": "PT1H",
    "email": "someone@example.com",
    "uri": "https://example.com/",
    "uuid": "00000000-0000-4000-8000-000000000000",
}
DEEPEST = 8


def email(text: str) -> str | None:
    """The first e-mail address."""
    found = EMAIL.search(text)
    return found[0] if found else None


def number(text: str) -> int | None:
    """The first whole number that stands by itself."""
    found = NUMBER.search(text)
    return int(found[0]) if found else None


def one_of(text: str, words: Sequence[str]) -> str | None:
    """The word of the list that comes first in the text, in any case of letters."""
    found = re.search(r"(?<!\w)(?:" + "|".join(map(re.escape, words)) + r")(?!\w)", text, re.IGNORECASE) if words else None
    return next((word for word in words if found and word.lower() == found[0].lower()), None)


def minimal(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A tool's required arguments and no others: constants, examples and defaults first, else the smallest that fits."""
    value = _value(schema, schema.get("$defs", {}), 0)
    return value if isinstance(value, dict) else {}


def _value(schema: Mapping[str, Any], definitions: Mapping[str, Any], depth: int) -> Any:
    if depth > DEEPEST:
        return None
    if "$ref" in schema:
        return _value(definitions.get(str(schema["$ref"]).rsplit("/", 1)[-1], {}), definitions, depth + 1)
    if "const" in schema:
        return schema["const"]
    for given in ("enum", "examples"):
        if schema.get(given):
            return schema[given][0]
    if "default" in schema:
        return schema["default"]
    for union in ("anyOf", "oneOf", "allOf"):
        if schema.get(union):
            return _value(schema[union][0], definitions, depth + 1)
    return _of_type(schema, definitions, depth)


def _of_type(schema: Mapping[str, Any], definitions: Mapping[str, Any], depth: int) -> Any:
    kind = schema.get("type")
    match kind[0] if isinstance(kind, list) else kind:
        case "object":
            properties = schema.get("properties", {})
            return {name: _value(properties.get(name, {}), definitions, depth + 1) for name in schema.get("required", ())}
        case "array":
            parts = schema.get("prefixItems") or [schema.get("items", {})] * schema.get("minItems", 0)
            return [_value(part, definitions, depth + 1) for part in parts]
        case "integer" | "number":
            return _smallest(schema)
        case "boolean":
            return False
        case "null":
            return None
        case _:
            return FORMATS.get(schema.get("format", ""), "x" * max(1, schema.get("minLength", 1)))


def _smallest(schema: Mapping[str, Any]) -> float:
    if "minimum" in schema:
        return float(schema["minimum"]) if schema.get("type") == "number" else int(schema["minimum"])
    if "exclusiveMinimum" in schema:
        return int(schema["exclusiveMinimum"]) + 1
    return int(schema["maximum"]) if schema.get("maximum", 1) < 1 else 1
