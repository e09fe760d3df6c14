"""`parallel`: everything at once: the same call many times, the last step beside what it needs, more calls than anybody takes."""

from handrail.models.rehearsal.scenario import Arguments, Call, Conversation, Move
from handrail.models.rehearsal.temperament import Bent, Dice
from handrail.models.rehearsal.temperaments.making import earlier_calls, last_step, plausible

FLOOD = 40


class Parallel:
    """What the scenario wants is somewhere among it."""

    def bend(self, move: Move, conversation: Conversation, dice: Dice) -> Bent:
        """Call more."""
        if not conversation.declarations or not dice.happens(0.4 + 0.5 * dice.habit):
            return move
        wanted = list(move.calls) if isinstance(move, Call) else []
        calls = [*wanted, *self._more(wanted, conversation, dice)]
        if dice.happens(0.4):
            dice.shuffle(calls)
        return Call(calls=tuple(calls), text=move.text) if calls else move

    def _more(self, wanted: list[tuple[str, Arguments]], conversation: Conversation, dice: Dice) -> list[tuple[str, Arguments]]:
        if wanted and dice.happens(0.1):
            return wanted * (FLOOD // len(wanted))
        tools = dice.sample(list(conversation.declarations), min(len(conversation.declarations), dice.randint(0, 4)))
        more: list[tuple[str, Arguments]] = [(tool, plausible(conversation, tool, dice)) for tool in tools]
        if wanted and dice.happens(0.4):
            more += wanted
        last = last_step(conversation)
        tries = [(tool, given) for tool, given in earlier_calls(conversation) if tool == last]
        if last is not None and dice.happens(0.4):
            more += [dice.choice(tries) if tries else (last, plausible(conversation, last, dice))] * dice.randint(1, 2)
        return more
