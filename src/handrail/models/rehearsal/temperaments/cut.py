"""`cut`: the output limit ends the reply, in the middle of a text or of a call's arguments (case 17)."""

from collections.abc import Mapping

import msgspec

from handrail.models.rehearsal.scenario import Arguments, Call, Conversation, Move, Say
from handrail.models.rehearsal.temperament import Bent, Dice
from handrail.models.rehearsal.temperament import Cut as CutOff

REPEATED = 12


class Cut:
    """Arguments break off, or stop where what is left is still JSON; now and then the same call fills the reply until it is cut."""

    def bend(self, move: Move, conversation: Conversation, dice: Dice) -> Bent:
        """Cut the move off."""
        if not dice.happens(0.25 + 0.6 * dice.habit):
            return move
        if isinstance(move, Say):
            return CutOff(move=Say(move.text[: dice.randint(0, len(move.text))]))
        if not move.calls or dice.happens(0.1):
            return CutOff(move=Say("I will now"))
        calls = move.calls * (REPEATED if dice.happens(0.1) else 1)
        (tool, given), kept = calls[-1], calls[:-1]
        return CutOff(move=Call(calls=(*kept, (tool, _shortened(given, dice))), text=move.text))


def _shortened(given: Arguments, dice: Dice) -> Arguments:
    if isinstance(given, Mapping) and given and dice.happens(0.4):
        return dict(list(given.items())[: dice.randint(0, len(given))])
    text = given if isinstance(given, str) else msgspec.json.encode(given).decode()
    return text[: dice.randint(0, len(text))]
