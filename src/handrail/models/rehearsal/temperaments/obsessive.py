"""`obsessive`: looks things up for ever, a little differently each time, and never comes to the point."""

from collections.abc import Mapping
from typing import Any

from handrail.models.rehearsal.scenario import Conversation, Move, call
from handrail.models.rehearsal.temperament import Bent, Dice
from handrail.models.rehearsal.temperaments.making import changed, earlier_calls, looking_tools, plausible, values_seen

ONE_MORE = ("hidden", "best", "quiet", "nearby", "famous", "other", "all", "more", "cheap", "secret")


class Obsessive:
    """One tool or another; also one that is no longer offered, if it was used before."""

    def bend(self, move: Move, conversation: Conversation, dice: Dice) -> Bent:
        """Look something up again."""
        before = [(tool, given) for tool, given in earlier_calls(conversation) if tool in looking_tools(conversation)]
        tools = looking_tools(conversation)
        if not dice.happens(0.5 + 0.5 * dice.habit) or not (tools or before):
            return move
        if before and dice.happens(0.5):
            tool, given = dice.choice(before)
            return call(tool, _again(given, conversation, dice))
        withdrawn = sorted({tool for tool, _ in earlier_calls(conversation)} - set(conversation.declarations))
        tool = dice.choice(withdrawn) if withdrawn and dice.happens(0.3) else dice.choice(tools or withdrawn)
        return call(tool, plausible(conversation, tool, dice))


def _again(given: Mapping[str, Any], conversation: Conversation, dice: Dice) -> dict[str, Any]:
    """The same again, or with another word in it."""
    seen = values_seen(conversation)

    def other(leaf: Any) -> Any:
        if not isinstance(leaf, str) or dice.happens(0.4):
            return leaf
        return dice.choice(seen) if seen and dice.happens(0.5) else f"{dice.choice(ONE_MORE)} {leaf}"[:60]

    again: dict[str, Any] = changed(given, other)
    return again
