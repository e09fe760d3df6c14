"""Values made from a JSON Schema: the smallest that fit, and a second one under the paths where two are wanted.

- All texts are alike (`one`, and `another` where a second value is wanted), so that a value of one tool's arguments is found
  again in another's.
- What cannot be met from the schema alone, such as a pattern, is left to the tool's `examples`.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

Parts = tuple[str, ...]
TEXTS = {
    "date": ("2030-01-01", "2030-01-02"),
    "date-time": ("2030-01-01T00:00:00Z", "2030-01-02T00:00:00Z"),
    "time": ("09:00:00Z", "10:00:00Z"),
    "duration": ("PT1H", "PT2H"),
    "email": ("one@example.com", "another@example.com"),
    "uuid": ("00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"),
    "uri": ("https://example.com/one", "https://example.com/another"),
}
DEEPEST = 12


class Wish(msgspec.Struct, frozen=True, kw_only=True):
    """What is wanted of a value.

    Args:
        there: paths that must lead to something.
        other: paths whose values are to be the second ones.
        second: this value is.
    """

    there: tuple[Parts, ...] = ()
    other: tuple[Parts, ...] = ()
    second: bool = False

    def under(self, key: str) -> "Wish":
        """What is wanted of a property."""
        return Wish(
            there=tuple(path[1:] for path in self.there if path[:1] == (key,)),
            other=tuple(path[1:] for path in self.other if path[:1] == (key,)),
            second=self.second,
        )


def made(schema: Mapping[str, Any], wish: Wish) -> Any:
    """A value of the schema."""
    return _Maker(schema).value(schema, wish, 0)


class _Maker:
    """Makes values of one schema, whose `$defs` it knows."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._definitions: Mapping[str, Any] = root.get("$defs", {})

    def value(self, schema: Mapping[str, Any], wish: Wish, depth: int) -> Any:
        """The smallest value, or the second one."""
        schema = self._plain(schema, wish, depth)
        if () in wish.other and not wish.second:
            wish = Wish(there=wish.there, other=wish.other, second=True)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return schema["enum"][1 if wish.second and len(schema["enum"]) > 1 else 0]
        match _type(schema):
            case "object":
                return self._object(schema, wish, depth)
            case "array":
                return self._array(schema, wish, depth)
            case "integer" | "number" as kind:
                return _number(schema, second=wish.second, whole=kind == "integer")
            case "boolean":
                return wish.second
            case "null":
                return None
            case _:
                return _text(schema, second=wish.second)

    def _plain(self, schema: Mapping[str, Any], wish: Wish, depth: int) -> Mapping[str, Any]:
        """The schema with references followed and one alternative chosen."""
        for _ in range(DEEPEST):
            if "$ref" in schema:
                rest = {key: item for key, item in schema.items() if key != "$ref"}
                schema = {**self._definitions.get(str(schema["$ref"]).rpartition("/")[2], {}), **rest}
                continue
            choices = schema.get("anyOf") or schema.get("oneOf")
            if not choices:
                break
            schema = self._chosen([self._plain(choice, wish, depth + 1) for choice in choices] if depth < DEEPEST else choices, wish, depth)
        for part in schema.get("allOf", ()):
            schema = {**schema, **self._plain(part, wish, depth + 1)}
        return schema

    def _chosen(self, choices: list[Mapping[str, Any]], wish: Wish, depth: int) -> Mapping[str, Any]:
        if depth >= DEEPEST:
            return next((choice for choice in choices if _type(choice) == "null"), choices[0])
        deeper = any(wish.there)
        fitting = (choice for choice in choices if _type(choice) != "null" and (not deeper or _type(choice) in {"object", "array"}))
        return next(fitting, choices[0])

    def _object(self, schema: Mapping[str, Any], wish: Wish, depth: int) -> dict[str, Any]:
        properties: Mapping[str, Any] = schema.get("properties", {})
        wanted = {path[0] for path in wish.there if path}
        needed = [key for key in properties if key in schema.get("required", ()) or key in wanted]
        return {key: self.value(properties[key], wish.under(key), depth + 1) for key in needed}

    def _array(self, schema: Mapping[str, Any], wish: Wish, depth: int) -> list[Any]:
        first = [self.value(item, wish, depth + 1) for item in schema.get("prefixItems", ())]
        least = max(int(schema.get("minItems", 0)), 1 if wish.there else 0)
        items = schema.get("items", {})
        rest = [self.value(items, wish, depth + 1) for _ in range(least - len(first))] if isinstance(items, Mapping) else []
        return [*first, *rest]


def _type(schema: Mapping[str, Any]) -> str:
    kind = schema.get("type", "object" if "properties" in schema else "string")
    if isinstance(kind, list):
        return next((str(each) for each in kind if each != "null"), "null")
    return str(kind)


def _text(schema: Mapping[str, Any], *, second: bool) -> str:
    if schema.get("format") in TEXTS:
        return TEXTS[schema["format"]][second]
    text = "another" if second else "one"
    return text.ljust(int(schema.get("minLength", 0)), "_")[: schema.get("maxLength")]


def _number(schema: Mapping[str, Any], *, second: bool, whole: bool) -> int | float:
    step = schema.get("multipleOf", 1)
    low = schema.get("minimum", schema.get("exclusiveMinimum"))
    high = schema.get("maximum", schema.get("exclusiveMaximum"))
    if "exclusiveMinimum" in schema and "minimum" not in schema:
        low = low + step
    if "exclusiveMaximum" in schema and "maximum" not in schema:
        high = high - step
    first = step
    if low is not None and first < low:
        first = low
    if high is not None and first > high:
        first = high
    if second:
        first = first + step if high is None or first + step <= high else first - step
    return int(first) if whole else first
