"""Telling watchers what happens. They see everything and change nothing: what they raise is logged, and the run goes on.

- `on_event` gets each event with the state after it, once the journal has it.
- `on_delta` gets streamed text. Where the text may still be refused it is held back, and comes in one piece when it stands.
"""

import inspect
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from handrail.core.events import Event, RunFinished, TextHeld
from handrail.core.evolve import evolve
from handrail.core.state import RunState
from handrail.ports import OnDelta

OnEvent = Callable[[Event, RunState], Awaitable[Any] | Any]
"""Told of each event and the state after it; what it raises is a line in the log."""
logger = logging.getLogger(__name__)


class Watch:
    """Both callbacks, either of which may be missing."""

    def __init__(self, on_event: OnEvent | None = None, on_delta: OnDelta | None = None) -> None:
        """Keep them."""
        self._on_event = on_event
        self._on_delta = on_delta

    async def saw(self, before: RunState, events: tuple[Event, ...]) -> None:
        """Tell of events that the journal has."""
        if self._on_event is None and self._on_delta is None:
            return
        state = before
        for event in events:
            text = _stands(state, event)
            state = evolve(state, event)
            if text is not None:
                self.delta(text)
            if self._on_event is not None:
                await _told(self._on_event, event, state)

    def deltas(self, *, held_back: bool) -> OnDelta | None:
        """Where a model's streamed text goes; `None` where nobody is to see it yet."""
        return None if self._on_delta is None or held_back else self.delta

    def delta(self, text: str) -> None:
        """Tell of a piece of text."""
        if self._on_delta is not None:
            try:
                self._on_delta(text)
            except Exception:
                logger.exception("on_delta raised; the run goes on without it")


async def _told(on_event: OnEvent, event: Event, state: RunState) -> None:
    try:
        told = on_event(event, state)
        if inspect.isawaitable(told):
            await told
    except Exception:
        logger.exception("on_event raised on %s; the run goes on", type(event).__name__)


def _stands(state: RunState, event: Event) -> str | None:
    """The text that was held back until now and that nobody can refuse any more."""
    message = state.reply.message if state.reply is not None else None
    if not state.offer.hold_text or message is None or message.text is None:
        return None
    ends = isinstance(event, RunFinished) and event.outcome.output == message.text and not message.calls
    return message.text if ends or isinstance(event, TextHeld) else None
