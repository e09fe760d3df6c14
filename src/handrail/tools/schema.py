"""Pydantic's JSON Schema made into what a declaration carries, and into what errors are explained by.

- Declared: draft 2020-12, no titles, every object closed unless its author opened it, `oneOf` as `anyOf` (some providers
  refuse it), plain enums in place, `$defs` and recursion kept.
- Explaining: the same, but a discriminated union is a chain of if/then/else. It accepts the same values in linear time, however
  deep they are nested, and its errors are about the one branch that was meant.
"""

from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from typing import Any

from handrail.errors import AgentError

Schema = dict[str, Any]
_MAPS = ("properties", "$defs", "patternProperties", "dependentSchemas")
_ONE = ("items", "additionalProperties", "propertyNames", "contains", "not", "if", "then", "else")
_SOME = ("anyOf", "oneOf", "allOf", "prefixItems")
_FIRST = ("type", "properties", "required", "additionalProperties")
_LAST = ("description", "default", "$defs")


def declared(raw: Schema) -> Schema:
    """The schema that goes into a declaration."""
    return _whole(_tagged(raw), lambda node, defs: _flat(_as_any_of(node)))


def explaining(raw: Schema) -> Schema:
    """The schema that arguments are judged and errors explained by."""
    return _whole(_tagged(raw), _as_chain)


def branches(schema: Schema, defs: Mapping[str, Schema], path: tuple[str, ...] = ()) -> Iterator[Schema]:
    """What a value of this schema can be: references are followed (no name twice on one path), unions gone through."""
    options = [option for word in ("anyOf", "oneOf") for option in schema.get(word, ())]
    if "$ref" in schema:
        name = target(schema["$ref"])
        if name not in path:
            yield from branches(defs[name], defs, (*path, name))
    elif options:
        for option in options:
            yield from branches(option, defs, path)
    else:
        yield schema


def target(reference: str) -> str:
    """The name in `$defs` that a reference leads to.

    Raises:
        AgentError: it leads elsewhere; nothing is ever fetched.
    """
    if not reference.startswith("#/$defs/"):
        raise AgentError(f"a schema may refer to its own $defs only, not to {reference!r}")
    return reference.removeprefix("#/$defs/").replace("~1", "/").replace("~0", "~")


def parts(node: Any) -> Iterator[Any]:
    """The schemas just below a schema."""
    if isinstance(node, dict):
        for word in _MAPS:
            yield from node.get(word, {}).values()
        for word in _SOME:
            yield from node.get(word, ())
        for word in _ONE:
            if word in node:
                yield node[word]


def _tagged(raw: Schema) -> Schema:
    """A copy in which each branch of a discriminated union requires the discriminator: without it no branch is chosen."""
    raw = deepcopy(raw)
    defs = raw.get("$defs", {})
    for node in _all(raw):
        word = node.get("discriminator", {}).get("propertyName")
        for branch in branches({"oneOf": node.get("oneOf", [])}, defs) if word is not None else ():
            if word not in branch.setdefault("required", []):
                branch["required"].append(word)
    return raw


def _all(node: Any) -> Iterator[Schema]:
    if isinstance(node, dict):
        yield node
        for part in parts(node):
            yield from _all(part)


def _whole(raw: Schema, union: Callable[[Schema, Mapping[str, Schema]], Schema]) -> Schema:
    defs = raw.get("$defs", {})
    plain = {name: node for name, node in defs.items() if "enum" in node or "const" in node}

    def change(node: Schema) -> Schema:
        node = union(node, defs)
        if "$ref" in node and (name := target(node["$ref"])) in plain:
            node = {**plain[name], **{word: value for word, value in node.items() if word != "$ref"}}
        if "properties" in node or (node.get("type") == "object" and len(node) == 1):
            node = {"additionalProperties": False, **node}
        node.pop("title", None)
        return _ordered(node)

    kept = {name: node for name, node in defs.items() if name not in plain}
    whole: Schema = _each({**raw, "$defs": kept}, change)
    return whole if kept else {word: value for word, value in whole.items() if word != "$defs"}


def _each(node: Any, change: Callable[[Schema], Schema]) -> Any:
    """A copy with each schema changed, the innermost first; data such as `default` and `enum` is left as it is."""
    if not isinstance(node, dict):
        return node
    made: Schema = {}
    for word, value in node.items():
        if word in _MAPS:
            made[word] = {name: _each(part, change) for name, part in value.items()}
        elif word in _ONE:
            made[word] = _each(value, change)
        elif word in _SOME:
            made[word] = [_each(part, change) for part in value]
        else:
            made[word] = value
    return change(made)


def _ordered(node: Schema) -> Schema:
    middle = [word for word in node if word not in _FIRST and word not in _LAST]
    return {word: node[word] for word in (*_FIRST, *middle, *_LAST) if word in node}


def _as_any_of(node: Schema) -> Schema:
    node = {word: value for word, value in node.items() if word != "discriminator"}
    if "oneOf" in node:
        node["anyOf"] = node.pop("oneOf")
    return node


def _flat(node: Schema) -> Schema:
    """The union with the options of a union inside it as its own."""
    if "anyOf" not in node:
        return node
    return {**node, "anyOf": [inner for option in node["anyOf"] for inner in (option["anyOf"] if set(option) == {"anyOf"} else (option,))]}


def _as_chain(node: Schema, defs: Mapping[str, Schema]) -> Schema:
    word = node.get("discriminator", {}).get("propertyName")
    tags = [_tag(option, word, defs) for option in node.get("oneOf", ())] if word is not None else []
    node = _as_any_of(node)
    if not tags or None in tags:
        return node
    chain: Any = {"type": "object", "properties": {word: {"enum": [value for tag in tags for value in tag or ()]}}, "required": [word]}
    for tag, option in zip(reversed(tags), reversed(node.pop("anyOf")), strict=True):
        chain = {"if": {"properties": {word: {"enum": tag}}, "required": [word]}, "then": option, "else": chain}
    return {**node, **chain}


def _tag(option: Schema, word: str, defs: Mapping[str, Schema]) -> list[Any] | None:
    """The values of the discriminator that choose this branch, if its schema says so."""
    found: list[Any] = []
    for branch in branches(option, defs):
        values = [value for tag in branches(branch.get("properties", {}).get(word, {}), defs) for value in _constants(tag)]
        if not values:
            return None
        found += values
    return found


def _constants(node: Schema) -> list[Any]:
    return [node["const"]] if "const" in node else list(node.get("enum", ()))
