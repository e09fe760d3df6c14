"""The limits of a ring, read against a state: what is near, what is reached, and the next rung of the ladder."""

from collections.abc import Callable, Iterable, Mapping
from operator import attrgetter

import msgspec

from handrail.core.agent import Agent
from handrail.core.attempt import attempt
from handrail.core.ending import REQUESTED
from handrail.core.events import LandingStage
from handrail.core.state import RunState
from handrail.vocab.calls import By
from handrail.vocab.verdicts import Limit, Measure

MOST_TAKEOVERS = 5
RUNGS = (LandingStage.NONE, LandingStage.NUDGE, LandingStage.SUBMIT_ONLY, LandingStage.FORCED, LandingStage.LANDED)
_ENDS_WITH_A_TURN = frozenset({Measure.TURNS, Measure.TOKENS})
BY_TURNS_LEFT = {3: LandingStage.NUDGE, 2: LandingStage.SUBMIT_ONLY, 1: LandingStage.FORCED}


class Rung(msgspec.Struct, frozen=True):
    """Where the landing should be, and because of what."""

    stage: LandingStage
    limit: str


def limits_of(agent: Agent, state: RunState) -> tuple[Limit, ...]:
    """What the guards say; a guard that raises limits nothing."""
    if agent.limits is not None:
        return agent.limits
    found = [attempt(guard.limits, state) for guard in agent.limiting]
    return tuple([limit for limit in found if isinstance(limit, Limit)])


def reached_at_once(agent: Agent, state: RunState) -> str | None:
    """The name of a limit that ends the run now, whatever is going on: time, tokens, take-overs, or somebody's wish.

    Without a submit tool the reply that used the tokens up may still be the answer; see `last_turn`.
    """
    if state.stop == "landing":
        return state.stop_reason or REQUESTED
    if state.takeovers > MOST_TAKEOVERS:
        return f"{MOST_TAKEOVERS} take-overs without progress"
    for limit in limits_of(agent, state):
        at_once = limit.measure is Measure.TIME or (limit.measure is Measure.TOKENS and agent.submit is not None)
        if at_once and used(state, limit) >= limit.hard:
            return limit.name
    return None


def reached_before_a_turn(agent: Agent, state: RunState, limits: Iterable[Limit]) -> str | None:
    """The name of a limit that allows no further turn."""
    for limit in limits:
        hard = limit.bare if agent.submit is None and limit.bare is not None else limit.hard
        if used(state, limit) >= hard:
            return limit.name
    return None


def last_turn(agent: Agent, state: RunState) -> str | None:
    """The name of a limit that allows no turn after this one, for an agent that no call of this turn can end."""
    if agent.submit is not None:
        return None
    for limit in limits_of(agent, state):
        if limit.measure in _ENDS_WITH_A_TURN and used(state, limit) >= limit.hard:
            return limit.name
    return None


def used(state: RunState, limit: Limit) -> float:
    """How much of a limit's measure the run has used."""
    return _USED[limit.measure](state)


def _active(state: RunState) -> float:
    return state.clock.active if state.clock is not None else 0.0


_USED: Mapping[Measure, Callable[[RunState], float]] = {
    Measure.TIME: _active,
    Measure.TURNS: attrgetter("turn"),
    Measure.TOKENS: attrgetter("usage.total"),
    Measure.FRUITLESS: attrgetter("fruitless"),
}


def next_rung(agent: Agent, state: RunState, limits: Iterable[Limit]) -> Rung | None:
    """The rung that the landing goes down to before the next turn, if any: one a turn, by the first limit that is near."""
    if agent.submit is None or state.rung_turn == state.turn:
        return None
    best: Rung | None = None
    for limit in limits:
        stage = _by_turns(state, limit) if limit.measure is Measure.TURNS else _by_threshold(state, limit)
        if stage is not None and (best is None or RUNGS.index(stage) > RUNGS.index(best.stage)):
            best = Rung(stage, limit.name)
    if best is None and (name := _by_ring(agent, agent.submit, state)) is not None:
        best = Rung(_after(state.landing), name)
    return best if best is not None and RUNGS.index(best.stage) > RUNGS.index(state.landing) else None


def _by_turns(state: RunState, limit: Limit) -> LandingStage | None:
    return BY_TURNS_LEFT.get(int(limit.hard) - state.turn) if state.turn > 0 else None


def _by_threshold(state: RunState, limit: Limit) -> LandingStage | None:
    return _after(state.landing) if used(state, limit) >= limit.soft else None


def _by_ring(agent: Agent, submit: str, state: RunState) -> str | None:
    if state.empties > 1:
        return "empty replies"
    exhausted = state.flaws.get(submit) and any(
        state.rounds(submit) >= getattr(agent.guard(name), "most", 1) for name in agent.holders(submit, By.REVIEWER)
    )
    if exhausted and not agent.holders(submit, By.PERSON):
        return agent.holders(submit, By.REVIEWER)[0]
    if state.landing is LandingStage.FORCED:
        return state.limit
    return None


def _after(stage: LandingStage) -> LandingStage:
    return RUNGS[min(RUNGS.index(stage) + 1, len(RUNGS) - 1)]
