"""Refuses schemas that are costly to check: recursive unions whose branches cannot be told apart.

If two branches of a union both take objects (or both take lists) and both lead back to the union, then each level of nesting
doubles the work, and a short text of a model's can hold a process up for hours. A discriminator makes the work linear.
"""

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Any

from handrail.errors import AgentError
from handrail.tools.schema import Schema, branches, parts, target

_CONTAINERS = frozenset({"object", "array"})


def refuse_costly(schema: Schema) -> None:
    """Look at every union inside a recursive definition of the schema that arguments are judged by.

    Raises:
        AgentError: there is one whose branches cannot be told apart.
    """
    defs: Mapping[str, Schema] = schema.get("$defs", {})
    reached = _closure({name: frozenset(_references(node)) for name, node in defs.items()})
    for name, node in defs.items():
        for union in _unions(node):
            _check(name, [option for option in union if name in _reach(option, reached)], defs)


def _check(name: str, recursive: list[Schema], defs: Mapping[str, Schema]) -> None:
    taken: set[str] = set()
    for option in recursive:
        takes = {kind for branch in branches(option, defs) for kind in _kinds(branch)}
        if taken & takes:
            raise AgentError(
                f"{name!r} contains itself through a union whose branches cannot be told apart, which can take exponential time to check;"
                f" give the union a discriminator: Annotated[A | B, Field(discriminator='kind')]"
            )
        taken |= takes


def _kinds(branch: Schema) -> AbstractSet[str]:
    kind = branch.get("type")
    return _CONTAINERS if kind is None else _CONTAINERS & {kind} if isinstance(kind, str) else _CONTAINERS & set(kind)


def _unions(node: Any) -> Iterator[list[Schema]]:
    if isinstance(node, dict) and "anyOf" in node:
        yield node["anyOf"]
    for part in parts(node):
        yield from _unions(part)


def _references(node: Any) -> Iterator[str]:
    if isinstance(node, dict) and "$ref" in node:
        yield target(node["$ref"])
    for part in parts(node):
        yield from _references(part)


def _reach(node: Schema, reached: Mapping[str, AbstractSet[str]]) -> set[str]:
    return {further for name in _references(node) for further in (name, *reached[name])}


def _closure(direct: Mapping[str, AbstractSet[str]]) -> Mapping[str, AbstractSet[str]]:
    reached = {name: set(names) for name, names in direct.items()}
    for middle, further in reached.items():
        for names in reached.values():
            if middle in names:
                names.update(further)
    return reached
