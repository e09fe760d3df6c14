"""Facts: values that successful tool calls produced, and the ordered ledger of them.

A *confirmed* fact is one that a person said, or said yes to. Only a later confirmed fact of the same kind and key
replaces it, so a change of mind touches just the fields that it names.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
from msgspec.structs import force_setattr

from handrail.vocab.canonical import canonical


class Fact(msgspec.Struct, frozen=True, kw_only=False, omit_defaults=True, forbid_unknown_fields=True):
    """One value of a kind.

    Args:
        kind: what it is, such as `place` or `leg`.
        value: JSON's own types.
        key: the field that it fills; a later fact with the same kind and key takes its place.
        about: details for people and for landing, such as the minutes of a leg.
        confirmed: a person said it, or said yes to it.
        tool: the tool that it came from, or the source that noted it. Filled in by handrail.
    """

    kind: str
    value: Any
    key: str | None = None
    about: dict[str, Any] = {}
    confirmed: bool = False
    tool: str = ""


class Noted(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What an interface notes: its facts, and the kinds of its own that they stand for."""

    source: str
    facts: tuple[Fact, ...] = ()
    replaces: tuple[str, ...] = ()


class Ledger(msgspec.Struct, frozen=True):
    """All facts of a run, in the order in which they became known.

    Args:
        facts: in order.
        marks: what each is known by, so that the one that a new fact replaces is found without looking into every value.
    """

    facts: tuple[Fact, ...] = ()
    marks: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Make the marks where they are not given."""
        if len(self.marks) != len(self.facts):
            force_setattr(self, "marks", tuple(map(_mark, self.facts)))

    def __iter__(self) -> Iterator[Fact]:
        """The facts in order."""
        return iter(self.facts)

    def __len__(self) -> int:
        """How many facts there are."""
        return len(self.facts)

    def of(self, kind: str) -> tuple[Fact, ...]:
        """The facts of a kind, in order."""
        return tuple([fact for fact in self.facts if fact.kind == kind])

    def values(self, kind: str) -> tuple[Any, ...]:
        """The values of a kind, in order."""
        return tuple(fact.value for fact in self.facts if fact.kind == kind)

    def has(self, kind: str, value: Any) -> bool:
        """Whether a fact of that kind has exactly that value (`1` and `1.0` are one value, `1` and `"1"` are not)."""
        wanted = canonical(value)
        return any(canonical(fact.value) == wanted for fact in self.facts if fact.kind == kind)

    def field(self, kind: str, key: str) -> Any:
        """The value that fills a field: the confirmed one, else the latest, else `None`."""
        found = [fact for fact in self.facts if fact.kind == kind and fact.key == key]
        confirmed = [fact for fact in found if fact.confirmed]
        return (confirmed or found)[-1].value if found else None

    def confirmed(self) -> tuple[Fact, ...]:
        """What people said or said yes to."""
        return tuple(fact for fact in self.facts if fact.confirmed)

    def adding(self, facts: Iterable[Fact]) -> "Ledger":
        """The ledger with more facts: each takes the place of the one that it replaces."""
        new: dict[str, Fact] = {}
        for fact in facts:
            mark = _mark(fact)
            new.pop(mark, None)
            new[mark] = fact
        kept = self
        if not new.keys().isdisjoint(self.marks):
            left = [(fact, mark) for fact, mark in zip(self.facts, self.marks, strict=True) if mark not in new]
            kept = Ledger(tuple(fact for fact, _ in left), tuple(mark for _, mark in left))
        return Ledger((*kept.facts, *new.values()), (*kept.marks, *new))


def _mark(fact: Fact) -> str:
    """A field is known by its key, any other fact by its value; a confirmed one is never the same as one that is not."""
    return canonical([fact.kind, fact.confirmed, fact.key] if fact.key is not None else [fact.kind, fact.confirmed, None, fact.value])
