"""`slow`: every reply takes its time, and some take very long."""

from handrail.models.rehearsal.scenario import Conversation, Move
from handrail.models.rehearsal.temperament import Bent, Dice, Late


class Slow:
    """Late by a habit of its own, and now and then by much more.

    Args:
        most: seconds that a reply usually takes at most.
        longest: seconds that one in eight takes.
    """

    def __init__(self, *, most: float = 1.5, longest: float = 8.0) -> None:
        """Keep how slow it may be."""
        self._most = most
        self._longest = longest

    def bend(self, move: Move, conversation: Conversation, dice: Dice) -> Bent:
        """Wait first."""
        seconds = self._longest if dice.happens(0.125) else self._most * (0.05 + dice.habit**2) * dice.random()
        return Late(seconds=seconds, what=move)
