"""A ring's reviewers, for calls that come from a client's model: ours does the reviewing."""

from typing import Any

from handrail.core.agent import Agent
from handrail.core.effects import AskReviewer
from handrail.core.events import HoldAnswered
from handrail.core.state import RunState
from handrail.drivers.in_process import run
from handrail.drivers.reviewers import reviewed
from handrail.errors import AgentError
from handrail.ports import Clock, Model
from handrail.vocab.outcomes import Outcome, Parked


class Reviewing:
    """Asks the reviewer of a guard.

    Args:
        agent: whose ring.
        model: answers for the reviewers.
        deps: given to their tools.
        clock: says the time.
    """

    def __init__(self, agent: Agent, model: Model, *, deps: Any, clock: Clock) -> None:
        """Ask nothing yet."""
        self._agent = agent
        self._model = model
        self._deps = deps
        self._clock = clock

    async def __call__(self, effect: AskReviewer, state: RunState) -> HoldAnswered:
        """What the reviewer finds, as the core's input."""
        reviewer = getattr(self._agent.guard(effect.guard), "reviewer", None)
        if not isinstance(reviewer, Agent):
            raise AgentError(f"the guard {effect.guard!r} holds calls for a reviewer, and has no agent as its `reviewer`")
        came = await reviewed(reviewer, effect, state, self._review)
        return HoldAnswered(
            at=self._clock.now(),
            hold=effect.hold,
            digest=effect.digest,
            answer=came.answer,
            comment=came.comment,
            flaws=came.flaws,
            by=reviewer.name,
            usage=came.usage,
        )

    async def _review(self, reviewer: Agent, message: str) -> Outcome | Parked:
        return await run(reviewer, message, model=self._model, deps=self._deps, clock=self._clock)
