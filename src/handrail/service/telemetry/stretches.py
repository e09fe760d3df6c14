"""Runs as this process sees them: a stretch begins with the first event that is seen, and ends when the run parks, ends, or is left.

- A run that goes on in another process is another stretch there; nothing is kept open between processes.
- A stretch ends with the task that drives it, whatever ends that: a lost database, another writer, the end of the service.
- Times are the run's own: nothing here reads a clock.
"""

import asyncio
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Protocol

from handrail.core.agent import Agent
from handrail.core.events import CallHeld, Event, HoldAnswered, ModelFailed, ModelReplied, RunFinished, RunParked, RunStarted, TurnOpened
from handrail.core.state import RunState
from handrail.core.table import Phase
from handrail.drivers.at_work import at_work
from handrail.vocab.calls import By
from handrail.vocab.usage import Usage

OTHER = "_OTHER"
"""What stands for a name that is not ours: models make names up."""
OF_THE_CORE = frozenset({"arguments", "inbox", "offer", "output", "run", "tools"})
"""What refuses calls beside the guards of the agent."""

NOTHING = Usage()
_CODE = re.compile(r"[a-z_]{1,40}")


class Stretch:
    """One run while this process has it.

    Attributes:
        agent: the agent's declaration; `None` where it is not known here.
        session_id: the conversation, where there is one.
        begun: when it began here; `at` is the latest time known.
        resumed: it began somewhere else, or before.
        thinking: since when the model is being asked.
        reviews: since when a reviewer looks at a call, by the hold.
        turns, usage: of this stretch alone.
        failure: how the last model call failed, where none has been answered since.
    """

    def __init__(self, state: RunState, *, agent: Agent | None, session_id: str | None, begun: datetime, resumed: bool) -> None:
        """Begin."""
        self.run_id = state.run_id
        self.agent = agent
        self.session_id = session_id
        self.begun = self.at = begun
        self.resumed = resumed
        self.thinking: datetime | None = None
        self.reviews: dict[str, datetime] = {}
        self.turns = 0
        self.usage = Usage()
        self.failure: str | None = None
        self.finished: RunFinished | None = None
        self.parked = False

    @property
    def agent_name(self) -> str:
        """The agent's name, if it is one that is served here."""
        return OTHER if self.agent is None else self.agent.name

    @property
    def model(self) -> str:
        """The model that the agent asks."""
        return OTHER if self.agent is None else self.agent.model

    def tool(self, name: str | None) -> str:
        """The tool's name, if the agent has such a tool."""
        return name if name is not None and self.agent is not None and name in self.agent.tools else OTHER

    def guard(self, name: str, code: str = "") -> str:
        """The guard's name, if the agent has such a guard, or the core such a rule; limits have the agent's names."""
        ours = name in OF_THE_CORE or code == "limit" or (self.agent is not None and any(guard.name == name for guard in self.agent.guards))
        return name if ours else OTHER


def coded(code: str) -> str:
    """A code as guards give it: a word, and no text that somebody has made up."""
    return code if _CODE.fullmatch(code) else OTHER


class Sink(Protocol):
    """What is told of stretches."""

    def began(self, stretch: Stretch) -> None:
        """Its first event comes next."""
        ...

    def saw(self, stretch: Stretch, event: Event, state: RunState) -> None:
        """An event, and the state after it; `stretch` is still as it was before."""
        ...

    def ended(self, stretch: Stretch) -> None:
        """Nothing more comes of it."""
        ...


class Stretches:
    """Every run that this process has at the moment (`OnEvent` is `saw`)."""

    def __init__(self, sinks: Sequence[Sink], agents: Mapping[str, Agent]) -> None:
        """Nothing runs yet."""
        self._sinks = tuple(sinks)
        self._agents = dict(agents)
        self._open: dict[str, Stretch] = {}

    def saw(self, event: Event, state: RunState) -> None:
        """Tell of an event that is written."""
        at = getattr(event, "at", None) or (state.clock.at if state.clock is not None else None)
        if at is None:
            return
        stretch = self._open.get(state.run_id) or self._begun(event, state, at)
        stretch.at = max(stretch.at, at)
        for sink in self._sinks:
            sink.saw(stretch, event, state)
        _follow(stretch, event, state)
        if stretch.finished is not None or stretch.parked:
            self._end(stretch)

    def close(self) -> None:
        """Leave everything."""
        for stretch in tuple(self._open.values()):
            self._end(stretch)

    def _begun(self, event: Event, state: RunState, at: datetime) -> Stretch:
        working = at_work()
        stretch = Stretch(
            state,
            agent=self._agents.get(state.agent),
            session_id=None if working is None else working.session_id,
            begun=at,
            resumed=not isinstance(event, RunStarted),
        )
        self._open[stretch.run_id] = stretch
        for sink in self._sinks:
            sink.began(stretch)
        if (task := _task()) is not None:
            task.add_done_callback(partial(self._left, stretch))
        return stretch

    def _left(self, stretch: Stretch, task: asyncio.Task[object]) -> None:
        if self._open.get(stretch.run_id) is stretch:
            self._end(stretch)

    def _end(self, stretch: Stretch) -> None:
        del self._open[stretch.run_id]
        for sink in self._sinks:
            sink.ended(stretch)


def _follow(stretch: Stretch, event: Event, state: RunState) -> None:
    match event:
        case TurnOpened():
            stretch.turns += 1
        case ModelReplied() | ModelFailed():
            stretch.failure = getattr(event, "kind", None)
        case CallHeld(by=By.REVIEWER):
            held = getattr(state.call(event.call), "held", None)
            if held is not None:
                stretch.reviews[held.id] = stretch.at
        case HoldAnswered():
            stretch.reviews.pop(event.hold, None)
        case RunFinished():
            stretch.finished = event
        case RunParked():
            stretch.parked = True
    stretch.usage += getattr(event, "usage", NOTHING)
    if state.phase is not Phase.THINKING:
        stretch.thinking = None
    elif stretch.thinking is None:
        stretch.thinking = stretch.at


def _task() -> asyncio.Task[object] | None:
    try:
        return asyncio.current_task()
    except RuntimeError:  # no event loop runs: events are told by hand
        return None
