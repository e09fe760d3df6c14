"""What one walk notes down while guards and invariants are asked: what they read, what they may not, and what is only assumed.

A *sight* is one thing that is read of a state. States are told apart by the sights that somebody has really read, so a walk in
which a new one turns up is begun again (`news`).

A *choice* is a verdict that the walk cannot know: a guard without lenses may allow or refuse. The first run of a step allows
everything and counts the choices; the walk then runs the step again with each of them decided the other way.
"""

from collections.abc import Callable
from typing import Any

from handrail.check.sights import ANY_KIND, Sight
from handrail.core.state import RunState
from handrail.vocab.facts import Fact, Ledger
from handrail.vocab.verdicts import Limit, Measure

TEXT = "a text"
ANYTHING = "anything"
"""What is read about, where it is no tool."""
ENDS_BY_ITSELF = frozenset({Measure.TIME, Measure.TURNS, Measure.TOKENS})
"""Measures that a run uses up whatever it does."""


class Notebook:
    """The notes of a walk. Sights, limits and assumptions stay when a walk is begun again; the rest is of one step."""

    def __init__(self) -> None:
        self.sights: dict[Sight, int | None] = {}
        self.about: dict[Sight, set[str]] = {}
        self.news = False
        self.wrong: str | None = None
        self.assumed: dict[str, str] = {}
        self.limits: dict[str, Limit] = {}
        self.bounded = False
        self.decisions: tuple[bool, ...] = ()
        self.choices = 0
        self._decided: set[str] = set()

    def begin(self, decisions: tuple[bool, ...]) -> None:
        """Begin a step with some choices decided; the others allow."""
        self.decisions = decisions
        self.choices = 0
        self.bounded = False
        self._decided.clear()

    def saw(self, sight: Sight, about: str, cap: int | None = None) -> None:
        """Note that something was read, about which tool, and from which value on it makes no difference."""
        subjects = self.about.setdefault(sight, set())
        known = self.sights.get(sight, -1)
        if known == -1 or about not in subjects or (cap is not None and known is not None and known < cap):
            self.sights[sight] = cap if known in (None, -1) or cap is None else max(cap, known)
            subjects.add(about)
            self.news = True

    def refuses(self, call: str) -> bool:
        """Decide a choice about a call or a text: once a step, since it is the same to the run which of several guards refuses."""
        if call in self._decided:
            return False
        self._decided.add(call)
        self.choices += 1
        return self.choices <= len(self.decisions) and self.decisions[self.choices - 1]

    def limit(self, limit: Limit) -> None:
        """Note a limit of the ring."""
        self.limits.setdefault(limit.name, limit)
        if limit.measure in ENDS_BY_ITSELF:
            self.bounded = True


class SeenLedger:
    """A ledger as guards and documents see it in a walk: in an order of its own, and every kind that is read is noted."""

    def __init__(self, facts: tuple[Fact, ...], noted: Callable[[str], None]) -> None:
        self._ledger = Ledger(facts)
        self._noted = noted

    def __getattr__(self, name: str) -> Any:
        """Whatever is not read by its kind is read as a whole."""
        self._noted(ANY_KIND)
        return getattr(self._ledger, name)

    def __iter__(self) -> Any:
        self._noted(ANY_KIND)
        return iter(self._ledger)

    def __len__(self) -> int:
        self._noted(ANY_KIND)
        return len(self._ledger)

    def of(self, kind: str) -> tuple[Fact, ...]:
        self._noted(kind)
        return self._ledger.of(kind)

    def values(self, kind: str) -> tuple[Any, ...]:
        self._noted(kind)
        return self._ledger.values(kind)

    def has(self, kind: str, value: Any) -> bool:
        self._noted(kind)
        return self._ledger.has(kind, value)

    def field(self, kind: str, key: str) -> Any:
        self._noted(kind)
        return self._ledger.field(kind, key)


class WalkState(RunState, frozen=True, kw_only=True):
    """A run's state, and which limits are near in this walk; they may near at any turn.

    Args:
        soft: the soft threshold of time, tokens or fruitless turns is passed.
        hard: the time or the tokens are used up.
        horizon: the last turn; before it is known, turns are not limited.
    """

    soft: bool = False
    hard: bool = False
    horizon: int | None = None

    @property
    def near(self) -> bool:
        """Whether any limit is."""
        return self.soft or self.hard or self.horizon is not None


def flags(state: RunState) -> tuple[bool, bool, int | None]:
    """How near the limits are: soft, hard, and turns left."""
    if not isinstance(state, WalkState):
        return False, False, None
    return state.soft, state.hard, None if state.horizon is None else state.horizon - state.turn
