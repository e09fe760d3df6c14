"""`mixed`: another temperament at every turn, or none."""

from collections.abc import Sequence

from handrail.models.rehearsal.scenario import Conversation, Move
from handrail.models.rehearsal.temperament import Bent, Dice, Hearing, Imagined, Steady, Temperament


class Mixed:
    """What real models are like: good for the most part, and bad in any way now and then."""

    def __init__(self, members: Sequence[Temperament]) -> None:
        """Keep the temperaments that it is mixed of."""
        self._members = tuple(members)

    def hears(self, conversation: Conversation, dice: Dice) -> Conversation:
        """What this turn's temperament hears."""
        member = self._member(dice)
        return member.hears(conversation, dice) if isinstance(member, Hearing) else conversation

    def bend(self, move: Move, conversation: Conversation, dice: Dice) -> Bent | Imagined:
        """What this turn's temperament makes of it."""
        return self._member(dice).bend(move, conversation, dice)

    def _member(self, dice: Dice) -> Temperament:
        """The same for hearing and bending, since both get the same dice."""
        return dice.choice(self._members) if dice.happens(0.2 + 0.5 * dice.habit) else Steady()
