"""What the service tells of its runs, for as long as it runs: numbers always, traces and metrics where they are wanted.

Telling never changes a run, and what goes wrong with it ends none.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from handrail.core.agent import Agent
from handrail.core.events import Event
from handrail.core.state import RunState
from handrail.errors import InputError
from handrail.service.apps import named
from handrail.service.redaction import redactor
from handrail.service.settings import Settings
from handrail.service.telemetry.numbers import Numbers
from handrail.service.telemetry.stretches import Stretches

EXPORTING = "handrail.service.telemetry.exporting:exporting"
OFF = "off"


class Telemetry:
    """One for each process.

    Args:
        settings: whether there are traces, and where they go.
        streams: how many event streams are open.

    Attributes:
        numbers: for Prometheus.
    """

    def __init__(self, settings: Settings, *, streams: Callable[[], float]) -> None:
        """Tell nothing yet."""
        self._settings = settings
        self._stretches: Stretches | None = None
        self._way: Any = None
        self._flushing: asyncio.Task[None] | None = None
        self.numbers = Numbers(streams)

    @asynccontextmanager
    async def opened(self, agents: Mapping[str, Agent]) -> AsyncIterator[None]:
        """Tell of the runs of those agents.

        Raises:
            InputError: traces are wanted, and the extra that brings them is not installed.
        """
        if self._settings.telemetry != OFF:
            self._way = _way()(self._settings.telemetry, redactor(self._settings))
        self._stretches = Stretches([self.numbers, *(() if self._way is None else self._way.sinks)], agents)
        try:
            yield
        finally:
            self._stretches.close()
            self._stretches = None
            if self._flushing is not None:
                await asyncio.wait({self._flushing})
            if self._way is not None:
                await self._way.close()
                self._way = None

    def saw(self, event: Event, state: RunState) -> None:
        """Tell of an event that is written (`OnEvent`)."""
        if self._stretches is not None:
            self._stretches.saw(event, state)

    async def flush(self, seconds: float) -> None:
        """Send traces and metrics that wait, and take no longer than that; what takes longer goes on by itself."""
        if self._way is None:
            return
        if self._flushing is None or self._flushing.done():
            self._flushing = asyncio.create_task(self._way.flush(), name="telemetry")
        await asyncio.wait({self._flushing}, timeout=seconds)


def _way() -> Any:
    try:
        return named(EXPORTING)
    except InputError as error:
        raise InputError("HANDRAIL_TELEMETRY needs the extra: install handrail[telemetry]") from error
