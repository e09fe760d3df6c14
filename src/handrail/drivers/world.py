"""How each effect is served. Every effect ends in an input; whatever the world does wrong is one too."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any, assert_never

from handrail.core.agent import Agent
from handrail.core.attempt import raised
from handrail.core.effects import (
    AskClient,
    AskPerson,
    AskReviewer,
    CallModel,
    Effect,
    RunTool,
    ScreenInput,
    StartTool,
    Summarise,
    WakeAt,
)
from handrail.core.events import (
    HistoryMeasured,
    HoldAnswered,
    Input,
    InputScreened,
    ModelFailed,
    ModelReplied,
    Summarised,
    SummaryFailed,
    Ticked,
    ToolFailed,
    ToolLost,
    ToolReturned,
    ToolStarted,
)
from handrail.core.request import request
from handrail.core.state import RunState
from handrail.drivers.handle import Unserved
from handrail.drivers.measuring import Ruler
from handrail.drivers.people import answered, checked
from handrail.drivers.reviewers import Review, reviewed, screened
from handrail.drivers.summarising import summarised
from handrail.drivers.watching import Watch
from handrail.errors import AgentError, ModelError
from handrail.ports import Clock, Model, Person
from handrail.tools import Failed, Lost, Returned, ToolContext
from handrail.vocab.calls import By, ProposedCall, call_id
from handrail.vocab.failures import FailureKind
from handrail.vocab.outcomes import OpenHold
from handrail.vocab.requests import Counted, ModelAnswer, ModelRequest

LONGEST_DETAIL = 300
logger = logging.getLogger(__name__)

Run = Callable[..., Awaitable[Returned | Failed | Lost]]
"""A tool's `run(arguments, context, *, seconds)`."""


class World:
    """What is there to serve effects with.

    Args:
        agent: whose tools run.
        model: answers for the agent, and for its reviewers.
        deps: given to the tools.
        ask: asks a person, one question at a time; `None` where nobody can be asked.
        clock: says and waits for the time.
        watch: is told of streamed text.
        review: runs a reviewer.
        counts: count what a model call used, where its provider does not say.
    """

    def __init__(
        self,
        *,
        agent: Agent,
        model: Model,
        deps: Any,
        ask: Person | None,
        clock: Clock,
        watch: Watch,
        review: Review,
        counts: bool = False,
    ) -> None:
        """Keep what is there."""
        self.agent = agent
        self.clock = clock
        self._model = model
        self._deps = deps
        self._ask = ask
        self._watch = watch
        self._review = review
        self._ruler = Ruler(model)
        self._counts = counts
        self._asking = asyncio.Lock()

    def serves(self, effect: Effect) -> bool:
        """Whether the effect can be served here at all."""
        match effect:
            case AskPerson():
                return self._ask is not None
            case AskClient():
                return False
            case _:
                return True

    def started(self, effect: StartTool) -> ToolStarted:
        """Say that a call is about to run: no more than that is to be done."""
        return ToolStarted(at=self.clock.now(), call=effect.call)

    async def serve(self, effect: Effect, state: RunState) -> Input | Unserved:
        """Do it, and say what came of it."""
        match effect:
            case CallModel():
                return await self._call_model(effect, state)
            case RunTool():
                return await self._run_tool(effect, state)
            case Summarise():
                return await self._summarise(effect, state)
            case ScreenInput():
                return await self._screen(effect)
            case AskReviewer():
                return await self._ask_reviewer(effect, state)
            case AskPerson():
                return await self._ask_person(effect)
            case WakeAt():
                await self.clock.sleep_until(effect.at)
                return Ticked(at=self.clock.now())
            case StartTool():
                return self.started(effect)
            case AskClient():
                return Unserved(effect.key)
            case _:
                assert_never(effect)

    async def _call_model(self, effect: CallModel, state: RunState) -> HistoryMeasured | ModelReplied | ModelFailed:
        asked = request(self.agent, state)
        if effect.most_tokens is not None and (long := await self._ruler.too_long(asked, effect.most_tokens)) is not None:
            return self._measured(effect, long, effect.most_tokens)
        on_delta = self._watch.deltas(held_back=effect.hold_text)
        try:
            answer = await self._model.reply(asked, on_delta=on_delta)
        except ModelError as error:
            if error.kind == FailureKind.TOO_LONG and effect.most_tokens is not None:
                return await self._refused_as_too_long(effect, asked, effect.most_tokens)
            return self._failed(effect, error.kind, str(error))
        except asyncio.CancelledError:
            if _is_stopped():
                raise
            return self._failed(effect, FailureKind.OTHER, "the model's client cancelled its own call")
        except Exception as error:
            logger.exception("%s: the model raised something that is no ModelError", effect.key)
            return self._failed(effect, FailureKind.OTHER, raised(error).what)
        return _replied(effect.turn, await self._ruler.with_usage(asked, answer) if self._counts else answer, self.clock)

    async def _refused_as_too_long(self, effect: CallModel, asked: ModelRequest, most: int) -> HistoryMeasured:
        """The provider takes less than we thought, and does not say how much: three quarters of what was too much is tried."""
        counted = await self._ruler.counted(asked)
        return self._measured(effect, counted, min(most, counted.total * 3 // 4))

    def _measured(self, effect: CallModel, counted: Counted, limit: int) -> HistoryMeasured:
        return HistoryMeasured(at=self.clock.now(), turn=effect.turn, tokens=counted.messages, fixed=counted.fixed, limit=limit)

    async def _summarise(self, effect: Summarise, state: RunState) -> Summarised | SummaryFailed:
        came = await summarised(self.agent, effect, state, self._review)
        if came.text is None:
            return SummaryFailed(at=self.clock.now(), upto=effect.upto, detail=came.detail[:LONGEST_DETAIL], usage=came.usage)
        tokens = await self._ruler.text(self.agent.model, came.text)
        return Summarised(at=self.clock.now(), upto=effect.upto, text=came.text, tokens=tokens, usage=came.usage)

    async def _screen(self, effect: ScreenInput) -> InputScreened:
        came = await screened(self._reviewer(effect.guard), effect, self._review)
        return InputScreened(
            at=self.clock.now(),
            guard=effect.guard,
            said=len(effect.said),
            answer=came.answer,
            flaws=came.flaws,
            comment=came.comment,
            usage=came.usage,
        )

    def _failed(self, effect: CallModel, kind: str, detail: str) -> ModelFailed:
        return ModelFailed(at=self.clock.now(), turn=effect.turn, kind=kind, detail=detail[:LONGEST_DETAIL])

    async def _run_tool(self, effect: RunTool, state: RunState) -> ToolReturned | ToolFailed | ToolLost:
        tool = self.agent.tools.get(effect.tool)
        if tool is None:
            return ToolFailed(at=self.clock.now(), call=effect.call, error=f"There is no tool {effect.tool!r} any more; this was not run.")
        run: Run | None = getattr(tool, "run", None)
        if run is None:
            raise AgentError(f"the tool {effect.tool!r} has nothing to run; make it with handrail.tool")
        context = ToolContext(
            deps=self._deps, run_id=state.run_id, call_id=effect.call, idempotency_key=effect.idempotency_key, ledger=state.ledger
        )
        came = await run(effect.arguments, context, seconds=effect.seconds)
        at = self.clock.now()
        match came:
            case Returned():
                return ToolReturned(at=at, call=effect.call, content=came.content, text=came.text, shown=came.shown, facts=came.facts)
            case Failed():
                return ToolFailed(at=at, call=effect.call, error=came.error)
            case Lost():
                return ToolLost(at=at, call=effect.call, error=came.error)

    async def _ask_reviewer(self, effect: AskReviewer, state: RunState) -> HoldAnswered:
        reviewer = self._reviewer(effect.guard)
        came = await reviewed(reviewer, effect, state, self._review)
        return HoldAnswered(
            at=self.clock.now(),
            hold=effect.hold,
            digest=effect.digest,
            answer=came.answer,
            comment=came.comment,
            flaws=came.flaws,
            by=reviewer.name,
            usage=came.usage,
        )

    def _reviewer(self, guard: str) -> Agent:
        reviewer = getattr(self.agent.guard(guard), "reviewer", None)
        if not isinstance(reviewer, Agent):
            raise AgentError(f"the guard {guard!r} asks for a reviewer, and has no agent as its `reviewer`")
        return reviewer

    async def _ask_person(self, effect: AskPerson) -> Input | Unserved:
        hold = OpenHold(
            id=effect.hold,
            kind=effect.kind,
            by=By.PERSON,
            tool=effect.tool,
            arguments=effect.arguments,
            show=effect.show,
            digest=effect.digest,
            expires_at=effect.expires_at,
        )
        async with self._asking:
            answer = None if self._ask is None else await self._ask(hold)
        return Unserved(effect.key) if answer is None else answered(hold, checked(answer), self.clock.now())


def _is_stopped() -> bool:
    """Whether somebody wants this task to end; what it awaits may also have cancelled itself (case 32)."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _replied(turn: int, answer: ModelAnswer, clock: Clock) -> ModelReplied:
    calls = [
        ProposedCall(id=call_id(turn, index), name=call.name, arguments=call.arguments, provider_id=call.provider_id)
        for index, call in enumerate(answer.calls, 1)
    ]
    return ModelReplied(
        at=clock.now(),
        turn=turn,
        text=answer.text,
        calls=tuple(calls),
        finish=answer.finish,
        refusal=answer.refusal,
        extra=answer.extra,
        usage=answer.usage,
    )
