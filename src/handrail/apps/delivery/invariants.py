"""What must hold at every event of every run, whatever the ring is: `handrail check delivery` proves it."""

from collections.abc import Callable
from typing import Any

from handrail import RunState

ORDER = "place_order"
APPROVAL = f"Approval({ORDER})"


def no_order_without_a_yes(state: RunState, event: Any) -> str | None:
    """An order is placed only after a person's yes to that very call and the cart that they were shown."""
    call = _ordered(state, event)
    if call is None or any(answer.guard == APPROVAL and answer.answer == "yes" for answer in call.answers):
        return None
    return "an order was let through, and nobody had said yes to its cart"


def no_order_of_nothing(state: RunState, event: Any) -> str | None:
    """An order is placed only while there is something in the cart."""
    if _ordered(state, event) is None or state.facts("cart"):
        return None
    return "an order was let through, and the cart was empty"


INVARIANTS: tuple[Callable[[RunState, Any], str | None], ...] = (no_order_without_a_yes, no_order_of_nothing)


def _ordered(state: RunState, event: Any) -> Any:
    """The call that orders, if the event clears it."""
    if type(event).__name__ != "CallCleared":
        return None
    call = state.call(event.call)
    return call if call is not None and call.name == ORDER else None
