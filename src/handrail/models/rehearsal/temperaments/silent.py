"""`silent`: replies with nothing in them, in each form in which providers send nothing (case 18)."""

from handrail.models.rehearsal.scenario import Call, Conversation, Move, Say
from handrail.models.rehearsal.temperament import Bent, Dice

NOTHING: tuple[Move, ...] = (
    Say(""),
    Say(" \n"),
    Say("<think>What was I asked? Let me think about it.</think>"),
    Call(calls=()),
    Call(calls=(), text=""),
)
"""An empty text, blank space, thoughts alone, and no content with an empty array of calls."""


class Silent:
    """Sometimes, or nearly always."""

    def bend(self, move: Move, conversation: Conversation, dice: Dice) -> Bent:
        """Say nothing."""
        return dice.choice(NOTHING) if dice.happens(0.2 + 0.75 * dice.habit) else move
