"""Moves: everything that a model, the world and people can do in a state.

- A model calls each tool on offer with each set of arguments, makes one call that does not fit, says something short or long, or
  nothing, declines, or fails. With `batch=2` it also makes each pair of calls.
- A call returns with or without each kind of fact that anybody looks for, fails, or (what is no read) gets lost.
- A person says yes, no, something else, or nothing until it is too late; a reviewer or a screener passes, finds flaws, or fails.
- The user speaks where they are asked, and while the model thinks. While calls run it would be to the same end.
- Limits near when they like: these moves come with a mark on the state (`soft`, `hard`, `horizon`). The landing goes down its rungs by
  empty replies, which needs no limit and leads to the same states. On the way down nothing happens that could not have happened before.
- Not walked: a summary (no guard sees the transcript), a back-off (a turn like any other), a take-over (its calls are lost, or run again)
  and a cancel (the end, at once).
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from itertools import chain, combinations, product

import msgspec

from handrail.check.candidates import Candidates
from handrail.check.notebook import WalkState
from handrail.core.agent import Agent
from handrail.core.effects import AskClient, AskPerson, AskReviewer, CallModel, Effect, RunTool, ScreenInput
from handrail.core.events import (
    HoldAnswered,
    Input,
    InputScreened,
    LandingStage,
    ModelFailed,
    ModelReplied,
    RunStarted,
    Ticked,
    ToolFailed,
    ToolLost,
    ToolReturned,
    ToolStarted,
    UserSaid,
)
from handrail.core.outstanding import outstanding
from handrail.core.ring import Callable, JudgedCall, Parsed
from handrail.core.state import OpenCall, RunState
from handrail.core.table import Phase, Stage
from handrail.vocab.calls import ProposedCall, ToolEffect, Where, call_id
from handrail.vocab.facts import Fact
from handrail.vocab.failures import FailureKind
from handrail.vocab.outcomes import HoldKind
from handrail.vocab.reviews import Answer
from handrail.vocab.verdicts import Limit, Measure

BEGIN = datetime(2030, 1, 1, tzinfo=UTC)
AGAIN = "the same result"
RUNGS = 3
"""Turns before the end at which the landing begins."""
UNFIT = "{"
UNKNOWN = "no_such_tool"
MORE_EMPTY = {
    LandingStage.NONE: 2,
    LandingStage.NUDGE: 1,
    LandingStage.SUBMIT_ONLY: 1,
    LandingStage.FORCED: 0,
    LandingStage.LANDED: 0,
}
"""Empty replies after a first one until the landing is a rung further down (from the beginning: two rungs)."""


class Move(msgspec.Struct, frozen=True, kw_only=True):
    """One input, or a few in a row, and what is said about limits first.

    Args:
        by_person: nobody but a person can make it.
        told: how a story tells it, where the input alone does not.
    """

    inputs: tuple[Input, ...]
    soft: bool = False
    hard: bool = False
    horizon: int | None = None
    by_person: bool = False
    told: str = ""

    @property
    def nears(self) -> bool:
        """Whether it says anything about limits."""
        return self.soft or self.hard or self.horizon is not None


class World:
    """The moves of one walk."""

    def __init__(self, agent: Agent, candidates: Candidates, *, batch: int, horizon: int) -> None:
        """Know how many last turns anybody looks at (`horizon`)."""
        self._agent = agent
        self._horizon = horizon
        self._candidates = candidates
        self._batch = batch
        self.texts = candidates.texts
        self._facts: dict[tuple[str, frozenset[str]], tuple[tuple[Fact, ...], ...]] = {}

    def calls(self, tool: Callable) -> Iterator[JudgedCall]:
        """The calls of a tool that are tried, as guards see them."""
        for arguments in self._candidates.arguments[tool.name]:
            parsed = tool.parse(arguments)
            if isinstance(parsed, Parsed):
                yield JudgedCall(id=call_id(1, 1), tool=tool.name, effect=tool.effect, arguments=parsed.values)

    def begins(self, limits: tuple[Limit, ...]) -> Iterator[Move]:
        """How a run begins; with so few turns that they are near at once, a second time with that."""
        started = RunStarted(at=BEGIN, run_id="check", agent=self._agent.name, fingerprint=self._agent.fingerprint, message="Please do it.")
        yield Move(inputs=(started,))
        turns = [int(limit.hard) for limit in limits if limit.measure is Measure.TURNS and limit.hard <= max(self._horizon, 1)]
        if turns:
            yield Move(inputs=(started,), horizon=min(turns), told=f"with {min(turns)} turns")

    def moves(self, state: WalkState, *, limits: Mapping[str, Limit], kinds: frozenset[str], again: bool) -> Iterator[Move]:
        """What can come next.

        Args:
            state: where the run is.
            limits: those of the ring, by name.
            kinds: kinds of facts that anybody looks for.
            again: whether a result that brings nothing new is another thing to anybody.
        """
        if state.phase is Phase.DONE:
            return
        effects = outstanding(state)
        for effect in effects:
            yield from self._answers(state, effect, kinds, again)
        for call in state.calls:
            if call.stage is Stage.RUNNING and call.where is Where.CLIENT:
                yield from self._from_browser(state, call, kinds, again)
        if any(isinstance(effect, AskPerson) for effect in effects):
            yield Move(inputs=(_speaking(state),), by_person=True)
        elif state.phase is Phase.THINKING:
            yield from self._overtaken(state)
        yield from self._nearing(state, limits)

    def _answers(self, state: WalkState, effect: Effect, kinds: frozenset[str], again: bool) -> Iterator[Move]:
        match effect:
            case CallModel():
                yield from self._replies(state, effect)
            case RunTool():
                yield from self._results(state, effect.call, effect.tool, kinds, again)
            case AskClient():
                yield Move(inputs=(ToolStarted(at=_now(state), call=effect.call),), told=f"the browser takes {effect.tool}")
                yield Move(inputs=(Ticked(at=effect.deadline),), told=f"the browser does not take {effect.tool} in time")
            case AskPerson():
                yield from _from_person(state, effect)
            case AskReviewer():
                yield from _from_reviewer(state, effect)
            case ScreenInput():
                yield from _from_screener(state, effect)
            case _:
                pass

    def _replies(self, state: WalkState, effect: CallModel) -> Iterator[Move]:
        (short, long), at, turn = self.texts, _now(state), effect.turn
        calls = [(name, arguments) for name in effect.offered for arguments in self._candidates.arguments[name]]
        for name, arguments in calls:
            yield Move(inputs=(_calling(at, turn, [(name, arguments)]),))
        if effect.offered:
            yield Move(inputs=(_calling(at, turn, [(effect.offered[0], UNFIT)]),), told="with arguments that do not fit")
        for pair in product(calls, repeat=2) if self._batch > 1 else ():
            yield Move(inputs=(_calling(at, turn, list(pair)),))
        yield Move(inputs=(ModelReplied(at=at, turn=turn, text=short),), told="the model says something short")
        yield Move(inputs=(ModelReplied(at=at, turn=turn, text=long),), told="the model says something long")
        yield Move(inputs=(ModelReplied(at=at, turn=turn, refusal="I cannot help with that."),), told="the model declines to answer")
        yield Move(inputs=(ModelFailed(at=at, turn=turn, kind=FailureKind.UNAVAILABLE),))

    def _overtaken(self, state: WalkState) -> Iterator[Move]:
        """The user speaks, and the reply that has not heard it comes: with a text, or a call that needs the last word."""
        at, turn, spoken = _now(state), state.turn, _speaking(state)
        yield Move(inputs=(spoken, ModelReplied(at=at, turn=turn, text=self.texts[0])), by_person=True)
        for name in state.offer.offered:
            if self._agent.tools[name].effect is not ToolEffect.READ:
                call = (name, self._candidates.arguments[name][0])
                yield Move(inputs=(spoken, _calling(at, turn, [call])), by_person=True)

    def _results(self, state: WalkState, call: str, tool: str, kinds: frozenset[str], again: bool) -> Iterator[Move]:
        at = _now(state)
        sets = self._found(tool, kinds)
        for facts in sets:
            told = "" if facts or len(sets) == 1 else "with nothing that anybody looks for"
            yield Move(inputs=(ToolReturned(at=at, call=call, content=f"result {state.seq}", text=True, facts=facts),), told=told)
            if again:
                yield Move(inputs=(ToolReturned(at=at, call=call, content=AGAIN, text=True, facts=facts),), told="with nothing new")
        yield Move(inputs=(ToolFailed(at=at, call=call, error="It did not work."),))
        if self._agent.tools[tool].effect is not ToolEffect.READ:
            yield Move(inputs=(ToolLost(at=at, call=call, error="Nobody knows whether it happened."),))

    def _found(self, tool: str, kinds: frozenset[str]) -> tuple[tuple[Fact, ...], ...]:
        """With or without the facts of each kind that matters; all values of a kind come together."""
        found = self._facts.get((tool, kinds))
        if found is None:
            produced = sorted(kind for kind in self._agent.tools[tool].produces if kind in kinds or "*" in kinds)
            sets = chain.from_iterable(combinations(produced, count) for count in range(len(produced), -1, -1))
            found = self._facts[tool, kinds] = tuple(tuple(chain.from_iterable(map(self._values, each))) for each in sets)
        return found

    def _values(self, kind: str) -> Iterator[Fact]:
        for value in self._candidates.known.get(kind, ("one",)):
            yield Fact(kind=kind, value=value)

    def _from_browser(self, state: WalkState, call: OpenCall, kinds: frozenset[str], again: bool) -> Iterator[Move]:
        for move in self._results(state, call.id, call.name, kinds, again):
            if not isinstance(move.inputs[0], ToolLost):
                yield move
        if call.expires_at is not None:
            yield Move(inputs=(Ticked(at=call.expires_at),), told=f"the browser does not answer {call.name} in time")

    def _nearing(self, state: WalkState, limits: Mapping[str, Limit]) -> Iterator[Move]:
        measures = {limit.measure: limit for limit in limits.values()}
        ends = [measures[measure] for measure in (Measure.TIME, Measure.TOKENS) if measure in measures]
        if state.phase is Phase.THINKING and not state.near:
            yield from self._last_turns(state, measures)
        if ends and state.phase is not Phase.WAITING and not state.hard:
            yield Move(inputs=(Ticked(at=_now(state)),), hard=True, told=f"{ends[0].name} is reached")

    def _last_turns(self, state: WalkState, measures: Mapping[Measure, Limit]) -> Iterator[Move]:
        at, submits = _now(state), self._agent.submit is not None
        pointless = (_calling(at, state.turn, [(UNKNOWN, "{}")]),)
        empty = 1 + MORE_EMPTY[state.landing] if submits else 1 if self._agent.empty_reply == "accept" else 2
        nothing = tuple(ModelReplied(at=at, turn=turn) for turn in range(state.turn, state.turn + empty))
        yield Move(inputs=nothing, told=f"the model replies with nothing, {empty} times" if empty > 1 else "the model replies with nothing")
        if Measure.FRUITLESS in measures and not submits:
            yield Move(inputs=pointless, soft=True, told=f"{measures[Measure.FRUITLESS].name} is reached")
        if Measure.TURNS in measures and (self._horizon or not submits):
            end = state.turn + max(self._horizon, RUNGS if submits else 1)
            yield Move(inputs=pointless, horizon=end, told=f"the last turns of {measures[Measure.TURNS].name} begin")


def _calling(at: datetime, turn: int, calls: list[tuple[str, str]]) -> ModelReplied:
    proposed = (
        ProposedCall(id=call_id(turn, index), name=name, arguments=arguments, provider_id=f"p{turn}_{index}")
        for index, (name, arguments) in enumerate(calls, 1)
    )
    return ModelReplied(at=at, turn=turn, calls=tuple(proposed), finish="tool_calls")


def _speaking(state: RunState) -> UserSaid:
    return UserSaid(at=_now(state), text="Something else.")


def _from_person(state: WalkState, effect: AskPerson) -> Iterator[Move]:
    at = _now(state)
    if effect.kind is HoldKind.APPROVAL:
        for answer in (Answer.YES, Answer.NO):
            yield Move(inputs=(HoldAnswered(at=at, hold=effect.hold, digest=effect.digest, answer=answer),), by_person=True)
    if effect.expires_at is not None:
        yield Move(inputs=(Ticked(at=effect.expires_at),), by_person=True, told="nobody answers in time")


def _from_reviewer(state: WalkState, effect: AskReviewer) -> Iterator[Move]:
    for answer in (Answer.PASSED, Answer.FLAWED, Answer.FAILED):
        flaws = ("It has a flaw.",) if answer is Answer.FLAWED else ()
        yield Move(inputs=(HoldAnswered(at=_now(state), hold=effect.hold, digest=effect.digest, answer=answer, flaws=flaws),))


def _from_screener(state: WalkState, effect: ScreenInput) -> Iterator[Move]:
    for answer in (Answer.PASSED, Answer.FLAWED, Answer.FAILED):
        yield Move(inputs=(InputScreened(at=_now(state), guard=effect.guard, said=len(effect.said), answer=answer),))


def _now(state: RunState) -> datetime:
    return state.clock.at if state.clock is not None else BEGIN
