"""`react` and `step`: an input, and all the judgements that it leads to."""

from handrail.core.agent import Agent
from handrail.core.events import Event, Input, RunStarted, ToolReturned, UserSaid
from handrail.core.evolve import evolve
from handrail.core.judge import judge
from handrail.core.stale import stale
from handrail.core.state import RunState
from handrail.core.table import Stage
from handrail.errors import Bug, InputError, StaleInput
from handrail.vocab.calls import Where
from handrail.vocab.facts import Fact

MOST_JUDGEMENTS = 1_000
"""Judgements in a row on one input; more of them means that the core does not come to rest, which is a bug."""


def react(agent: Agent, state: RunState, event: Input) -> tuple[Event, ...]:
    """The input itself and the judgements that it leads to.

    Raises:
        StaleInput: the run has no place for it.
    """
    return step(agent, state, event)[0]


def step(agent: Agent, state: RunState, event: Input) -> tuple[tuple[Event, ...], RunState]:
    """What to append to the journal, and the state after it.

    Raises:
        StaleInput: the run has no place for the input. One whose code is `expired` still moves the clock: step `Ticked` then.
        InputError: the user's message is empty.
    """
    code = stale(state, event)
    if code is not None:
        raise StaleInput(code, f"{type(event).__name__} has no place in this run any more ({code.value})")
    understood = _understood(state, event)
    events, after = settled(agent, evolve(state, understood))
    return (understood, *events), after


def settled(agent: Agent, state: RunState) -> tuple[tuple[Event, ...], RunState]:
    """The judgements that are due in a state, and the state after them; none where the journal is complete."""
    events: list[Event] = []
    while (event := judge(agent, state)) is not None:
        state = evolve(state, event)
        events.append(event)
        if len(events) > MOST_JUDGEMENTS:
            raise Bug(f"the core does not come to rest: {[type(event).__name__ for event in events[-4:]]!r}")
    return tuple(events), state


def _understood(state: RunState, event: Input) -> Input:
    """What the user says while a question is open is its answer."""
    if not isinstance(event, (RunStarted, UserSaid)):
        return event
    text = event.message if isinstance(event, RunStarted) else event.text
    if not text:
        raise InputError("a message needs a text; this one is empty")
    for call in state.calls:
        if call.stage is Stage.CLEARED and call.where is Where.PERSON and (call.expires_at is None or event.at < call.expires_at):
            fact = Fact(kind="answer", value=text, about={"asked": call.arguments or "{}"})
            return ToolReturned(at=event.at, call=call.id, content=text, text=True, facts=(fact,))
    return event
