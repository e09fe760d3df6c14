"""What a walk has found, as a value; `handrail check` prints it."""

from enum import StrEnum

import msgspec


class Fault(StrEnum):
    """The four faults of a ring that a walk can find."""

    DEAD_END = "dead end"
    UNREACHABLE = "unreachable tool"
    BROKEN = "broken invariant"
    UNBOUNDED = "unbounded run"


class Counterexample(msgspec.Struct, frozen=True, kw_only=True):
    """A shortest way into a fault.

    Args:
        what: the fault in one sentence.
        story: what happens, step by step.
        why: what stands in the way there.
    """

    fault: Fault
    what: str
    story: tuple[str, ...]
    why: tuple[str, ...] = ()

    def text(self) -> str:
        """The story with numbers."""
        width = len(str(len(self.story)))
        steps = (f"{number:>{width + 2}}. {line}" for number, line in enumerate(self.story, 1))
        return "\n".join([f"{self.fault}: {self.what}", *steps, *(f"  {' ' * width}→ {line}" for line in self.why)])


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What was walked, and what came of it.

    Args:
        ok: nothing wrong was found, and everything was walked.
        states: told apart.
        complete: everything was walked; with `False` nothing is proven.
        batch: calls in one reply, at most.
        tools: those that a run can come to call.
        invariants: those that hold (or the one that does not).
        longest: what ends the longest run.
        assumes: what the result depends on.
        warnings: what is no fault.
        faults: all that were found, each in one sentence; the first of them has the counterexample.
    """

    agent: str
    ok: bool
    states: int
    complete: bool
    batch: int
    tools: tuple[str, ...]
    invariants: tuple[str, ...]
    longest: str
    assumes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    counterexample: Counterexample | None = None
