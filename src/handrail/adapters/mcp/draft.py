"""A draft: what the core says to inputs that are not written down yet. It is appended as a whole, or thrown away."""

from collections.abc import Sequence

from handrail.codec import cleaned
from handrail.core.agent import Agent
from handrail.core.events import Event, Input, TurnOpened
from handrail.core.evolve import evolve
from handrail.core.react import step
from handrail.core.state import OpenCall, RunState


class Draft:
    """Events on top of a state.

    Attributes:
        before: what it is on top of, and `seq` how many events that has.
        events: what is to be written.
        state: where they lead to.
        notes: what the ring says to the model before its next call.
    """

    def __init__(self, agent: Agent, state: RunState) -> None:
        """Begin with nothing."""
        self._agent = agent
        self.before = state
        self.seq = state.seq
        self.events: tuple[Event, ...] = ()
        self.state = state
        self.notes: tuple[str, ...] = ()
        self._calls: dict[str, OpenCall] = {}

    def apply(self, event: Input) -> None:
        """Have the input judged.

        Raises:
            StaleInput: the run has no place for it.
        """
        events, _ = step(self._agent, self.state, cleaned(event))
        self._fold(events)

    def call(self, call_id: str) -> OpenCall | None:
        """The call as it was last seen: an open turn does not outlast the next one."""
        return self._calls.get(call_id)

    def _fold(self, events: Sequence[Event]) -> None:
        for event in events:
            self.state = evolve(self.state, event)
            self._calls.update({call.id: call for call in self.state.calls})
            if isinstance(event, TurnOpened):
                self.notes = event.notes
        self.events += tuple(events)
