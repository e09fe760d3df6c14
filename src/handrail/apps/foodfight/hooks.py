"""Hooks on the tools: something is told when one starts and when one ends, under whatever loop it runs.

- A call that the ring refused, or that a person said no to, never starts, and no hook hears of it.
- What the model wrote goes to no hook: arguments hold addresses and payment intents. Hooks get names, ids and times.
- A hook that raises is logged, and the tool goes on.
"""

import logging
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from time import perf_counter
from typing import Literal, Protocol

import msgspec

from handrail import ToolError

logger = logging.getLogger("handrail.apps.foodfight")
Ending = Literal["returned", "failed", "unknown"]


class ToolStart(msgspec.Struct, frozen=True, kw_only=True):
    """A tool is about to run."""

    tool: str
    run_id: str
    call_id: str


class ToolEnd(msgspec.Struct, frozen=True, kw_only=True):
    """A tool has run: it returned, it failed and nothing happened, or nobody knows."""

    tool: str
    run_id: str
    call_id: str
    ending: Ending
    seconds: float


class Hooks(Protocol):
    """What wants to be told."""

    def on_tool_start(self, start: ToolStart) -> None:
        """A tool is about to run."""
        ...

    def on_tool_end(self, end: ToolEnd) -> None:
        """It has run."""
        ...


class LoggingHooks:
    """A line in the log for each."""

    def on_tool_start(self, start: ToolStart) -> None:
        """Log it."""
        logger.info("%s starts (run %s, call %s)", start.tool, start.run_id, start.call_id)

    def on_tool_end(self, end: ToolEnd) -> None:
        """Log it, and how long it took."""
        logger.info("%s %s after %.3f s (run %s, call %s)", end.tool, end.ending, end.seconds, end.run_id, end.call_id)


class Analytics:
    """Counts for whoever looks at how the tools are used; `seconds` is their sum for each tool."""

    def __init__(self) -> None:
        """Begin at nothing."""
        self.started: Counter[str] = Counter()
        self.ended: Counter[tuple[str, Ending]] = Counter()
        self.seconds: dict[str, float] = {}

    def on_tool_start(self, start: ToolStart) -> None:
        """Count it."""
        self.started[start.tool] += 1

    def on_tool_end(self, end: ToolEnd) -> None:
        """Count it, and its time."""
        self.ended[end.tool, end.ending] += 1
        self.seconds[end.tool] = self.seconds.get(end.tool, 0.0) + end.seconds


def tell(hooks: Iterable[Hooks], told: ToolStart | ToolEnd) -> None:
    """Tell each of them; one that raises keeps nothing from the others."""
    for hook in hooks:
        try:
            if isinstance(told, ToolStart):
                hook.on_tool_start(told)
            else:
                hook.on_tool_end(told)
        except Exception:
            logger.exception("a hook raised on %s; the tool goes on", told.tool)


@asynccontextmanager
async def around(hooks: Iterable[Hooks], start: ToolStart, *, seconds: Callable[[], float] = perf_counter) -> AsyncIterator[None]:
    """Tell the hooks of what happens inside."""
    began = seconds()
    ending: Ending = "unknown"
    tell(hooks, start)
    try:
        yield
        ending = "returned"
    except ToolError:
        ending = "failed"
        raise
    finally:
        tell(hooks, ended(start, ending, seconds() - began))


def ended(start: ToolStart, ending: Ending, seconds: float) -> ToolEnd:
    """The end that belongs to a start."""
    return ToolEnd(tool=start.tool, run_id=start.run_id, call_id=start.call_id, ending=ending, seconds=seconds)
