"""What a driver needs from the world, as protocols. Stores, models, clocks and consoles are members of these."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import Protocol, runtime_checkable

from handrail.core.events import Event
from handrail.vocab.answers import PersonAnswer
from handrail.vocab.outcomes import OpenHold
from handrail.vocab.requests import Counted, ModelAnswer, ModelRequest

OnDelta = Callable[[str], None]
"""Called with each piece of streamed text, for watchers; deltas are no events."""

Person = Callable[[OpenHold], Awaitable[PersonAnswer | None]]
"""Asks a person; `None` says that nobody can be asked now, and the run parks."""


class Model(Protocol):
    """A model that answers a request with one whole reply."""

    async def reply(self, request: ModelRequest, *, on_delta: OnDelta | None = None) -> ModelAnswer:
        """Answer.

        Raises:
            ModelError: what the client's own retries did not cure.
        """
        ...


@runtime_checkable
class CountingModel(Protocol):
    """A model that counts its own tokens, without a network. One that does not is estimated."""

    def counted(self, request: ModelRequest) -> Counted:
        """The tokens of a request. It may take a while: callers do it in a thread."""
        ...


class Journal(Protocol):
    """A run's ordered events. The number of the first new event fences stale writers off."""

    async def append(self, run_id: str, seq: int, events: Sequence[Event]) -> None:
        """Write events whose first has the number `seq` (counting from 0), all or none.

        Raises:
            StaleWriter: the journal does not have exactly `seq` events.
        """
        ...

    async def read(self, run_id: str) -> tuple[Event, ...]:
        """All events of a run; none where the run is not known.

        Raises:
            JournalError: what is stored cannot be read.
        """
        ...


class Clock(Protocol):
    """The time, and waiting for it."""

    def now(self) -> datetime:
        """Aware UTC."""
        ...

    async def sleep_until(self, at: datetime) -> None:
        """Return at that time or soon after it; at once where it has passed."""
        ...


class TokenCounter(Protocol):
    """How many tokens a text has for one model. Counting may take a while: a caller does it in a thread."""

    @property
    def exact(self) -> bool:
        """Whether this is the model's own vocabulary; otherwise it is an estimate."""
        ...

    @property
    def name(self) -> str:
        """The vocabulary's name."""
        ...

    def count(self, text: str) -> int:
        """Tokens of a text, whatever is in it; no more than it has bytes in UTF-8."""
        ...
