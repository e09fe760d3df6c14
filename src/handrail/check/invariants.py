"""Invariants in a walk: the agent's own, and the two that hold for every agent with an approval.

An invariant takes `(state before, event)` and says what is wrong, or `None`. It may carry `looks`, as a guard does (see `invariant`).
"""

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from handrail.check.masking import Masked
from handrail.check.notebook import ANYTHING, Notebook, SeenLedger
from handrail.check.sights import Reader, Sight
from handrail.core.agent import Agent, Invariant
from handrail.core.attempt import Raised, attempt
from handrail.core.events import CallCleared, CallHeld, Event
from handrail.core.judge import judge
from handrail.core.ring import JudgedCall
from handrail.core.state import OpenCall, RunState
from handrail.vocab.calls import By
from handrail.vocab.reviews import Answer
from handrail.vocab.verdicts import Lens

NO_HELD_CALL = "no held call runs without its yes"
NO_SUBMIT = "no submit without an approval of that very call"
F = TypeVar("F", bound=Invariant)


def invariant(*looks: Lens) -> Callable[[F], F]:
    """Say what an invariant looks at, so that `check` tells states apart by it, with a cap for counts."""

    def declared(function: F) -> F:
        vars(function)["looks"] = looks
        return function

    return declared


class Invariants:
    """All that must hold at each event of a walk."""

    def __init__(self, declared: Agent, walked: Agent, guards: tuple[Masked, ...], notebook: Notebook, reader: Reader) -> None:
        self._agent = walked
        self._guards = guards
        self._notebook = notebook
        self._own = [(name, each, Witness(name, getattr(each, "looks", ()), notebook, reader)) for name, each in _named(declared)]
        self._held = frozenset(tool for guard in guards for tool, by in guard.holds if by is By.PERSON)
        built_in = [NO_HELD_CALL] if self._held else []
        self.names = (*built_in, *([NO_SUBMIT] if declared.submit in self._held else []), *(name for name, _, _ in self._own))

    def concerned(self, events: tuple[Event, ...]) -> bool:
        """Whether there is anything to look at in these events."""
        return bool(self._own) or (bool(self._held) and any(isinstance(event, CallCleared) for event in events))

    def broken(self, state: RunState, event: Event) -> tuple[str, str] | None:
        """The first invariant that does not hold at the event, and what is wrong."""
        if self._held and isinstance(event, CallCleared) and (broken := self._cleared(state, event)) is not None:
            return broken
        return next(self._broken(state, event), None)

    def _broken(self, state: RunState, event: Event) -> Iterator[tuple[str, str]]:
        for name, function, witness in self._own:
            witness.state = state
            seen: Any = witness
            wrong = attempt(function, seen, event)
            if isinstance(wrong, Raised):
                yield name, f"the invariant itself raised {wrong.what}"
            elif wrong is not None:
                yield name, wrong

    def _cleared(self, state: RunState, event: CallCleared) -> tuple[str, str] | None:
        call = state.call(event.call)
        tool = self._agent.tools.get(call.name) if call is not None else None
        if call is None or tool is None or tool.name not in self._held:
            return None
        judged = JudgedCall(id=call.id, tool=tool.name, effect=tool.effect, arguments=msgspec.json.decode(event.arguments))
        for guard in self._guards:
            if guard.holds_for_person(state, judged) and not self._has_yes(state, call, guard.name):
                name = NO_SUBMIT if tool.name == self._agent.submit else NO_HELD_CALL
                return name, f"{tool.name} is cleared, though {guard.name} holds it and nobody has said yes to this very call"
        return None

    def _has_yes(self, state: RunState, call: OpenCall, guard: str) -> bool:
        """Whether the call has a yes to exactly what it would be held for if it had none."""
        given = {answer.digest for answer in call.answers if answer.guard == guard and answer.answer is Answer.YES}
        others = tuple(answer for answer in call.answers if answer.guard != guard or answer.answer is not Answer.YES)
        without = replace(call, answers=others)
        calls = tuple(without if other is call else other for other in state.calls)
        self._notebook.begin(())
        held = judge(self._agent, replace(state, calls=calls))
        return isinstance(held, CallHeld) and held.call == call.id and held.guard == guard and held.digest in given


def _named(agent: Agent) -> Iterator[tuple[str, Invariant]]:
    yield from ((getattr(each, "__name__", type(each).__name__), each) for each in agent.invariants)


class Witness:
    """What an invariant sees of a state: everything, but what states are not told apart by is noted as assumed.

    Counts are told apart up to the cap of the invariant's own lens, else up to `COUNTED`.
    """

    COUNTED = 3
    OPEN = frozenset({"phase", "calls", "call", "landing", "offer", "reply", "stop", "inbox", "can_ask", "waits_for"})

    def __init__(self, name: str, looks: tuple[Any, ...], notebook: Notebook, reader: Reader) -> None:
        self.state = RunState()
        self._name = name
        self._caps = {(lens.what, lens.name): lens.cap for lens in looks}
        self._notebook = notebook
        self._reader = reader

    def __getattr__(self, name: str) -> Any:
        """Anything of the state."""
        if name in {"used", "ok", "rounds", "refused_texts"}:
            return lambda tool, **per: self._count(name, tool, **per)
        if name in {"fruitless", "turns_left"}:
            self._notebook.saw(Sight(name), ANYTHING, self._cap(name, ""))
        elif name == "ledger":
            return SeenLedger(self._reader.facts(self.state), lambda kind: self._notebook.saw(Sight("facts", kind), ANYTHING))
        elif name in {"facts", "computed"}:
            return lambda argument: self._values(name, argument)
        elif name == "last_tools":
            self._notebook.saw(Sight(name), ANYTHING)
        elif name not in self.OPEN:
            self._notebook.assumed.setdefault(f"invariant {self._name}", f"it reads {name!r}, which states are not told apart by")
        return getattr(self.state, name)

    def _cap(self, what: str, name: str) -> int:
        cap = self._caps.get((what, name))
        return self.COUNTED if cap is None else cap

    def _count(self, what: str, name: str, per: str = "run") -> int:
        self._notebook.saw(Sight(what, name, per), ANYTHING, self._cap(what, name))
        count: int = getattr(self.state, what)(name, per=per) if what in {"used", "ok"} else getattr(self.state, what)(name)
        return count

    def _values(self, what: str, argument: str) -> Any:
        self._notebook.saw(Sight(what, argument), ANYTHING)
        return getattr(self.state, what)(argument)
