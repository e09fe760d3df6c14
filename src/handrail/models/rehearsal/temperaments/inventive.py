"""`inventive`: ids, places, prices and tools that never existed."""

from typing import Any

from handrail.models.rehearsal.scenario import Call, Conversation, Move, call
from handrail.models.rehearsal.temperament import Bent, Dice
from handrail.models.rehearsal.temperaments.making import changed, last_step, plausible, slug, with_arguments

FIRST = ("lake", "hotel", "flight", "mount", "order", "valley", "item", "old-town", "bay", "ref")
SECOND = ("of-dreams", "9f3a77", "shambhala", "0042", "everlasting", "sunrise-b", "null", "tbd", "golden-horse", "10000001")
TOOLS = ("search_web", "python", "book_everything", "multi_tool_use.parallel", "get_current_time", "final_answer")


class Inventive:
    """Makes up some of the values of a call, a whole call, or a tool."""

    def bend(self, move: Move, conversation: Conversation, dice: Dice) -> Bent:
        """Make something up."""
        if not dice.happens(0.3 + 0.6 * dice.habit):
            return move
        last = last_step(conversation)
        if dice.happens(0.12):
            return call(_tool(conversation, dice), {"query": conversation.user[:40]})
        if last is not None and dice.happens(0.3):
            move = call(last, plausible(conversation, last, dice))
        if not isinstance(move, Call):
            return move

        def invent(leaf: Any) -> Any:
            if isinstance(leaf, str) and dice.happens(0.45):
                return f"{dice.choice(FIRST)}-{dice.choice(SECOND)}"
            if isinstance(leaf, int) and not isinstance(leaf, bool) and dice.happens(0.1):
                return dice.randint(0, 999)
            return leaf

        return with_arguments(move, lambda _, given: dict(changed(given, invent)))


def _tool(conversation: Conversation, dice: Dice) -> str:
    """A tool that nobody offers; some look much like one that is."""
    offered = dice.choice(list(conversation.declarations) or ["answer"])
    return dice.choice((*TOOLS, f"{offered}_v2", f"functions.{offered}", f"{slug(conversation.model)}_{offered}"[:60]))
