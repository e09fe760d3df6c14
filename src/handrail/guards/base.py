"""What all guards have in common: a default for every member of the core's `Guard` protocol.

- A guard keeps nothing between calls: it is a pure reading of the state. What it was declared with are its attributes, and never change.
- `looks` declares all that it reads, a lens for each; `handrail check` raises on anything else.
- `settings` are its public attributes in plain JSON, so that another declaration gives the agent another fingerprint.
"""

from collections.abc import Callable, Iterable, Mapping
from copy import copy
from datetime import timedelta
from enum import Enum
from typing import Any, Self

from handrail.core.agent import Agent
from handrail.core.ring import Silent
from handrail.vocab.calls import By
from handrail.vocab.verdicts import Lens

MEMBERS = frozenset({"name", "looks", "refuses_text", "tools", "holds", "paths", "may_withdraw_submit"})
"""Attributes that say what a guard is; the others are what it was declared with."""


class BaseGuard(Silent):
    """A guard that has nothing against anything. Override what yours is about; the core does not even ask about the rest.

    Attributes:
        name: the class and what it is about, such as `CallLimit(search_notes)`; unique in an agent (see `named`).
        looks: all that it reads of the state; `None` where that is not known.
        refuses_text: whether `accepts` can say anything but Allow.
        tools: the tools that it names.
        holds: the tools that it can hold, and for whom.
        paths: the arguments that it looks into, as pairs of tool and dotted path.
        may_withdraw_submit: whether `offers` may take the submit tool away too.
    """

    name: str
    looks: tuple[Lens, ...] | None = ()
    refuses_text: bool = False
    tools: tuple[str, ...] = ()
    holds: tuple[tuple[str, By], ...] = ()
    paths: tuple[tuple[str, str], ...] = ()
    may_withdraw_submit: bool = True

    def __init__(self, *about: object) -> None:
        """Name the guard after its class and what it is about."""
        self.name = f"{type(self).__name__}({', '.join(map(str, about))})" if about else type(self).__name__

    def named(self, name: str) -> Self:
        """The same guard under another name, where an agent has two of one kind; texts that it refuses are counted by that name."""
        other = copy(self)
        other.name = name
        if self.looks is not None:
            own = {Lens("refused_texts", self.name, lens.cap): Lens("refused_texts", name, lens.cap) for lens in self.looks}
            other.looks = tuple(own.get(lens, lens) for lens in self.looks)
        return other

    @property
    def settings(self) -> Mapping[str, Any]:
        """What it was declared with, for the agent's fingerprint."""
        return {key: plain(value) for key, value in vars(self).items() if key not in MEMBERS and not key.startswith("_")}

    def __repr__(self) -> str:
        """Its name, as timelines show it."""
        return self.name


def plain(value: Any) -> Any:
    """A setting as JSON has it: an agent is its fingerprint, a function its full name, a duration its seconds."""
    match value:
        case Agent():
            return value.fingerprint
        case timedelta():
            return value.total_seconds()
        case Enum():
            return value.value
        case Mapping():
            return {str(key): plain(item) for key, item in value.items()}
        case set() | frozenset():
            return sorted(plain(item) for item in value)
        case str():
            return value
        case Iterable():
            return [plain(item) for item in value]
        case Callable():
            return f"{value.__module__}.{getattr(value, '__qualname__', type(value).__qualname__)}"
        case _:
            return value
