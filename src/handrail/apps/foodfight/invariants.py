"""What must hold at every event of every run, whatever the ring is: `handrail check foodfight` proves it."""

from collections.abc import Callable
from typing import Any

from handrail import RunState

APPROVED = {tool: f"Approval({tool})" for tool in ("create_promo_fight", "accept_promo_fight")}
READS = ("get_promo_fights",)


def nothing_is_written_without_a_yes(state: RunState, event: Any) -> str | None:
    """A call that writes is cleared only after a person's yes to that very call."""
    if type(event).__name__ != "CallCleared":
        return None
    call = state.call(event.call)
    if call is None or call.name in READS:
        return None
    guard = APPROVED.get(call.name)
    if any(answer.guard == guard and answer.answer == "yes" for answer in call.answers):
        return None
    return f"{call.name} was let through, and nobody had said yes to it"


INVARIANTS: tuple[Callable[[RunState, Any], str | None], ...] = (nothing_is_written_without_a_yes,)
