"""Sights: the things that can be read of a state, and their values where states are told apart.

Counts are cut at the cap from which on they make no difference; orders that nobody can see are put away.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from handrail.core.state import Done, RunState
from handrail.vocab.canonical import canonical
from handrail.vocab.facts import Fact, Ledger

ANY_KIND = "*"


class Sight(msgspec.Struct, frozen=True):
    """One thing that is read: a member of `Reading`, its argument, and `per`."""

    what: str
    name: str = ""
    per: str = "run"


class Reader:
    """Reads sights of states, and remembers what takes long."""

    def __init__(self, repeats: frozenset[str]) -> None:
        """Know the marks of successes that bring nothing new."""
        self._repeats = repeats
        self._ledgers: dict[int, tuple[Ledger, tuple[Fact, ...]]] = {}
        self._done: dict[tuple[int, str], tuple[tuple[Done, ...], tuple[str, ...]]] = {}
        self._decoded: dict[str, Mapping[str, Any]] = {}
        self._kinds: dict[tuple[int, str], tuple[str, ...]] = {}

    def value(self, state: RunState, sight: Sight, cap: int | None) -> Any:
        """What states are told apart by."""
        match sight.what:
            case "used":
                return _cut(state.used(sight.name, per=sight.per), cap)
            case "ok":
                return _cut(state.ok(sight.name, per=sight.per), cap)
            case "rounds":
                return _cut(state.rounds(sight.name), cap)
            case "refused_texts":
                return _cut(state.refused_texts(sight.name), cap)
            case "computed":
                return self.computed(state, sight.name)
            case "facts":
                return self._facts_key(state, sight.name)
            case "fruitless":
                return _cut(state.fruitless, cap), self._ages(state)
            case "last_tools":
                return tuple(sorted(state.last_tools))
            case "turns_left":
                return None if state.turns_left is None else _cut(state.turns_left, cap)
            case _:
                return None

    def _ages(self, state: RunState) -> tuple[tuple[str, int], ...]:
        """The successes that would bring nothing new, and how soon that is forgotten."""
        return tuple((mark, age) for age, mark in enumerate(reversed(state.recent)) if mark in self._repeats)

    def facts(self, state: RunState) -> tuple[Fact, ...]:
        """The ledger's facts, in an order that does not depend on the way."""
        ledger = state.ledger
        found = self._ledgers.get(id(ledger))
        if found is None:
            found = self._ledgers[id(ledger)] = (ledger, tuple(sorted(ledger.facts, key=_mark)))
        return found[1]

    def computed(self, state: RunState, tool: str) -> tuple[str, ...]:
        """The arguments of the tool's successful calls, each once."""
        key = (id(state.done), tool)
        found = self._done.get(key)
        if found is None:
            arguments = {done.arguments for done in state.done if done.tool == tool}
            found = self._done[key] = (state.done, tuple(sorted(arguments)))
        return found[1]

    def decoded(self, arguments: str) -> Mapping[str, Any]:
        """Arguments as guards see them."""
        found = self._decoded.get(arguments)
        if found is None:
            found = self._decoded[arguments] = msgspec.json.decode(arguments)
        return found

    def _facts_key(self, state: RunState, kind: str) -> tuple[str, ...]:
        key = (id(state.ledger), kind)
        found = self._kinds.get(key)
        if found is None:
            facts = self.facts(state)
            found = self._kinds[key] = tuple(_mark(fact) for fact in facts if kind in (ANY_KIND, fact.kind))
        return found


def _cut(value: int, cap: int | None) -> int:
    return value if cap is None else min(value, cap)


def _mark(fact: Fact) -> str:
    return canonical([fact.kind, fact.value, fact.key, fact.about, fact.confirmed, fact.tool])
