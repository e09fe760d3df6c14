"""The two tables as sets of cells, and which of them a journal has hit."""

from collections.abc import Iterable, Iterator

from handrail.core.events import INPUTS, JUDGEMENTS, Event, HoldAnswered, TakenOver
from handrail.core.evolve import evolve
from handrail.core.state import OpenCall, RunState
from handrail.core.table import CALL, RUN, Phase, Stage

RunCell = tuple[Phase, type[Event]]
CallCell = tuple[Stage, type[Event]]
ALL: tuple[type[Event], ...] = (*INPUTS, *JUDGEMENTS)
OF_CALLS = tuple(dict.fromkeys(event for row in CALL.values() for event in row))
RUN_CELLS = frozenset((phase, event) for phase, row in RUN.items() for event in row)
CALL_CELLS = frozenset((stage, event) for stage, row in CALL.items() for event in row)
EMPTY_RUN_CELLS = frozenset((phase, event) for phase in Phase for event in ALL) - RUN_CELLS
EMPTY_CALL_CELLS = frozenset((stage, event) for stage in Stage for event in OF_CALLS if event is not TakenOver) - CALL_CELLS
"""`TakenOver` names no call, so it cannot have no place for one."""


def states(journal: Iterable[Event]) -> Iterator[tuple[RunState, Event, RunState]]:
    """Each event of a journal with the state before and after it."""
    before = RunState()
    for event in journal:
        after = evolve(before, event)
        yield before, event, after
        before = after


def hit(journal: Iterable[Event]) -> set[RunCell | CallCell]:
    """The cells that a journal has gone through, each checked to lead where the table says."""
    found: set[RunCell | CallCell] = set()
    for before, event, after in states(journal):
        kind = type(event)
        found.add((before.phase, kind))
        assert after.phase is RUN[before.phase][kind]
        for call in before.calls:
            moved = after.call(call.id)
            if concerns(event, call) and moved is not None:
                found.add((call.stage, kind))
                assert moved.stage is CALL[call.stage][kind]
            elif moved is not None:
                assert moved.stage is call.stage
    return found


def concerns(event: Event, call: OpenCall) -> bool:
    """Whether the event is about that call."""
    if isinstance(event, HoldAnswered):
        return call.held is not None and call.held.id == event.hold
    if isinstance(event, TakenOver):
        return call.stage is Stage.RUNNING and call.where == "server"
    return getattr(event, "call", None) == call.id
