"""A finished trip as something to read: Markdown, and a page with a map of the drives and the hours of each day.

Rules: whatever text a trip holds may have come from a model, so all of it is escaped; a page loads nothing from anywhere and runs nothing;
pictures have words beside them.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from handrail import Outcome
from handrail.apps.trips.trip import Trip


class Rendered(msgspec.Struct, frozen=True):
    """A trip, and what has to be said about how it came about."""

    trip: Trip
    remarks: tuple[str, ...] = ()


def rendered(outcome: Outcome) -> Rendered:
    """What an outcome holds, if it holds a trip.

    Raises:
        ValueError: it does not.
    """
    if not isinstance(outcome.output, Mapping):
        raise ValueError(f"this outcome holds no trip: {outcome.status.value}, {outcome.reason or 'no reason given'}")
    trip = trip_of(outcome.output)
    remarks = list(trip.reasons)
    if outcome.partial and not trip.partial:
        remarks.append(f"It was finished in a hurry ({outcome.limit}), and may be less than you asked for.")
    if outcome.unconfirmed:
        remarks.append("You have not said yes to it.")
    if outcome.unreviewed:
        remarks.append("No reviewer has passed it.")
    return Rendered(trip, tuple(remarks))


def trip_of(output: Mapping[str, Any]) -> Trip:
    """A trip from its JSON.

    Raises:
        ValueError: it is none.
    """
    return msgspec.convert(output, Trip)
