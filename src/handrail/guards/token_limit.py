"""TokenLimit: so many tokens in and out, a reviewer's included, the last fifth of them for landing."""

from handrail.core.state import Reading
from handrail.guards.base import BaseGuard
from handrail.guards.declared import whole
from handrail.vocab.verdicts import Limit, Measure

SOFT = 0.8
"""The part of the tokens after which the landing begins."""


class TokenLimit(BaseGuard):
    """At most so many tokens.

    Args:
        tokens: 1 or more.
    """

    def __init__(self, tokens: int) -> None:
        """Check the declaration.

        Raises:
            AgentError: it is no whole number from 1 on.
        """
        self.tokens = whole(type(self).__name__, "tokens", tokens)
        super().__init__(tokens)

    def limits(self, state: Reading) -> Limit:
        """Landing begins at 80%."""
        return Limit(name=self.name, measure=Measure.TOKENS, soft=self.tokens * SOFT, hard=self.tokens)
