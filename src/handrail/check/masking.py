"""Masks: what guards and invariants see of a state in a walk, and the ring with every guard behind one.

- A guard reads what its `looks` declare, with counts cut at their caps; anything else is an error of its declaration.
- A guard whose `looks` are not known may allow or refuse, and so may one that raises on values which the walk has made up:
  both are printed as assumed.
- A limit is far away until the walk says that it nears, which it may at any turn. `NoProgress` withdraws nothing here: a call to a
  tool that is withdrawn is refused, and refused calls are walked anyway.
- The document of an approval sees the whole ledger. What it says is nothing to the run, so states are not told apart by it, but only
  by whether it is still what was shown.
"""

from collections.abc import Mapping
from typing import Any

from handrail.check.notebook import ANYTHING, TEXT, Notebook, SeenLedger, WalkState, flags
from handrail.check.sights import Reader, Sight
from handrail.core.attempt import Raised, attempt
from handrail.core.events import LandingStage
from handrail.core.ring import Guard, JudgedCall, Silent
from handrail.core.state import Reading, RunState
from handrail.errors import AgentError
from handrail.guards.approval import Approval
from handrail.guards.no_progress import NoProgress
from handrail.guards.rule import Rule
from handrail.vocab.calls import By
from handrail.vocab.facts import Fact, Ledger
from handrail.vocab.verdicts import ALLOW, Allow, Hold, Limit, Measure, Refuse, TextVerdict, Verdict

FAR = 1_000_000_000
MADE_UP = frozenset({"facts", "ledger", "computed"})
"""Lenses through which a guard sees values that the walk has made up."""


class Mask:
    """One guard's `Reading` of the state at hand."""

    def __init__(self, guard: Guard, notebook: Notebook, reader: Reader) -> None:
        self.state = RunState()
        self.about = ANYTHING
        self.reads = 0
        self._name = guard.name
        self._documents = isinstance(guard, Approval)
        self._caps = {(lens.what, lens.name): lens.cap for lens in guard.looks or ()}
        self._noted: set[tuple[str, str, str, str]] = set()
        self._notebook = notebook
        self._reader = reader

    def _declared(self, what: str, name: str = "", per: str = "run", *, count: bool = False) -> int:
        self.reads += 1
        try:
            cap = self._caps[what, name]
        except KeyError:
            raise self._wrong(f"reads {what}({name!r}), which is not in its 'looks'; declare Lens({what!r}, {name!r})") from None
        if count and cap is None:
            raise self._wrong(f"declares Lens({what!r}, {name!r}) without a cap; say from which count on it makes no difference")
        if (what, name, per, self.about) not in self._noted:
            self._noted.add((what, name, per, self.about))
            self._notebook.saw(Sight(what, name, per), self.about, cap)
        return FAR if cap is None else cap

    def _wrong(self, what: str) -> AgentError:
        self._notebook.wrong = self._notebook.wrong or f"guard {self._name!r} {what}"
        return AgentError(self._notebook.wrong)

    @property
    def ledger(self) -> Ledger:
        self.reads += 1
        if ("ledger", "") not in self._caps:
            raise self._wrong("reads the ledger, which is not in its 'looks'; declare Lens('ledger')")
        if self._documents:
            return Ledger(self._reader.facts(self.state))
        seen: Any = SeenLedger(self._reader.facts(self.state), lambda kind: self._notebook.saw(Sight("facts", kind), self.about))
        ledger: Ledger = seen
        return ledger

    @property
    def fruitless(self) -> int:
        return min(self.state.fruitless, self._declared("fruitless", count=True))

    @property
    def last_tools(self) -> tuple[str, ...]:
        self._declared("last_tools")
        return self.state.last_tools

    @property
    def turns_left(self) -> int | None:
        cap = self._declared("turns_left", count=True)
        return None if self.state.turns_left is None else min(self.state.turns_left, cap)

    @property
    def landing(self) -> LandingStage:
        self._declared("landing")
        return self.state.landing

    def used(self, tool: str, *, per: str = "run") -> int:
        return min(self.state.used(tool, per=per), self._declared("used", tool, per, count=True))

    def ok(self, tool: str, *, per: str = "run") -> int:
        return min(self.state.ok(tool, per=per), self._declared("ok", tool, per, count=True))

    def computed(self, tool: str) -> tuple[Mapping[str, Any], ...]:
        self._declared("computed", tool)
        return tuple(map(self._reader.decoded, self._reader.computed(self.state, tool)))

    def facts(self, kind: str) -> tuple[Fact, ...]:
        self._declared("facts", kind)
        return tuple(fact for fact in self._reader.facts(self.state) if fact.kind == kind)

    def rounds(self, tool: str) -> int:
        return min(self.state.rounds(tool), self._declared("rounds", tool, count=True))

    def refused_texts(self, guard: str) -> int:
        return min(self.state.refused_texts(guard), self._declared("refused_texts", guard, count=True))

    def waits_for(self, call_id: str, tool: str) -> str | None:
        self._declared("waits_for", tool)
        return self.state.waits_for(call_id, tool)


class Masked:
    """A guard of the agent's behind a mask; `asked` are the questions that it is asked at all."""

    def __init__(self, guard: Guard, notebook: Notebook, reader: Reader, made_up: frozenset[str]) -> None:
        self.guard = guard
        self.name = guard.name
        self.looks = None  # since what it says depends on the walk, and not on the state alone
        self.refuses_text = guard.refuses_text
        self.tools = guard.tools
        self.holds = guard.holds
        self.may_withdraw_submit = guard.may_withdraw_submit
        self.settings: Mapping[str, Any] = {}
        self.most: int = getattr(guard, "most", 1)
        self.screens: bool = getattr(guard, "screens", False)
        self._blind = guard.looks is None
        self._notebook = notebook
        self._made_up = made_up
        self._sees_made_up = any(lens.what in MADE_UP for lens in guard.looks or ())
        self._mask = Mask(guard, notebook, reader)
        self._far: Limit | None = None
        self.asked = frozenset(question for question in ("offers", "judges", "limits") if self._is_asked(question))

    def accepts(self, state: Reading, text: str) -> TextVerdict:
        """What the guard says to a text."""
        if self._blind:
            return self._assumed(TEXT, "it does not say what it looks at")
        verdict = attempt(self.guard.accepts, self._seen(state, TEXT), text)
        if isinstance(verdict, Raised):
            if self._sees_made_up:
                return self._assumed(TEXT, f"it raised on made-up values: {verdict.what}")
            return Refuse("guard_raised", f"This text could not be checked ({verdict.what}).")
        return verdict

    def holds_for_person(self, state: Reading, call: JudgedCall) -> Hold | None:
        """The guard's hold of the call for a person, if it has one: asked outside of any step."""
        if self._blind or (call.tool, By.PERSON) not in self.holds:
            return None
        verdict = attempt(self.guard.judges, self._seen(state, call.tool), call)
        return verdict if isinstance(verdict, Hold) and verdict.by == By.PERSON else None

    @property
    def reads_ledger(self) -> bool:
        """Whether it is an approval whose document reads the ledger."""
        return isinstance(self.guard, Approval) and bool(self.guard.looks)

    def _is_asked(self, question: str) -> bool:
        if getattr(type(self.guard), question, None) is getattr(Silent, question):
            return False
        return question == "limits" or not (isinstance(self.guard, NoProgress) or (question == "offers" and self._blind))

    def _seen(self, state: Reading, about: str) -> Mask:
        if isinstance(state, RunState):
            self._mask.state = state
        self._mask.about = about
        return self._mask

    def offers(self, state: Reading, tool: str) -> bool:
        """May the model see this tool now?"""
        offers = attempt(self.guard.offers, self._seen(state, tool), tool)
        return not isinstance(offers, Raised) and offers

    def judges(self, state: Reading, call: JudgedCall) -> Verdict:
        """What the guard says to a call."""
        if self._blind:
            return self._unknown(call)
        verdict = attempt(self.guard.judges, self._seen(state, call.tool), call)
        if isinstance(verdict, Raised):
            if self._sees_made_up or call.tool in self._made_up:
                return self._assumed(call.id, f"it raised on made-up values: {verdict.what}")
            return Refuse("guard_raised", f"This could not be checked ({verdict.what}).")
        return verdict

    def _unknown(self, call: JudgedCall) -> Verdict:
        if isinstance(self.guard, Rule) and self.guard.tool not in (None, call.tool):
            return ALLOW
        verdict = self._assumed(call.id, "it does not say what it looks at")
        by = next((by for tool, by in self.holds if tool == call.tool), None)
        return Hold(by=by, show=dict(call.arguments)) if by is not None and verdict == ALLOW else verdict

    def _assumed(self, what: str, why: str) -> Allow | Refuse:
        self._notebook.assumed.setdefault(self.name, why)
        refuses = self._notebook.refuses(what)
        return Refuse("assumed", f"{self.name} may refuse this.") if refuses else ALLOW

    def limits_now(self) -> tuple[Limit | None, bool]:
        """The limit while it is far, and whether it is the same in every state: it is, if nothing of the state is read for it."""
        reads = self._mask.reads
        limit = attempt(self.limits, WalkState())
        return limit if isinstance(limit, Limit) else None, self._mask.reads == reads

    def limits(self, state: Reading) -> Limit | None:
        """The guard's limit, as near as the walk says."""
        limit = self.guard.limits(self._seen(state, ANYTHING))
        if limit is None:
            return None
        self._notebook.limit(limit)
        soft, hard, left = flags(self._mask.state)
        if not soft and not hard and left is None:
            if self._far is None or self._far.name != limit.name:
                self._far = Limit(name=limit.name, measure=limit.measure, soft=FAR, hard=FAR)
            return self._far
        if limit.measure is Measure.TURNS:
            end = FAR if left is None else self._mask.state.turn + left
            return Limit(name=limit.name, measure=limit.measure, soft=end, hard=end)
        near = -1 if soft else FAR
        fruitless = limit.measure is Measure.FRUITLESS
        reached = -1 if hard and not fruitless else FAR
        return Limit(name=limit.name, measure=limit.measure, soft=near, hard=reached, bare=near if fruitless else None)
