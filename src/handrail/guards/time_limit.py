"""TimeLimit: so many active seconds, the last fifth of them for landing. Waiting for people does not count."""

from handrail.core.state import Reading
from handrail.guards.base import BaseGuard
from handrail.guards.declared import positive
from handrail.vocab.verdicts import Limit, Measure

SOFT = 0.8
"""The part of the time after which the landing begins."""


class TimeLimit(BaseGuard):
    """At most so much time.

    Args:
        seconds: above 0.
    """

    def __init__(self, seconds: float) -> None:
        """Check the declaration.

        Raises:
            AgentError: it is no finite number above 0.
        """
        self.seconds = positive(type(self).__name__, "seconds", seconds)
        super().__init__(f"{seconds:g}")

    def limits(self, state: Reading) -> Limit:
        """Landing begins at 80%."""
        return Limit(name=self.name, measure=Measure.TIME, soft=self.seconds * SOFT, hard=self.seconds)
