"""`hasty`: takes the last step first, with numbers that nobody has computed, and skips what has to come before it.

It knows what a result looks like once it has seen one of the kind; from then on it imagines the others.
"""

from typing import Any

import msgspec

from handrail.models.rehearsal.scenario import Call, Conversation, Move, ToolResult, call
from handrail.models.rehearsal.temperament import Bent, Dice, Imagined
from handrail.models.rehearsal.temperaments.making import changed, earlier_calls, last_step, looking_tools, plausible, with_arguments


class Hasty:
    """Hands in what looks right: made of what has come up, of results that it imagines, or of an earlier try."""

    def bend(self, move: Move, conversation: Conversation, dice: Dice) -> Bent | Imagined:
        """Jump to the end."""
        last = last_step(conversation)
        if last is None:
            return move
        if isinstance(move, Call) and any(tool == last for tool, _ in move.calls):
            return with_arguments(move, lambda _, given: _guessed(given, dice)) if dice.happens(0.3) else move
        if not dice.happens(0.3 + 0.6 * dice.habit):
            return move
        if (imagined := _imagined(move, conversation, dice)) is not None:
            return imagined
        tries = [given for tool, given in earlier_calls(conversation) if tool == last]
        if tries and dice.happens(0.5):
            return call(last, _guessed(dice.choice(tries), dice))
        return call(last, plausible(conversation, last, dice)) if dice.happens(0.5) else move


def _imagined(move: Move, conversation: Conversation, dice: Dice) -> Imagined | None:
    """What the calls would return, going by what such a call returned before; `None` where there was none, or where they do something."""
    if not isinstance(move, Call) or not move.calls:
        return None
    results = []
    for tool, given in move.calls:
        seen = conversation.results_of(tool)
        if not seen or isinstance(given, str) or tool not in looking_tools(conversation) or not isinstance(seen[-1].value, dict):
            return None
        value = _guessed(seen[-1].value, dice) | {key: item for key, item in given.items() if key in seen[-1].value}
        results.append(ToolResult(tool=tool, arguments=dict(given), content=msgspec.json.encode(value).decode(), value=value))
    return Imagined(tuple(results))


def _guessed(given: dict[str, Any], dice: Dice) -> dict[str, Any]:
    """The same with some numbers guessed."""

    def guess(leaf: Any) -> Any:
        if isinstance(leaf, bool) or not isinstance(leaf, int | float) or dice.happens(0.5):
            return leaf
        return round(leaf * dice.choice((0.5, 0.75, 1.5)))

    guessed: dict[str, Any] = changed(given, guess)
    return guessed
