"""The while-loop: whatever has to be going on is going on, and what comes of it is judged, written down, and acted on, in that order.

- It decides nothing about the run: effects are started and stopped by their keys, and inputs come in through one inbox.
- Asked to leave, it waits for the tools that run, and begins nothing new: whoever goes on finds no call with an unknown outcome.
- Nothing is acted on before the journal has it. A stale input is dropped with a note; one that came too late still moves the clock.
- Whichever way it ends, what it has started is stopped and waited for (for `GRACE` at most): nothing goes on behind its back.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from datetime import timedelta
from functools import partial

from handrail.codec import cleaned
from handrail.core.agent import Agent
from handrail.core.effects import Effect, RunTool, StartTool, WakeAt
from handrail.core.events import Input, Ticked
from handrail.core.outstanding import outstanding
from handrail.core.react import step
from handrail.core.stale import StaleCode
from handrail.core.state import RunState
from handrail.drivers.handle import Arrival, Broken, Leave, NotYet, RunHandle, Said, Unserved
from handrail.drivers.watching import Watch
from handrail.drivers.world import World
from handrail.errors import StaleInput
from handrail.ports import Clock, Journal

GRACE = timedelta(seconds=10)
"""Longer than what a tool has for its own clean-up."""

logger = logging.getLogger(__name__)
Going = asyncio.Task[None]


class Loop:
    """One run, for as long as this process takes it forward."""

    def __init__(self, *, agent: Agent, world: World, journal: Journal, clock: Clock, watch: Watch, handle: RunHandle) -> None:
        """Begin nothing yet."""
        self._agent = agent
        self._world = world
        self._journal = journal
        self._clock = clock
        self._watch = watch
        self._handle = handle
        self._inbox = handle.inbox
        self._going: dict[str, Going] = {}
        self._stopping: set[Going] = set()
        self._leaving = False
        self._dropped: Callable[[], Awaitable[None]] | None = None
        self._unserved: set[str] = set()

    async def apply(self, state: RunState, event: Input) -> tuple[RunState, StaleInput | None]:
        """Judge the input and write it down with all that it leads to.

        Where the run has no place for it, nothing is written, but that time has passed if it came too late.

        Raises:
            StaleWriter: somebody else goes on with this run.
        """
        event = cleaned(event)
        try:
            return await self._written(state, event), None
        except StaleInput as error:
            stale = error
        if stale.code == StaleCode.EXPIRED:
            state = await self._written(state, Ticked(at=event.at))
        return state, stale

    async def go(self, state: RunState, *, alone: bool = True) -> RunState:
        """Go on until the run is done, or until nothing that is left can be served here.

        Args:
            state: where the run is.
            alone: nobody else will wake the run, so it is waited here where a time is all that is left.
        """
        try:
            while effects := outstanding(state):
                self._stop_vanished(self._wanted(effects))
                event = self._came()
                if event is None:
                    effects = self._wanted(effects)
                    event = self._begun(effects)
                if event is None:
                    if not self._served(effects, state, alone=alone):
                        break
                    event = self._taken(await self._inbox.take())
                if event is not None:
                    state = await self._judged(state, event)
            return state
        finally:
            self._handle.over = True
            await self._stop()

    async def _judged(self, state: RunState, event: Input) -> RunState:
        dropped, self._dropped = self._dropped, None
        try:
            state, stale = await self.apply(state, event)
        except NotYet:
            self._inbox.put(event)
            return state
        if stale is not None:
            logger.info("%s: %s", state.run_id, stale)
            if dropped is not None:
                await dropped()
        return state

    def _wanted(self, effects: tuple[Effect, ...]) -> tuple[Effect, ...]:
        """What has to be going on here; once it is to be left, only the tools that run already."""
        if not self._leaving:
            return effects
        return tuple(effect for effect in effects if isinstance(effect, RunTool) and effect.key in self._going)

    async def _written(self, state: RunState, event: Input) -> RunState:
        events, after = step(self._agent, state, event)
        await self._journal.append(after.run_id, state.seq, events)
        await self._watch.saw(state, events)
        return after

    def _came(self) -> Input | None:
        """What has come in already."""
        while (arrival := self._inbox.taken()) is not None:
            if (event := self._taken(arrival)) is not None:
                return event
        return None

    def _begun(self, effects: Iterable[Effect]) -> Input | None:
        """The start of a tool, which needs no waiting."""
        for effect in effects:
            if isinstance(effect, StartTool):
                return self._world.started(effect)
        return None

    def _taken(self, arrival: Arrival) -> Input | None:
        match arrival:
            case Broken(error=error):
                raise error
            case Unserved(key=key):
                self._unserved.add(key)
                return None
            case Leave():
                self._leaving = True
                return None
            case Said(make=make, dropped=dropped):
                self._dropped = dropped
                return make(self._clock.now())
            case _:
                return arrival

    def _served(self, effects: Sequence[Effect], state: RunState, *, alone: bool) -> bool:
        """Start what is new; false where nothing is left but what cannot be served here, and waiting for a time that has not come."""
        served, unserved = False, False
        for effect in effects:
            if effect.key in self._unserved or not self._world.serves(effect):
                unserved = True
                continue
            served = served or not isinstance(effect, WakeAt) or effect.at <= self._clock.now()
            if effect.key not in self._going:
                task = asyncio.create_task(self._bring(effect, state), name=effect.key)
                self._going[effect.key] = task
                task.add_done_callback(partial(self._ended, effect.key))
        return served or (alone and not unserved and bool(effects))

    async def _bring(self, effect: Effect, state: RunState) -> None:
        came = await self._world.serve(effect, state)
        if self._going.get(effect.key) is asyncio.current_task():
            del self._going[effect.key]
            self._inbox.put(came)

    def _ended(self, key: str, task: Going) -> None:
        """What has ended without bringing anything has failed, or has cancelled itself; what was stopped is nobody's business any more."""
        self._stopping.discard(task)
        error = None if task.cancelled() else task.exception()
        if self._going.get(key) is task:
            del self._going[key]
            self._inbox.put(Unserved(key) if error is None else Broken(error))
        elif error is not None:
            logger.warning("%s: what was stopped has failed on its way out: %r", key, error)

    def _stop_vanished(self, effects: Iterable[Effect]) -> None:
        if self._going:
            wanted = {effect.key for effect in effects}
            for key in [key for key in self._going if key not in wanted]:
                self._leave(key)

    def _leave(self, key: str) -> None:
        task = self._going.pop(key)
        if not task.done():
            task.cancel()
            self._stopping.add(task)

    async def _stop(self) -> None:
        for key in tuple(self._going):
            self._leave(key)
        left = set(self._stopping)
        if not left:
            return
        timer = asyncio.create_task(self._clock.sleep_until(self._clock.now() + GRACE))
        try:
            while left and not timer.done():
                _, left = await asyncio.wait({*left, timer}, return_when=asyncio.FIRST_COMPLETED)
                left.discard(timer)
        finally:
            timer.cancel()
        await asyncio.wait({timer})
        for task in left:
            logger.warning("%s does not end although it was stopped; it is left alone", task.get_name())
