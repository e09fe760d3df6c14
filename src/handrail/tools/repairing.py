"""The lossless repairs that a tool with `repair=True` allows, and no others.

- All arguments arrive as a JSON text inside a text: taken out once, if the inside is an object.
- A field holds a JSON text where the schema wants a list or an object and does not admit a text: decoded once, after the
  arguments as they are have failed. Nothing inside what was decoded is repaired again.
"""

from typing import Any

from jsonschema_rs import ValidationError, ValidationErrorKind

from handrail.tools.arguments import Decoded, decode
from handrail.tools.validating import Checker

MOST_REPAIRS = 64
_CONTAINERS = {"array": list, "object": dict}


def unwrapped(value: Any) -> Any:
    """The object inside a text, or the value as it is."""
    if isinstance(value, str):
        inner = decode(value)
        if isinstance(inner, Decoded) and isinstance(inner.value, dict):
            return inner.value
    return value


def repair(checker: Checker, value: dict[str, Any]) -> None:
    """Decode, in place, each JSON text that stands where a list or an object is wanted."""
    done: list[list[str | int]] = []
    while len(done) < MOST_REPAIRS and (error := checker.first(value)) is not None:
        path = list(error.instance_path)
        wanted = _wanted(error, path)
        inner = decode(error.instance) if wanted and isinstance(error.instance, str) else None
        if not isinstance(inner, Decoded) or not isinstance(inner.value, wanted) or any(path[: len(other)] == other for other in done):
            return
        _put(value, path, inner.value)
        done.append(path)


def _wanted(error: ValidationError, path: list[str | int]) -> tuple[type, ...]:
    """The containers that the schema takes there; none if it takes a text, or if that is not the error."""
    if list(error.instance_path) != path:
        return ()
    match error.kind:
        case ValidationErrorKind.Type(types=types):
            return tuple(made for name, made in _CONTAINERS.items() if name in types)
        case ValidationErrorKind.AnyOf(context=context):
            leaves = [leaf for branch in context for leaf in branch]
            if all(isinstance(leaf.kind, ValidationErrorKind.Type | ValidationErrorKind.AnyOf) for leaf in leaves):
                return tuple(made for leaf in leaves for made in _wanted(leaf, path))
    return ()


def _put(value: Any, path: list[str | int], inner: Any) -> None:
    for part in path[:-1]:
        value = value[part]
    value[path[-1]] = inner
