"""What happened in a run, as it was seen from outside: written down by the tools and the travellers, not by what is measured."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from benchmarks.decency.travellers import Task, Wants


class Ran(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """A tool has run."""

    tool: str
    effect: str
    arguments: dict[str, Any]
    ok: bool
    result: Any = None


class Agreed(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """The travellers have said yes to a call."""

    tool: str
    arguments: dict[str, Any]


class Changed(msgspec.Struct, frozen=True, kw_only=True, tag=True):
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
        messages: the transcript as a provider sees it; of its latest request, where a system keeps none in that form.
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

    def sorry(self, reason: str) -> None:
        """Hand over an honest report that there is no plan."""
        self.ended, self.partial, self.unconfirmed = "completed", True, True
        self.output = {"title": "No plan", "summary": reason, "days": [], "partial": True, "reasons": [reason]}
