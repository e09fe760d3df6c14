"""`replayed(agent, events)`: a journal judged again with today's ring.

- Up to the first difference each recorded judgement is held against the one that `judge` comes to in the recorded state.
- From there on the run is today's: the recorded inputs are fed in their order, and those that no longer fit are listed.
- A journal that was cut (its last judgements are missing) is no difference.
"""

from collections.abc import Sequence

import msgspec

from handrail.core.agent import Agent
from handrail.core.events import INPUTS, JUDGEMENTS, Event, Input, Judgement, Ticked
from handrail.core.evolve import evolve
from handrail.core.judge import judge
from handrail.core.react import settled, step
from handrail.core.stale import StaleCode
from handrail.core.state import RunState
from handrail.errors import Bug, JournalError, StaleInput


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """Where today's ring judges otherwise.

    Args:
        seq: the number of the event in the journal, counting from 0.
        recorded: what the journal has there; `None` where it has no judgement.
        today: what is judged today; `None` where nothing is.
        names: the tools of the calls that are open there.
    """

    seq: int
    recorded: Judgement | None
    today: Judgement | None
    names: dict[str, str]


class UnfitInput(msgspec.Struct, frozen=True, kw_only=True):
    """A recorded input that today's run has no place for, and why (a `StaleCode`)."""

    seq: int
    input: Input
    code: str


class Replay(msgspec.Struct, frozen=True, kw_only=True):
    """What came of judging a journal again.

    Args:
        events: how many the journal has.
        difference: the first one; `None` where today's ring judges the same.
        follows: what happens from there on, with today's ring.
        unfit: inputs that no longer fit.
        state: how it ends today.
    """

    events: int
    difference: Difference | None
    follows: tuple[Event, ...]
    unfit: tuple[UnfitInput, ...]
    state: RunState


def replayed(agent: Agent, events: Sequence[Event]) -> Replay:
    """Judge a journal again.

    Raises:
        JournalError: it is none: it is empty, or an event has no place in it.
    """
    if not events:
        raise JournalError("the journal is empty; there is nothing to judge again")
    state = RunState()
    for seq, event in enumerate(events):
        today = judge(agent, state)
        recorded = event if isinstance(event, JUDGEMENTS) else None
        if today != recorded:
            names = {call.id: call.name for call in state.calls}
            return _otherwise(agent, state, events, Difference(seq=seq, recorded=recorded, today=today, names=names))
        state = _evolved(state, seq, event)
    return Replay(events=len(events), difference=None, follows=(), unfit=(), state=state)


def _evolved(state: RunState, seq: int, event: Event) -> RunState:
    try:
        return evolve(state, event)
    except Bug as error:
        raise JournalError(f"event {seq} ({type(event).__name__}) has no place in this journal: {error}") from error


def _otherwise(agent: Agent, state: RunState, events: Sequence[Event], difference: Difference) -> Replay:
    """Go on with today's judgements and the recorded inputs."""
    judgements, state = settled(agent, state)
    follows: list[Event] = list(judgements)
    unfit: list[UnfitInput] = []
    for seq, event in enumerate(events[difference.seq :], difference.seq):
        if not isinstance(event, INPUTS):
            continue
        try:
            more, state = step(agent, state, event)
        except StaleInput as stale:
            unfit.append(UnfitInput(seq=seq, input=event, code=stale.code))
            if stale.code != StaleCode.EXPIRED:
                continue
            more, state = step(agent, state, Ticked(at=event.at))
        follows.extend(more)
    return Replay(events=len(events), difference=difference, follows=tuple(follows), unfit=tuple(unfit), state=state)
