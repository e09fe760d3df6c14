"""The ring around the planner, in order: how it ends, what comes before what, what is true, what can be borne, and who looks at it."""

from collections.abc import Sequence

from handrail import Agent
from handrail.apps.trips.brief import shown
from handrail.apps.trips.known import FLIGHT, HOTEL, PLACE
from handrail.apps.trips.outline import outline
from handrail.apps.trips.rules import RULES, SUBMIT
from handrail.guards import (
    Approval,
    BaseGuard,
    CallLimit,
    Grounded,
    MustSubmit,
    NoProgress,
    Order,
    Prerequisite,
    Review,
    TimeLimit,
    TokenLimit,
    TurnLimit,
)

SECONDS = 300.0
TURNS = 32
TOKENS = 400_000
ORDER = {"search_places": ["record_brief"], "search_notes": ["record_brief"]}
"""All else asks for places that a search has found."""

FOUND_FIRST = (
    ("estimate_drive", "origin"),
    ("estimate_drive", "destination"),
    ("check_flights", "origin"),
    ("check_flights", "destination"),
    ("check_hotels", "place"),
    (SUBMIT, "days.legs.origin"),
    (SUBMIT, "days.legs.destination"),
    (SUBMIT, "days.stay"),
)
"""Arguments that name places."""


def ring(critic: Agent, *, seconds: float = SECONDS) -> Sequence[BaseGuard]:
    """The guards.

    Args:
        critic: reviews plans.
        seconds: of active time; waiting for the travellers does not count.
    """
    return (
        TimeLimit(seconds),
        TurnLimit(TURNS),
        TokenLimit(TOKENS),
        NoProgress(firm=2, narrow=4, land=6),
        MustSubmit(SUBMIT, longest_text=200),
        Order(ORDER),
        CallLimit("search_notes", 4),
        Prerequisite(SUBMIT, of="estimate_drive", per="days.legs"),
        *(Grounded(tool, path, PLACE) for tool, path in FOUND_FIRST),
        Grounded(SUBMIT, "days.flight", FLIGHT),
        Grounded(SUBMIT, "days.hotel", HOTEL),
        *RULES,
        Review(SUBMIT, reviewer=critic, most=2),
        Approval("record_brief", show=shown),
        Approval(SUBMIT, show=outline),
    )
