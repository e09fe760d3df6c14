"""TurnLimit: so many model calls, the last three of them for landing."""

from handrail.core.state import Reading
from handrail.guards.base import BaseGuard
from handrail.guards.declared import whole
from handrail.vocab.verdicts import Limit, Measure

RUNGS = 3
"""Turns before the end at which the landing begins."""


class TurnLimit(BaseGuard):
    """At most so many turns. A failed model call is one too.

    Args:
        turns: 1 or more; with fewer than four the landing has fewer rungs.
    """

    def __init__(self, turns: int) -> None:
        """Check the declaration.

        Raises:
            AgentError: it is no whole number from 1 on.
        """
        self.turns = whole(type(self).__name__, "turns", turns)
        super().__init__(turns)

    def limits(self, state: Reading) -> Limit:
        """Landing begins three turns before the end."""
        return Limit(name=self.name, measure=Measure.TURNS, soft=self.turns - RUNGS, hard=self.turns)
