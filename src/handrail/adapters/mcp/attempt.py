"""One attempt at one call: find the run, have the call judged on top of it, write, run, and write what came of it.

- Nothing is run before the journal has it; a `StaleWriter` before that means that nothing has happened, and the attempt can be made again.
- A call that waits for a person leaves no trace in the journal.
"""

import asyncio
import inspect
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from typing import Any

import msgspec

from handrail.adapters.mcp.answers import Answered, Asked, Said, answer_of, refused
from handrail.adapters.mcp.draft import Draft
from handrail.adapters.mcp.keeping import Decision, Keeping, Question, new_question
from handrail.core.agent import Agent
from handrail.core.effects import AskReviewer, RunTool
from handrail.core.events import (
    Event,
    HoldAnswered,
    Input,
    ModelReplied,
    RunStarted,
    TakenOver,
    ToolFailed,
    ToolLost,
    ToolReturned,
    ToolStarted,
)
from handrail.core.evolve import evolve
from handrail.core.outstanding import outstanding
from handrail.core.state import Held, OpenCall, RunState
from handrail.core.table import Phase, Stage
from handrail.errors import AgentError, Bug, StaleWriter
from handrail.ports import Clock
from handrail.tools import Failed, Lost, Returned, ToolContext
from handrail.vocab.calls import By, ProposedCall, ToolEffect, call_id
from handrail.vocab.reviews import Answer

MESSAGE = "An outside client calls tools over MCP."
MOST_TURNS = 256
"""Turns after which a run that no limit ends makes place for a new one: its journal is read at each call."""
GRACE = timedelta(seconds=10)
"""Longer than what a tool has for its own clean-up: whoever ran it is gone after that."""
PAUSE = timedelta(milliseconds=100)
GONE = "The client went away, and this was stopped."
UNKNOWN = "The outcome of this call is unknown: the run went on without it. Check before you repeat it."

logger = logging.getLogger(__name__)
Review = Callable[[AskReviewer, RunState], Awaitable[HoldAnswered]]
OnEvent = Callable[[Event, RunState], Any]
Starting = Callable[[], Awaitable[None]]
WorkingOn = Callable[[str], AbstractContextManager[Any]]


class Going:
    """A call while it goes on; `writes` once it must not be stopped any more.

    Args:
        starting: told when the tool is about to run.
    """

    def __init__(self, starting: Starting | None = None) -> None:
        """Nothing runs yet."""
        self.writes = False
        self.starting = starting


class Attempt:
    """See the module.

    Args:
        agent: whose ring and tools.
        deps: given to the tools.
        clock: says and waits for the time.
        review: asks a reviewer.
        on_event: told of each event, once it is written.
        working_on: entered with the run's id around whatever is done for it.
        keeping: where the client's run is.
    """

    def __init__(
        self,
        agent: Agent,
        *,
        deps: Any,
        clock: Clock,
        review: Review | None,
        on_event: OnEvent | None,
        working_on: WorkingOn,
        keeping: Keeping,
    ) -> None:
        """Nothing is read yet."""
        self._agent = agent
        self._deps = deps
        self._clock = clock
        self._review = review
        self._on_event = on_event
        self._working_on = working_on
        self._keeping = keeping

    async def go(self, wanted: ProposedCall, said: Said | None, going: Going) -> Answered | Asked:
        """Have the call judged, and run it where nothing is against it.

        Raises:
            StaleWriter: somebody else was faster, and nothing has happened.
        """
        draft = await self._ready()
        call = call_id(draft.state.turn, 1)
        reply = ModelReplied(
            at=self._clock.now(), turn=draft.state.turn, calls=(msgspec.structs.replace(wanted, id=call),), finish="tool_calls"
        )
        draft.apply(reply)
        taken = await self._answered(draft, call, said)
        if isinstance(taken, Asked):
            return taken
        if _stage(draft, call) is Stage.CLEARED:
            draft.apply(ToolStarted(at=self._clock.now(), call=call))
        await self._append(draft, taken)
        return answer_of(draft, call) if _stage(draft, call) is not Stage.RUNNING else await self._run(draft.state, call, going)

    async def _ready(self) -> Draft:
        """A draft on a run that takes a call. Whatever another process still runs is waited for."""
        while True:
            state = await self._keeping.current()
            if state is None or is_over(state):
                await self._begin()
                continue
            busy = next((call for call in state.calls if call.stage is Stage.RUNNING), None)
            now = self._clock.now()
            if busy is not None and now < _gone_at(busy):
                await self._clock.sleep_until(min(now + PAUSE, _gone_at(busy)))
                continue
            draft = Draft(self._agent, state)
            draft.apply(TakenOver(at=now, fingerprint=self._agent.fingerprint))
            if draft.state.phase is Phase.THINKING:
                return draft
            await self._append(draft)
            await self._left_behind(draft.state)

    async def _begin(self) -> None:
        made: list[Draft] = []

        def start(run_id: str) -> Sequence[Event]:
            made.append(started(self._agent, run_id, self._clock.now()))
            return made[-1].events

        await self._keeping.begin(start)
        if (phase := made[-1].state.phase) is not Phase.THINKING:
            raise AgentError(f"the agent {self._agent.name!r} takes no call: its run is {phase.value} from the beginning")
        await self._tell(RunState(), made[-1].events)

    async def _left_behind(self, state: RunState) -> None:
        """Repeat a call whose process is gone, where that is safe: nobody waits for its result, but the run does."""
        call = next((call for call in state.calls if call.stage is Stage.CLEARED), None)
        if call is not None:
            draft = Draft(self._agent, state)
            draft.apply(ToolStarted(at=self._clock.now(), call=call.id))
            await self._append(draft)
            await self._run(draft.state, call.id, Going())

    async def _answered(self, draft: Draft, call: str, said: Said | None) -> Sequence[Decision] | Asked:
        """Answer whatever the call is held for; the decisions that this takes, or the question that is still out."""
        taken: dict[str, Decision] = {}
        while (open_ := draft.state.call(call)) is not None and open_.held is not None:
            held = open_.held
            if held.by is By.REVIEWER:
                draft.apply(await self._reviewed(draft.state, held))
                continue
            decision = taken.get(held.digest) or await self._decided(draft.state, open_, held, said)
            if isinstance(decision, Question):
                return Asked(question=decision)
            taken[held.digest] = decision
            answer = Answer.YES if decision.approve else Answer.NO
            draft.apply(
                HoldAnswered(
                    at=self._clock.now(), hold=held.id, digest=held.digest, answer=answer, comment=decision.comment, by=decision.by
                )
            )
        return tuple(taken.values())

    async def _decided(self, state: RunState, call: OpenCall, held: Held, said: Said | None) -> Decision | Question:
        decision = await self._keeping.decision(state.run_id, held.digest)
        if decision is not None:
            return decision
        question = await self._keeping.question(state.run_id, new_question(call, held))
        if said is None or said.question_id != question.id or not self._keeping.elicits:
            return question
        await self._keeping.decide(question, approve=said.approve)
        return await self._keeping.decision(state.run_id, held.digest) or question

    async def _reviewed(self, state: RunState, held: Held) -> HoldAnswered:
        effect = next((each for each in outstanding(state) if isinstance(each, AskReviewer) and each.hold == held.id), None)
        if effect is None or self._review is None:
            raise Bug(f"{held.guard} waits for a reviewer, and there is none")
        with self._working_on(state.run_id):
            return await self._review(effect, state)

    async def _run(self, state: RunState, call: str, going: Going) -> Answered:
        effect = next((each for each in outstanding(state) if isinstance(each, RunTool) and each.call == call), None)
        if effect is None:
            raise Bug(f"{call} was started, and there is nothing to run")
        tool = self._agent.tools[effect.tool]
        going.writes = tool.effect is not ToolEffect.READ
        try:
            if going.starting is not None:
                await going.starting()
            with self._working_on(state.run_id):
                came = await self._came(effect, state)
        except asyncio.CancelledError:
            stopped = ToolFailed(at=self._clock.now(), call=call, error=GONE)
            lost = ToolLost(at=self._clock.now(), call=call, error=GONE)
            await self._noted(state, lost if going.writes else stopped, call)
            raise
        return await self._noted(state, came, call)

    async def _noted(self, state: RunState, came: Input, call: str) -> Answered:
        draft = Draft(self._agent, state)
        draft.apply(came)
        try:
            await self._append(draft)
        except StaleWriter:
            logger.warning("%s: %s ended after the run had gone on without it", state.run_id, call)
            return refused(UNKNOWN)
        return answer_of(draft, call)

    async def _came(self, effect: RunTool, state: RunState) -> Input:
        run = getattr(self._agent.tools[effect.tool], "run", None)
        if run is None:
            raise AgentError(f"the tool {effect.tool!r} has nothing to run; make it with handrail.tool")
        context = ToolContext(
            deps=self._deps, run_id=state.run_id, call_id=effect.call, idempotency_key=effect.idempotency_key, ledger=state.ledger
        )
        came: Returned | Failed | Lost = await run(effect.arguments, context, seconds=effect.seconds)
        at = self._clock.now()
        match came:
            case Returned():
                return ToolReturned(at=at, call=effect.call, content=came.content, text=came.text, shown=came.shown, facts=came.facts)
            case Failed():
                return ToolFailed(at=at, call=effect.call, error=came.error)
            case Lost():
                return ToolLost(at=at, call=effect.call, error=came.error)

    async def _append(self, draft: Draft, taken: Sequence[Decision] = ()) -> None:
        await self._keeping.append(draft.state, draft.seq, draft.events, taking=taken)
        await self._tell(draft.before, draft.events)

    async def _tell(self, state: RunState, events: Sequence[Event]) -> None:
        if self._on_event is None:
            return
        for event in events:
            state = evolve(state, event)
            try:
                with self._working_on(state.run_id):
                    told = self._on_event(event, state)
                    if inspect.isawaitable(told):
                        await told
            except Exception:
                logger.exception("on_event raised on %s; the run goes on", type(event).__name__)


def started(agent: Agent, run_id: str, at: datetime) -> Draft:
    """The beginning of a run."""
    draft = Draft(agent, RunState())
    draft.apply(RunStarted(at=at, run_id=run_id, agent=agent.name, fingerprint=agent.fingerprint, message=MESSAGE, history_limit=None))
    return draft


def is_over(state: RunState) -> bool:
    """Whether the next call begins a new run."""
    return state.outcome is not None or state.turn >= MOST_TURNS


def _stage(draft: Draft, call: str) -> Stage | None:
    found = draft.call(call)
    return None if found is None else found.stage


def _gone_at(call: OpenCall) -> datetime:
    """When whoever runs the call cannot be running it any more."""
    if call.started_at is None:
        raise Bug(f"{call.id} runs, and was never started")
    return call.started_at + timedelta(seconds=call.timeout) + GRACE
