"""An extension of griffe, which reads the code for docs/reference/api: the constructor of a msgspec struct, which nobody has written down.

Without it those pages would show a struct's fields without their types and defaults.
"""

from typing import Any

import griffe


class Structs(griffe.Extension):
    """Gives every struct the `__init__` that msgspec makes."""

    def on_package(self, *, pkg: griffe.Module, **kwargs: Any) -> None:
        """Griffe calls this once the package is read."""
        _go_through(pkg)


def _go_through(parent: griffe.Module | griffe.Class) -> None:
    for member in list(parent.members.values()):
        if isinstance(member, griffe.Module | griffe.Class):
            _go_through(member)
    if isinstance(parent, griffe.Class) and _is_struct(parent) and "__init__" not in parent.members:
        fields = [field for each in [*reversed(parent.mro()), parent] if _is_struct(each) for field in _fields(each)]
        this = griffe.Parameter("self", kind=griffe.ParameterKind.positional_or_keyword)
        init = griffe.Function(
            "__init__", parent=parent, parameters=griffe.Parameters(this, *fields), returns="None", lineno=0, endlineno=0
        )
        parent.set_member("__init__", init)


def _is_struct(kind: griffe.Class) -> bool:
    return any(str(base) == "msgspec.Struct" for base in kind.bases) or any(_is_struct(base) for base in kind.mro())


def _fields(kind: griffe.Class) -> list[griffe.Parameter]:
    kinds = griffe.ParameterKind
    way = kinds.keyword_only if kind.keywords.get("kw_only") == "True" else kinds.positional_or_keyword
    return [
        griffe.Parameter(member.name, annotation=member.annotation, kind=way, default=member.value)
        for member in kind.members.values()
        if isinstance(member, griffe.Attribute) and member.annotation is not None and "instance-attribute" in member.labels
    ]
