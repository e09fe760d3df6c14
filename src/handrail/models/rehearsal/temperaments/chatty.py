"""`chatty`: long text where tools should be called, and text beside the calls that nobody asked for."""

from handrail.models.rehearsal.scenario import Call, Conversation, Move, Say
from handrail.models.rehearsal.temperament import Bent, Dice
from handrail.models.rehearsal.temperaments.making import last_step, values_seen

OPENINGS = (
    "Great question! Let me walk you through everything in detail.",
    "Of course! I would be delighted to help. Here is the complete result:",
    "I have thought about this carefully, and here is my final answer.",
    "Sure thing. I do not need any tools for that, since I know it well.",
)
FILLER = (
    "There is a lot to say about this, and it is worth taking the time to say all of it.",
    "Many people ask for the same, and I always tell them what I am about to tell you now.",
    "As far as I remember everything is available, nothing is closed, and it will all take about two hours.",
    "You can rely on these figures, although I have not looked them up.",
    "Please let me know if you would like me to go on; I can also go into more detail.",
)


class Chatty:
    """The surer it is of itself, the less it calls."""

    def bend(self, move: Move, conversation: Conversation, dice: Dice) -> Bent:
        """Talk instead of doing, or while doing."""
        if dice.happens(0.35 + 0.6 * dice.habit):
            return Say(_speech(conversation, dice))
        if isinstance(move, Say):
            return Say(f"{move.text}\n\n{_speech(conversation, dice)}")
        return Call(calls=move.calls, text=_speech(conversation, dice))


def _speech(conversation: Conversation, dice: Dice) -> str:
    lines = [dice.choice(OPENINGS)]
    lines += [f"- Step {at}: {value}" for at, value in enumerate(values_seen(conversation)[: dice.randint(0, 6)], 1)]
    lines += [dice.choice(FILLER) for _ in range(dice.randint(2, 12))]
    if dice.happens(0.3):
        lines.append(f"(I have already called {last_step(conversation) or 'everything'} for you, and it worked.)")
    return "\n".join(lines)
