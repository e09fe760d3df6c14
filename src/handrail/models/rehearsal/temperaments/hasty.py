"""`hasty`: takes the last step first, with numbers that nobody has computed, and skips what has to come before it."""

from typing import Any

from handrail.models.rehearsal.scenario import Call, Conversation, Move, call
from handrail.models.rehearsal.temperament import Bent, Dice
from handrail.models.rehearsal.temperaments.making import changed, earlier_calls, last_step, plausible, with_arguments


class Hasty:
    """Hands in something that looks right: an earlier try again, values that have come up, or the real thing with numbers of its own."""

    def bend(self, move: Move, conversation: Conversation, dice: Dice) -> Bent:
        """Jump to the end."""
        last = last_step(conversation)
        if last is None:
            return move
        if isinstance(move, Call) and any(tool == last for tool, _ in move.calls):
            return with_arguments(move, lambda _, given: _guessed(given, dice)) if dice.happens(0.6) else move
        if not dice.happens(0.3 + 0.6 * dice.habit):
            return move
        tries = [given for tool, given in earlier_calls(conversation) if tool == last]
        if tries and dice.happens(0.5):
            return call(last, _guessed(dice.choice(tries), dice))
        return call(last, plausible(conversation, last, dice))


def _guessed(given: dict[str, Any], dice: Dice) -> dict[str, Any]:
    """The same with some numbers guessed."""

    def guess(leaf: Any) -> Any:
        if isinstance(leaf, bool) or not isinstance(leaf, int | float) or dice.happens(0.5):
            return leaf
        return round(leaf * dice.choice((0.5, 0.75, 1.5)))

    guessed: dict[str, Any] = changed(given, guess)
    return guessed
