"""The planner's tools, one kind of thing a module. Each says no in words that tell a model what to do instead.

Rules: whatever a plan may name becomes a fact here, and nowhere else; a provider's no is a `ToolError`, so nothing has happened.
"""

from handrail.apps.trips.tools.bookings import check_flights, check_hotels
from handrail.apps.trips.tools.finding import search_notes, search_places
from handrail.apps.trips.tools.roads import estimate_drive
from handrail.apps.trips.tools.submitting import submit_plan
from handrail.apps.trips.tools.travellers import ask_traveller, record_brief

__all__ = [
    "TOOLS",
    "ask_traveller",
    "check_flights",
    "check_hotels",
    "estimate_drive",
    "record_brief",
    "search_notes",
    "search_places",
    "submit_plan",
]

TOOLS = (record_brief, ask_traveller, search_places, search_notes, estimate_drive, check_flights, check_hotels, submit_plan)
"""All of them, in the order in which a model sees them."""
