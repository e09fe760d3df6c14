"""The gate: one run's core under a foreign loop. The host says what happened, and asks before it runs anything.

- Everything that a call needs before it may run (its turn, the ring, a person's yes) is waited for in `result`, which also runs it.
- The host starts all calls of a reply at once; the core puts them in order: reads together, a write alone.
- Nobody can park here. Where there is nobody to ask, the answer is a no that says so.
- A time limit is looked at when something happens; what is under way is not stopped by it.
- With a journal the run's events are written before they are acted on, and `handrail.resume` can go on with them under our own loop.
"""

import asyncio
import inspect
import logging
import secrets
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from handrail.codec import cleaned
from handrail.core.agent import Agent
from handrail.core.effects import RunTool
from handrail.core.events import (
    Cancelled,
    Event,
    HoldAnswered,
    Input,
    ModelFailed,
    ModelReplied,
    RunFinished,
    RunStarted,
    Ticked,
    ToolFailed,
    ToolLost,
    ToolReturned,
    ToolStarted,
    TurnOpened,
)
from handrail.core.evolve import evolve
from handrail.core.outstanding import open_holds, outstanding
from handrail.core.react import step
from handrail.core.request import confirmed_block
from handrail.core.stale import StaleCode
from handrail.core.state import RunState
from handrail.core.table import Stage
from handrail.errors import AgentError, InputError, StaleInput
from handrail.ports import Journal, Person
from handrail.tools import Failed, Lost, Returned, ToolContext
from handrail.vocab.answers import No, Say, Yes
from handrail.vocab.calls import MOST_CALLS, By, ProposedCall, Where, call_id
from handrail.vocab.messages import Message
from handrail.vocab.outcomes import Outcome
from handrail.vocab.requests import ModelAnswer
from handrail.vocab.reviews import Answer

NOBODY = "Nobody can be asked where this runs, so this cannot be done here"
ENDED = "The run ended here."
"""Noted between the model's last text and the ring's last word: no two messages of one role stand next to each other."""
TOO_MANY = f"This was not run: one reply may carry {MOST_CALLS} calls. Make fewer at once."
logger = logging.getLogger(__name__)
OnEvent = Callable[[Event, RunState], Any]


def now() -> datetime:
    """The time, aware UTC."""
    return datetime.now(UTC)


class Gate:
    """One run of an agent, driven by somebody else's loop.

    Args:
        agent: its tools and its ring.
        deps: given to the tools as `ToolContext.deps`.
        ask: asks a person, one question at a time; `None` where nobody can be asked.
        journal: keeps the run's events.
        on_event: called with each event and the state after it; sync or async. What it raises is logged.
        now: the time.
        run_id: a name of one's own.
        lands: the host can name the one tool that has to be called, and end a run without asking the model.
    """

    def __init__(
        self,
        agent: Agent,
        *,
        deps: Any = None,
        ask: Person | None = None,
        journal: Journal | None = None,
        on_event: OnEvent | None = None,
        now: Callable[[], datetime] = now,
        run_id: str | None = None,
        lands: bool = False,
    ) -> None:
        """Check that a foreign loop can hold this agent's ring.

        Raises:
            AgentError: it cannot; the text says what of it.
        """
        _check(agent, lands=lands)
        self.agent = agent
        self.state = RunState()
        self.notes: tuple[str, ...] = ()
        self.last_word: str | None = None
        self._deps = deps
        self._ask = ask
        self._journal = journal
        self._on_event = on_event
        self.now = now
        self._run_id = run_id or f"run_{secrets.token_hex(16)}"
        self._ours: dict[str, str] = {}
        self._contents: dict[str, str] = {}
        self._started: set[str] = set()
        self._succeeded: set[str] = set()
        self._writing = asyncio.Lock()
        self._asking = asyncio.Lock()
        self._changed = asyncio.Event()

    @property
    def outcome(self) -> Outcome | None:
        """How the run ended, once it has."""
        return self.state.outcome

    @property
    def forced(self) -> str | None:
        """The tool that the model has to call now, where it has to call one."""
        return self.state.offer.choice if self.state.offer.choice in self.agent.tools else None

    @property
    def instructions(self) -> str:
        """The agent's text, with what people have confirmed."""
        return self.agent.instructions + confirmed_block(self.state)

    def offers(self, tool: str) -> bool:
        """Whether the model may see the tool now."""
        return tool in self.state.offer.offered

    async def begin(self, message: str, history: Sequence[Message] = ()) -> None:
        """The user's message, and what was said before: the host asks with its own copy, the journal is to be whole by itself.

        Where an agent submits, a text ends nothing; it cannot be a question either, since no host can wait for its answer.

        Raises:
            InputError: it is empty.
        """
        if not message.strip():
            raise InputError("an empty message asks for nothing; give a text")
        await self._apply(
            RunStarted(
                at=self.now(),
                run_id=self._run_id,
                agent=self.agent.name,
                fingerprint=self.agent.fingerprint,
                message=message,
                history=tuple(history),
                can_ask=self._ask is not None and self.agent.submit is None,
                history_limit=None,
            )
        )

    async def replied(self, answer: ModelAnswer, ids: Sequence[str]) -> None:
        """The model's reply; `ids` is what the host knows its calls by."""
        turn = self.state.turn
        calls = tuple(
            ProposedCall(id=call_id(turn, index), name=call.name, arguments=call.arguments, provider_id=call.provider_id)
            for index, call in enumerate(answer.calls, 1)
        )
        self._ours = dict(zip(ids, [call.id for call in calls[:MOST_CALLS]], strict=False))
        await self._apply(
            ModelReplied(
                at=self.now(),
                turn=turn,
                text=answer.text,
                calls=calls,
                finish=answer.finish,
                refusal=answer.refusal,
                extra=answer.extra,
                usage=answer.usage,
            )
        )

    async def failed(self, kind: str, detail: str) -> None:
        """The model call has failed for good."""
        await self._apply(ModelFailed(at=self.now(), turn=self.state.turn, kind=kind, detail=detail))

    async def stopped(self, reason: str) -> None:
        """The host has given the run up."""
        await self._apply(Cancelled(at=self.now(), reason=reason))

    async def may_run(self, host_id: str) -> bool:
        """Wait until the core has decided about a call, asking people where it says so; whether it may run."""
        call = self._ours.get(host_id, "")
        while (open_ := self.state.call(call)) is not None and call not in self._contents:
            changed = self._changed
            if open_.stage is Stage.HELD:
                await self._asked(call)
            elif open_.stage is Stage.PROPOSED:
                await changed.wait()
            else:
                return True
        return False

    def has_run(self, host_id: str) -> bool:
        """Whether a call was started."""
        return self._ours.get(host_id, "") in self._started

    def has_succeeded(self, host_id: str) -> bool:
        """Whether a call's result is what its tool returned, and no `{"error": …}`."""
        return self._ours.get(host_id, "") in self._succeeded

    async def result(self, host_id: str) -> str:
        """What the model is to see of a call: its result, or why it was not run. Waits for everything that it needs before, and runs it."""
        call = self._ours.get(host_id)
        if call is None:
            return msgspec.json.encode({"error": TOO_MANY}).decode()
        if await self.may_run(host_id):
            await self._run(call)
        while call not in self._contents:
            await self._changed.wait()
        return self._contents[call]

    async def _asked(self, call: str) -> None:
        """Ask the person that a held call waits for, one question at a time."""
        async with self._asking:
            open_ = self.state.call(call)
            held = open_.held if open_ is not None else None
            hold = next((hold for hold in open_holds(self.state) if held is not None and hold.id == held.id), None)
            if hold is None:
                return
            answer = No(NOBODY) if self._ask is None else await self._ask(hold) or No(NOBODY)
            match answer:
                case Yes(by=by):
                    meant, comment = Answer.YES, ""
                case No(comment=comment, by=by):
                    meant = Answer.NO
                case Say(text=comment):
                    meant, by = Answer.NO, ""
                case _:
                    raise InputError(f"an answer is handrail.Yes(), No() or Say(text), not {answer!r}; nothing else counts as one")
            await self._apply(HoldAnswered(at=self.now(), hold=hold.id, digest=hold.digest, answer=meant, comment=comment, by=by))

    async def _run(self, call: str) -> None:
        """Say that it starts, run it, and say what came of it."""
        await self._apply(ToolStarted(at=self.now(), call=call))
        effect = next((each for each in outstanding(self.state) if isinstance(each, RunTool) and each.call == call), None)
        if effect is None:
            return
        run = getattr(self.agent.tools[effect.tool], "run", None)
        if run is None:
            raise AgentError(f"the tool {effect.tool!r} has nothing to run; make it with handrail.tool")
        context = ToolContext(
            deps=self._deps,
            run_id=self.state.run_id,
            call_id=call,
            idempotency_key=effect.idempotency_key,
            ledger=self.state.ledger,
        )
        came = await run(effect.arguments, context, seconds=effect.seconds)
        await self._apply(_came(call, came, self.now()))

    async def _apply(self, event: Input) -> None:
        """Judge an input, write it down, and tell of it. One that the run has no place for any more is dropped, as in our own loop."""
        async with self._writing:
            try:
                events, after = step(self.agent, self.state, cleaned(event))
            except StaleInput as stale:
                logger.info("%s: %s", self.state.run_id, stale)
                if stale.code != StaleCode.EXPIRED:
                    return
                events, after = step(self.agent, self.state, Ticked(at=event.at))
            if self._journal is not None:
                await self._journal.append(after.run_id, self.state.seq, events)
            before, self.state = self.state, after
            states = self._noted(before, events)
            self._changed.set()
            self._changed = asyncio.Event()
            for each, state in zip(events, states, strict=True):
                await self._told(each, state)

    def _noted(self, state: RunState, events: Sequence[Event]) -> list[RunState]:
        """The state after each event; what the host will ask for is kept, since an open turn does not outlast the next one."""
        states = []
        for event in events:
            state = evolve(state, event)
            states.append(state)
            self._contents.update({call.id: call.content or "" for call in state.calls if call.over})
            self._succeeded.update(call.id for call in state.calls if call.stage is Stage.SUCCEEDED)
            match event:
                case TurnOpened(notes=notes):
                    self.notes = notes
                case ToolStarted(call=call):
                    self._started.add(call)
                case RunFinished(said=said):
                    self.last_word = said
                case _:
                    pass
        return states

    async def _told(self, event: Event, state: RunState) -> None:
        if self._on_event is None:
            return
        try:
            told = self._on_event(event, state)
            if inspect.isawaitable(told):
                await told
        except Exception:
            logger.exception("on_event raised on %s; the run goes on", type(event).__name__)


def _came(call: str, came: Returned | Failed | Lost, at: datetime) -> Input:
    match came:
        case Returned():
            return ToolReturned(at=at, call=call, content=came.content, text=came.text, shown=came.shown, facts=came.facts)
        case Failed(error=error):
            return ToolFailed(at=at, call=call, error=error)
        case Lost(error=error):
            return ToolLost(at=at, call=call, error=error)


def _check(agent: Agent, *, lands: bool) -> None:
    """What a foreign loop cannot hold is refused before anything runs, by name."""
    reasons = []
    if agent.submit is not None and not lands:
        reasons.append(f"it submits with {agent.submit!r}, and lands where a limit is near")
    reasons += [f"its tool {tool.name!r} runs in the {tool.where}" for tool in agent.tools.values() if tool.where is not Where.SERVER]
    reasons += [f"{guard.name} needs a reviewer" for guard in agent.guards if any(by is By.REVIEWER for _, by in guard.holds)]
    reasons += [f"{name} looks at what the user says first" for name in agent.screens]
    if reasons:
        raise AgentError(f"the agent {agent.name!r} cannot run under a foreign loop: {'; '.join(reasons)}. Run it with handrail.run")
