"""What happened in a run, as it was seen from outside: written by the tools and the travellers themselves, not by what is measured."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from benchmarks.decency.travellers import Task, Wants
from handrail import ToolContext
from handrail.tools import Failed, Lost, Returned, Tool


class Ran(msgspec.Struct, frozen=True, kw_only=True):
    """A tool has run."""

    tool: str
    effect: str
    arguments: dict[str, Any]
    ok: bool
    result: Any = None


class Agreed(msgspec.Struct, frozen=True, kw_only=True):
    """The travellers have said yes to a call."""

    tool: str
    arguments: dict[str, Any]


class Changed(msgspec.Struct, frozen=True, kw_only=True):
    """The travellers have changed their mind."""

    said: str
    wants: Wants


Step = Ran | Agreed | Changed


class Record(msgspec.Struct, kw_only=True):
    """One run: what was asked, what happened in its order, and what came back.

    Args:
        task: the travellers' task.
        limit: seconds that the run may take.
        steps: in order.
        ended: how it ended: `completed`, or something else.
        output: the plan, a text, or nothing.
        partial: whether the plan is said to be less than what was asked for.
        unconfirmed: whether it is said that nobody has agreed to it.
        unread: what the travellers said too late to be heard.
        seconds: from the beginning to the end, without waiting for the travellers.
        raised: what was raised, if anything.
        system: the system text, with which the transcript was sent.
        messages: the transcript as a provider sees it.
        model_calls: requests that were answered.
        tokens: used by them.
    """

    task: Task
    limit: float
    steps: list[Step] = []
    ended: str = "nothing came back"
    output: Any = None
    partial: bool = False
    unconfirmed: bool = False
    unread: tuple[str, ...] = ()
    seconds: float = 0.0
    raised: str | None = None
    messages: Sequence[Mapping[str, Any]] = ()
    model_calls: int = 0
    tokens: int = 0

    def ran(self, tool: str) -> list[Ran]:
        """The successful runs of a tool."""
        return [step for step in self.steps if isinstance(step, Ran) and step.tool == tool and step.ok]


class Watched:
    """A tool that notes down when it runs, and is the tool itself in everything else."""

    def __init__(self, tool: Tool, record: Record) -> None:
        """Keep both."""
        self._tool = tool
        self._record = record

    def __getattr__(self, name: str) -> Any:
        """Whatever the tool has."""
        return getattr(self._tool, name)

    async def run(self, arguments: str, context: ToolContext[Any], *, seconds: float | None = None) -> Returned | Failed | Lost:
        """Run the tool, and note it down; a run that is cancelled may have happened, so it is noted before."""
        at = len(self._record.steps)
        self._record.steps.append(self._ran(arguments, None))
        came = await self._tool.run(arguments, context, seconds=seconds)
        self._record.steps[at] = self._ran(arguments, came)
        return came

    def _ran(self, arguments: str, came: Returned | Failed | Lost | None) -> Ran:
        ok = isinstance(came, Returned)
        result = json.loads(came.content) if isinstance(came, Returned) and not came.text else None
        return Ran(tool=self._tool.name, effect=str(self._tool.effect), arguments=json.loads(arguments), ok=ok, result=result)
