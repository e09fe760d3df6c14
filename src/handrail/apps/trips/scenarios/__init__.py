"""What the rule-based stand-in does with a wish for a trip, and with the draft of one: it finds words and numbers, and no meaning."""

from collections.abc import Sequence

from handrail.apps.trips.scenarios.planning import Planning
from handrail.apps.trips.scenarios.reviewing import Reviewing
from handrail.models.rehearsal import Scenario


def scenarios() -> Sequence[Scenario]:
    """The scenarios of this app."""
    return (Reviewing(), Planning())
