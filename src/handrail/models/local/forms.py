"""The form of a reply, as a JSON Schema that the model's sampling is held to: a call of one of the tools on offer, or a text.

- What is not in the form cannot be sampled at all: no tool that is withdrawn, none that was never there, no text where none could be taken.
- Schemas are made simpler where a grammar would be large or could not say it. What is left out here (lengths, patterns) is judged
  afterwards, like everything that any model sends.
- Definitions are lifted out of each tool's schema under names of their own.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Schema = dict[str, Any]
TOOL, ARGUMENTS, SAY = "tool", "arguments", "say"
KEPT = frozenset(
    {"type", "properties", "required", "items", "enum", "const", "anyOf", "$ref", "minItems", "maxItems", "minimum", "maximum"}
)
"""What a grammar says well; `oneOf` is written as `anyOf`, and objects have no other keys."""
MOST_ITEMS = 50
"""Bounds of lists beyond that make grammars large, so they are not in them."""
WRITTEN: Schema = {"item_separator": ", ", "key_separator": ": ", "whitespace_flexible": False}
"""As `json.dumps` writes it, so that a model sees one way of writing; white space without end cannot be sampled either."""
WORDS = r"^[^\s{\[][\s\S]*$"
"""A text is no call written out: it begins with no brace, and is not empty."""
SAYING: Schema = {
    "type": "object",
    "properties": {SAY: {"type": "string", "pattern": WORDS}},
    "required": [SAY],
    "additionalProperties": False,
}


def form(tools: Sequence[Mapping[str, Any]], *, choice: str = "auto", text: bool = True) -> Schema | None:
    """The form of a reply; `None` where there are no tools, and so every text will do.

    Args:
        tools: declarations of the tools on offer.
        choice: `auto`, `none`, or the name of the tool that has to be called.
        text: whether a text could be taken.
    """
    if not tools:
        return None
    defs: Schema = {}
    calls = [_call(name, parameters, defs) for name, parameters in _functions(tools) if choice in ("auto", name)]
    options = [*calls, *([SAYING] if not calls or (text and choice == "auto") else [])]
    return {"anyOf": options, **({"$defs": defs} if defs else {})}


def grammar(wanted: Schema) -> str:
    """The grammar of a form, for llama.cpp with LLGuidance (guidance-ai/llguidance, docs/syntax.md).

    Not as a `response_format`: there llama.cpp parses the reply once more, and fails with status 500 where the output limit has cut it.
    """
    return f"%llguidance {{}}\nstart: %json {json.dumps({**wanted, 'x-guidance': WRITTEN})}"


def _functions(tools: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, Schema]]:
    for tool in tools:
        function = tool["function"]
        yield function["name"], function.get("parameters") or {}


def _call(name: str, parameters: Schema, defs: Schema) -> Schema:
    for defined, schema in parameters.get("$defs", {}).items():
        defs[f"{name}.{defined}"] = simple(schema, name)
    arguments = simple({"type": "object", "properties": {}, **parameters}, name)
    return {
        "type": "object",
        "properties": {TOOL: {"const": name}, ARGUMENTS: arguments},
        "required": [TOOL, ARGUMENTS],
        "additionalProperties": False,
    }


def simple(schema: Any, name: str) -> Any:
    """A schema with what a grammar says well, and nothing else.

    Args:
        schema: of a tool's arguments, or a part of it.
        name: of the tool, for its definitions.
    """
    if not isinstance(schema, Mapping):
        return schema
    made = {word: _part(word, value, name) for word, value in schema.items() if word in KEPT and not _large(word, value)}
    if "oneOf" in schema:
        made["anyOf"] = _part("anyOf", schema["oneOf"], name)
    if "properties" in made:
        made["additionalProperties"] = False
    elif isinstance(schema.get("additionalProperties"), Mapping):
        made["additionalProperties"] = simple(schema["additionalProperties"], name)
    return made


def _part(word: str, value: Any, name: str) -> Any:
    match word:
        case "$ref":
            return f"#/$defs/{name}.{value.removeprefix('#/$defs/')}"
        case "properties":
            return {key: simple(part, name) for key, part in value.items()}
        case "anyOf":
            return [simple(part, name) for part in value]
        case "items":
            return simple(value, name)
        case _:
            return value


def _large(word: str, value: Any) -> bool:
    return word in {"minItems", "maxItems"} and value > MOST_ITEMS
