"""`mixed`: another temperament at every turn, or none."""

from collections.abc import Sequence

from handrail.models.rehearsal.scenario import Conversation, Move
from handrail.models.rehearsal.temperament import Bent, Dice, Temperament


class Mixed:
    """What real models are like: good for the most part, and bad in any way now and then."""

    def __init__(self, members: Sequence[Temperament]) -> None:
        """Keep the temperaments that it is mixed of."""
        self._members = tuple(members)

    def bend(self, move: Move, conversation: Conversation, dice: Dice) -> Bent:
        """Be steady, or one of them."""
        return dice.choice(self._members).bend(move, conversation, dice) if dice.happens(0.2 + 0.5 * dice.habit) else move
