"""`stubborn`: what was refused is asked for again, word for word."""

from handrail.models.rehearsal.scenario import Call, Conversation, Move, Say
from handrail.models.rehearsal.temperament import Bent, Dice, Imagined
from handrail.models.rehearsal.temperaments.hasty import Hasty
from handrail.models.rehearsal.temperaments.making import earlier_calls
from handrail.models.rehearsal.temperaments.sloppy import Sloppy


class Stubborn:
    """It goes wrong in the first place by being hasty or sloppy."""

    def __init__(self) -> None:
        """Nothing is kept: what was refused stands in the conversation."""
        self._provoking = (Hasty(), Sloppy())

    def bend(self, move: Move, conversation: Conversation, dice: Dice) -> Bent | Imagined:
        """Insist."""
        refused = _refused(conversation)
        if refused is not None and dice.happens(0.55 + 0.4 * dice.habit):
            return refused
        return dice.choice(self._provoking).bend(move, conversation, dice) if dice.happens(0.5) else move


def _refused(conversation: Conversation) -> Move | None:
    """The last reply again, if any of its calls, or its text, was sent back."""
    last = next((message for message in reversed(conversation.messages) if message["role"] == "assistant"), None)
    if last is None:
        return None
    called = last.get("tool_calls") or ()
    if not called:
        return Say(str(last["content"])) if conversation.notes and last.get("content") else None
    if not any(result.error is not None for result in conversation.results[-len(called) :]):
        return None
    return Call(calls=tuple(earlier_calls(conversation)[-len(called) :]), text=last.get("content") or None)
