"""Calls of an agent's tools from outside: the client is the model, and each call is a reply of its with one tool call.

- Everything is judged by the core, as in our own loop; what the ring refuses comes back as `{"error": …}`.
- A call that waits for a person leaves no trace: the client is told, may make other calls, and makes the same one again after the decision.
- Calls of one run come one after the other, also from several processes: the journal is the fence, and whoever loses judges again.
- The client's own time is not the run's: each call takes the run over, so that a time limit counts what runs here.
- A client that goes away stops a read. A write that runs is let finish, and the journal says how it ended.
"""

import asyncio
import json
import logging
from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any
from weakref import WeakValueDictionary

from handrail.adapters.mcp.answers import Answered, Asked, Said, refused
from handrail.adapters.mcp.attempt import GRACE, Attempt, Going, OnEvent, Review, Starting, WorkingOn, is_over, started
from handrail.adapters.mcp.declared import served
from handrail.adapters.mcp.keeping import MOST_QUESTIONS, Keeping, TooManyQuestions
from handrail.core.agent import Agent
from handrail.errors import AgentError, StaleWriter
from handrail.ports import Clock
from handrail.vocab.calls import By, ProposedCall

MOST_ATTEMPTS = 8
LONGEST_NAME = 100
FULL = f"{MOST_QUESTIONS} calls wait for a person's yes already; nothing was run. Let somebody decide those first."
BUSY = "Other calls of yours were faster, again and again; nothing was run. Make this one again."

logger = logging.getLogger(__name__)
Call = asyncio.Task[Answered | Asked]


class Calls:
    """An agent's tools, for clients of another protocol.

    Args:
        agent: whose tools and whose ring.
        clock: says and waits for the time.
        deps: given to the tools.
        review: asks a reviewer, for agents whose ring has one.
        on_event: told of each event, once it is written.
        working_on: entered with the run's id around whatever is done for it, such as its tools and `on_event`: for logs and traces.
    """

    def __init__(
        self,
        agent: Agent,
        *,
        clock: Clock,
        deps: Any = None,
        review: Review | None = None,
        on_event: OnEvent | None = None,
        working_on: WorkingOn = nullcontext,
    ) -> None:
        """Check that the ring can be held here.

        Raises:
            AgentError: it cannot; the text says what of it.
        """
        self.agent = agent
        self.tools = served(agent)
        self._deps = deps
        self._clock = clock
        self._review = review
        self._on_event = on_event
        self._working_on = working_on
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._going: set[Call] = set()
        self._check()

    async def offered(self, keeping: Keeping) -> tuple[str, ...]:
        """The tools that the ring offers now, by name."""
        state = await keeping.current()
        if state is None or is_over(state):
            state = started(self.agent, "run", self._clock.now()).state
        return tuple(name for name in state.offer.offered if name in self.tools)

    async def call(
        self,
        keeping: Keeping,
        name: str,
        arguments: Mapping[str, Any],
        said: Said | None = None,
        starting: Starting | None = None,
    ) -> Answered | Asked:
        """Have a call judged, and run it where nothing is against it.

        Args:
            keeping: where the client's run is.
            name: the tool.
            arguments: untrusted.
            said: what the client's user has said to a question about this very call.
            starting: told when the tool is about to run.
        """
        if name not in self.tools:
            known = ", ".join(await self.offered(keeping)) or "none"
            return refused(f"There is no tool {name[:LONGEST_NAME]!r} here. You can call: {known}.")
        try:
            text = json.dumps(arguments, ensure_ascii=False, allow_nan=False)
        except ValueError:
            return refused("The arguments are not JSON: a number in them is infinite, or is none.")
        going = Going(starting)
        task = asyncio.create_task(
            self._alone(keeping, ProposedCall(id="", name=name, arguments=text), said, going), name=f"call of {name}"
        )
        self._going.add(task)
        task.add_done_callback(self._ended)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if not going.writes:
                task.cancel()
            raise

    async def close(self) -> None:
        """Wait for what runs, for as long as `GRACE`; then stop it."""
        left = set(self._going)
        if not left:
            return
        timer = asyncio.create_task(self._clock.sleep_until(self._clock.now() + GRACE))
        try:
            while left and not timer.done():
                _, pending = await asyncio.wait({*left, timer}, return_when=asyncio.FIRST_COMPLETED)
                left &= pending
        finally:
            for each in (timer, *left):
                each.cancel()
            await asyncio.wait({timer, *left})

    async def _alone(self, keeping: Keeping, wanted: ProposedCall, said: Said | None, going: Going) -> Answered | Asked:
        attempt = Attempt(
            self.agent,
            deps=self._deps,
            clock=self._clock,
            review=self._review,
            on_event=self._on_event,
            working_on=self._working_on,
            keeping=keeping,
        )
        async with self._locks.setdefault(keeping.key, asyncio.Lock()):
            for _ in range(MOST_ATTEMPTS):
                try:
                    return await attempt.go(wanted, said, going)
                except StaleWriter:
                    continue
                except TooManyQuestions:
                    return refused(FULL)
        return refused(BUSY)

    def _ended(self, task: Call) -> None:
        self._going.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("%s failed", task.get_name(), exc_info=error)

    def _check(self) -> None:
        reasons = [f"{name} looks at what the user says first, and nobody says it here" for name in self.agent.screens]
        if self._review is None:
            reasons += [f"{guard.name} needs a reviewer" for guard in self.agent.guards if any(by is By.REVIEWER for _, by in guard.holds)]
        if not self.tools:
            reasons.append("it has no tool that runs on a server")
        if reasons:
            raise AgentError(f"the agent {self.agent.name!r} cannot be called over MCP: {'; '.join(reasons)}")
