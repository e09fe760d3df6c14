"""The door to running an agent in this process: `run`, `resume` and `stream`.

- A run that needs somebody who is not here comes back as `Parked`, and `resume` goes on with it from its journal, in any process.
- Cancelling the task that awaits a run stops everything that the run has started, and leaves its journal resumable.
- Without a journal nothing outlives the call: a parked run is then lost.
"""

import secrets
from collections.abc import Sequence
from typing import Any

from handrail.core.agent import Agent
from handrail.core.effects import AskReviewer, CallModel, RunTool, ScreenInput, Summarise
from handrail.core.events import Event, RunStarted, TakenOver
from handrail.core.evolve import fold
from handrail.core.judge import judge
from handrail.core.outstanding import open_holds, outstanding
from handrail.core.stale import StaleCode, stale
from handrail.core.state import RunState
from handrail.drivers.at_work import working_on
from handrail.drivers.clock import SystemClock
from handrail.drivers.handle import RunHandle
from handrail.drivers.loop import Loop
from handrail.drivers.people import answering
from handrail.drivers.streaming import Stream
from handrail.drivers.watching import OnEvent, Watch
from handrail.drivers.world import World
from handrail.errors import InputError, JournalError, StaleInput
from handrail.ports import Clock, Journal, Model, OnDelta, Person
from handrail.stores.journals import MemoryJournal
from handrail.vocab.answers import Answered, PersonAnswer
from handrail.vocab.contract import check_transcript
from handrail.vocab.messages import AssistantMessage, Message, ToolMessage, UserMessage
from handrail.vocab.outcomes import Outcome, Parked
from handrail.vocab.usage import HISTORY_LIMIT


async def run(
    agent: Agent,
    message: str,
    *,
    model: Model,
    deps: Any = None,
    history: Sequence[Message] = (),
    history_limit: int | None = HISTORY_LIMIT,
    ask: Person | None = None,
    journal: Journal | None = None,
    on_event: OnEvent | None = None,
    on_delta: OnDelta | None = None,
    clock: Clock | None = None,
    run_id: str | None = None,
    handle: RunHandle | None = None,
) -> Outcome | Parked:
    """Run the agent on a message, to its end or until it waits for somebody who is not here.

    Args:
        agent: what runs.
        message: what the user says.
        model: answers for the agent and its reviewers.
        deps: given to the tools as `ToolContext.deps`.
        history: what was said before, as `history_of` gives it.
        history_limit: tokens of a request beyond which older turns are summarised, 1 or more; `None` for no limit of ours.
        ask: asks a person, one question at a time: `Yes`, `No`, `Say`, or `None` where nobody can be asked now.
        journal: keeps the run's events; needed to resume it.
        on_event: called with each event and the state after it; sync or async.
        on_delta: called with streamed text, once nobody can refuse it any more.
        clock: the time.
        run_id: a name of one's own, that the journal does not have yet.
        handle: speaks into the run while it is going on.

    Raises:
        InputError: the message is empty, the history is not valid, the journal has a run of that name already,
            or `ask` gave something that is no answer.
        StaleWriter: somebody else writes to the same run.
    """
    if not message:
        raise InputError("an empty message asks for nothing; give run() a text")
    if history_limit is not None and history_limit < 1:
        raise InputError(f"history_limit is 1 or more tokens, or None for no limit, not {history_limit!r}")
    if run_id is not None and journal is not None and await journal.read(run_id):
        raise InputError(f"the journal has a run {run_id!r} already; use resume() to go on with it, or give this one another name")
    clock = clock or SystemClock()
    started = RunStarted(
        at=clock.now(),
        run_id=run_id or new_run_id(),
        agent=agent.name,
        fingerprint=agent.fingerprint,
        message=message,
        history=_checked(history),
        history_limit=history_limit,
        can_ask=ask is not None or journal is not None,
    )
    loop = loop_of(
        agent,
        model=model,
        deps=deps,
        ask=ask,
        journal=journal or MemoryJournal(),
        clock=clock,
        on_event=on_event,
        on_delta=on_delta,
        handle=handle,
    )
    with working_on(started.run_id):
        state, _ = await loop.apply(RunState(), started)
        return _ended(await loop.go(state))


async def resume(
    run_id: str,
    *,
    agent: Agent,
    model: Model,
    journal: Journal,
    deps: Any = None,
    ask: Person | None = None,
    answer: Answered | PersonAnswer | None = None,
    on_event: OnEvent | None = None,
    on_delta: OnDelta | None = None,
    clock: Clock | None = None,
    handle: RunHandle | None = None,
) -> Outcome | Parked:
    """Go on with a run from its journal: one that was parked, or whose process was lost.

    Args:
        run_id: which run.
        agent: what runs; it may have changed, but not its name.
        model: see `run`.
        journal: where the run's events are.
        deps: see `run`.
        ask: see `run`.
        answer: a person's answer; without the hold's name where exactly one is open.
        on_event: see `run`; called with new events only.
        on_delta: see `run`.
        clock: see `run`.
        handle: see `run`.

    Raises:
        InputError: the journal does not know the run, it is another agent's, or the answer is none.
        JournalError: what the journal has cannot be read, or is another run's.
        StaleInput: the answer comes too late, twice, or is to something else (`code` says which); the run stays resumable.
        StaleWriter: somebody else goes on with it.
    """
    clock = clock or SystemClock()
    state = await _known(run_id, agent, journal)
    if answer is not None:
        _check_answer(state, answer, clock)
    elif state.outcome is not None:
        return state.outcome
    loop = loop_of(
        agent,
        model=model,
        deps=deps,
        ask=ask,
        journal=journal,
        clock=clock,
        on_event=on_event,
        on_delta=on_delta,
        handle=handle,
    )
    if is_taken_over(agent, state):
        state, _ = await loop.apply(state, TakenOver(at=clock.now(), fingerprint=agent.fingerprint))
    if answer is not None:
        state, late = await loop.apply(state, answering(state, answer, clock.now()))
        if late is not None:
            raise late
    return _ended(await loop.go(state))


def stream(
    agent: Agent,
    message: str,
    *,
    model: Model,
    deps: Any = None,
    history: Sequence[Message] = (),
    history_limit: int | None = HISTORY_LIMIT,
    ask: Person | None = None,
    journal: Journal | None = None,
    clock: Clock | None = None,
    run_id: str | None = None,
) -> Stream:
    """The same as `run`, as an async iterator of events and of `Delta`s; `outcome` says afterwards how it ended.

    It is the run's handle too, and leaving the loop early stops the run. Arguments and exceptions are those of `run`.
    """

    async def drive(handle: Stream) -> Outcome | Parked:
        return await run(
            agent,
            message,
            model=model,
            deps=deps,
            history=history,
            history_limit=history_limit,
            ask=ask,
            journal=journal,
            on_event=handle.saw,
            on_delta=handle.delta,
            clock=clock,
            run_id=run_id,
            handle=handle,
        )

    return Stream(drive)


async def history_of(run_id: str, *, journal: Journal) -> tuple[Message, ...]:
    """What was said up to the end of a run, its own history included, for the next `run` of the same conversation.

    Raises:
        InputError: the journal does not know the run.
    """
    return fold(await _events(run_id, journal)).transcript


def new_run_id() -> str:
    """A name that nobody can guess: `run_` and 128 random bits."""
    return f"run_{secrets.token_hex(16)}"


def loop_of(
    agent: Agent,
    *,
    model: Model,
    journal: Journal,
    clock: Clock,
    deps: Any = None,
    ask: Person | None = None,
    on_event: OnEvent | None = None,
    on_delta: OnDelta | None = None,
    handle: RunHandle | None = None,
    counts: bool = False,
) -> Loop:
    """The loop of one run with its world around it: for drivers; everybody else calls `run` and `resume`."""
    handle = handle or RunHandle()
    if handle.over:
        raise InputError("this handle was for another run; make a new one")

    async def review(reviewer: Agent, message: str) -> Outcome | Parked:
        return await run(reviewer, message, model=model, deps=deps, clock=clock)

    watch = Watch(on_event, on_delta)
    world = World(agent=agent, model=model, deps=deps, ask=ask, clock=clock, watch=watch, review=review, counts=counts)
    return Loop(agent=agent, world=world, journal=journal, clock=clock, watch=watch, handle=handle)


def is_taken_over(agent: Agent, state: RunState) -> bool:
    """Whether something was going on when the last driver was lost, or the agent is another one now: then `TakenOver` comes first."""
    if state.outcome is not None:
        return False
    if state.fingerprint != agent.fingerprint or judge(agent, state) is not None:
        return True
    going = CallModel | Summarise | ScreenInput | RunTool | AskReviewer
    return any(isinstance(effect, going) for effect in outstanding(state))


def _ended(state: RunState) -> Outcome | Parked:
    return state.outcome or Parked(run_id=state.run_id, holds=open_holds(state))


def _checked(history: Sequence[Message]) -> tuple[Message, ...]:
    for at, message in enumerate(history):
        if not isinstance(message, UserMessage | AssistantMessage | ToolMessage):
            raise InputError(f"history[{at}] is a {type(message).__name__}; take what history_of() gives, or handrail.vocab.messages")
    if wrong := check_transcript(history):
        raise InputError(f"a provider would refuse this history: {'; '.join(wrong)}")
    return tuple(history)


def _check_answer(state: RunState, answer: Answered | PersonAnswer, clock: Clock) -> None:
    """Before anything else: a second click must not take the run away from the driver that the first one has set going."""
    code = stale(state, answering(state, answer, clock.now()))
    if code is not None and code is not StaleCode.EXPIRED:
        raise StaleInput(code, f"the run {state.run_id!r} does not wait for this answer any more ({code.value})")


async def _events(run_id: str, journal: Journal) -> tuple[Event, ...]:
    events = await journal.read(run_id)
    if not events:
        raise InputError(f"this journal knows no run {run_id!r}")
    return events


async def _known(run_id: str, agent: Agent, journal: Journal) -> RunState:
    state = fold(await _events(run_id, journal))
    if state.run_id != run_id:
        raise JournalError(f"what is kept as the run {run_id!r} is the journal of {state.run_id!r}")
    if state.agent != agent.name:
        raise InputError(f"the run {run_id!r} belongs to the agent {state.agent!r}, not to {agent.name!r}; nobody else can go on with it")
    return state
