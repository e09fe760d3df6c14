"""A tool's declaration as a signature of one line and a sentence for each argument: a third of the tokens of its JSON Schema.

- What an argument may be is written as in TypeScript, which models that have read code know; `?` marks what may be left out.
- A reference that leads back to itself is written as `object`.
"""

import json
from collections.abc import Mapping
from typing import Any

DEEPEST = 4


def signature(tool: Mapping[str, Any]) -> str:
    """The signature, what the tool does, and what its arguments are."""
    function = tool["function"]
    parameters = function.get("parameters") or {}
    properties, needed = parameters.get("properties", {}), parameters.get("required", ())
    defs = parameters.get("$defs", {})
    listed = ", ".join(f"{name}{'' if name in needed else '?'}: {_type(schema, defs, 0)}" for name, schema in properties.items())
    told = [f"    {name}: {_line(schema['description'])}" for name, schema in properties.items() if schema.get("description")]
    return "\n".join((f"{function['name']}({listed})", f"    {_line(function.get('description', ''))}", *told))


def _type(schema: Mapping[str, Any], defs: Mapping[str, Any], depth: int) -> str:
    if "$ref" in schema:
        schema = defs.get(schema["$ref"].rpartition("/")[2], {})
    options = schema.get("anyOf") or schema.get("oneOf")
    if depth >= DEEPEST:
        return "object"
    if options:
        return " | ".join(dict.fromkeys(_type(option, defs, depth + 1) for option in options))
    if "const" in schema or "enum" in schema:
        return " | ".join(json.dumps(value, ensure_ascii=False) for value in schema.get("enum", (schema.get("const"),)))
    match schema.get("type"):
        case "array":
            return f"{_type(schema.get('items', {}), defs, depth + 1)}[]"
        case "object" if schema.get("properties"):
            needed = schema.get("required", ())
            inner = (
                f"{name}{'' if name in needed else '?'}: {_type(part, defs, depth + 1)}" for name, part in schema["properties"].items()
            )
            return "{" + ", ".join(inner) + "}"
        case "integer" | "number" as kind if "minimum" in schema and "maximum" in schema:
            return f"{kind} from {schema['minimum']} to {schema['maximum']}"
        case str() as kind:
            return kind
        case _:
            return "any"


def _line(text: str) -> str:
    return " ".join(text.split())
