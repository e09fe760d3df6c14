"""What must hold at every event of every run, whatever the ring is: `handrail check trips` proves it."""

from collections.abc import Callable
from typing import Any

import msgspec

from handrail import RunState

SUBMIT = "submit_plan"
APPROVAL = f"Approval({SUBMIT})"
PLACE_FIELDS = ("origin", "destination")


def no_plan_without_a_yes(state: RunState, event: Any) -> str | None:
    """A plan is handed over only after the travellers' yes to that very call."""
    call = _handed_over(state, event)
    if call is None or any(answer.guard == APPROVAL and answer.answer == "yes" for answer in call.answers):
        return None
    return "a plan was handed over, and the travellers had not said yes to it"


def no_plan_with_an_unverified_place(state: RunState, event: Any) -> str | None:
    """Every place of a plan was found by a search."""
    if _handed_over(state, event) is None:
        return None
    known = {fact.value for fact in state.facts("place")}
    days = msgspec.json.decode(event.arguments)["days"]
    named = {leg[field] for day in days for leg in day.get("legs") or () for field in PLACE_FIELDS}
    named |= {day["stay"] for day in days if day.get("stay")}
    unknown = sorted(named - known)
    return f"a plan was handed over with places that nobody has found: {', '.join(unknown)}" if unknown else None


INVARIANTS: tuple[Callable[[RunState, Any], str | None], ...] = (no_plan_without_a_yes, no_plan_with_an_unverified_place)


def _handed_over(state: RunState, event: Any) -> Any:
    """The call of the submit tool that the event clears, if it does."""
    if type(event).__name__ != "CallCleared":
        return None
    call = state.call(event.call)
    return call if call is not None and call.name == SUBMIT else None
