"""How a rehearsal misbehaves on purpose. A temperament bends a scenario's move, or what becomes of it on its way.

- Chance comes from the dice alone, and the dice from the seed and the request: the same request is answered the same way whatever else
  goes on, so a misbehaviour can be seen again.
- A request that the client repeats is another request: it says so in a header, so a fault can pass.
"""

import random
from typing import Protocol, runtime_checkable

import msgspec

from handrail.models.rehearsal.scenario import Conversation, Move, ToolResult
from handrail.vocab.canonical import digest


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """An answer with an error in place of a reply."""

    status: int
    message: str
    headers: dict[str, str] = {}


class Cut(msgspec.Struct, frozen=True, kw_only=True):
    """A move that the output limit has cut off; the reply says so (`finish_reason` is `length`)."""

    move: Move


class Reset(msgspec.Struct, frozen=True):
    """The connection breaks off in the middle of the answer."""


class Hang(msgspec.Struct, frozen=True):
    """Nothing comes at all, for so many seconds, unless the client goes away before."""

    seconds: float = 600.0


class Late(msgspec.Struct, frozen=True, kw_only=True):
    """What it is comes only after so many seconds."""

    seconds: float
    what: Move | Cut | Fault | Reset


Bent = Move | Cut | Fault | Reset | Hang | Late
"""What can become of a move."""


class Imagined(msgspec.Struct, frozen=True):
    """Results that never came: the scenario is asked again as if they had."""

    results: tuple[ToolResult, ...]


class Dice(random.Random):
    """Numbers that depend on the seed and the request alone.

    Args:
        text: what they depend on.
        habit: a number from 0 to 1 that stays the same for a whole conversation: how far the temperament goes in it.
    """

    habit: float = 0.5

    def happens(self, probability: float) -> bool:
        """Whether something of this probability happens now."""
        return self.random() < probability


def dice_for(seed: int, conversation: Conversation) -> Dice:
    """The dice of one request."""
    dice = Dice(f"{seed}:{conversation.attempt}:{digest(list(conversation.messages))}")
    dice.habit = Dice(f"{seed}:{conversation.said[0] if conversation.said else ''}").random()
    return dice


class Temperament(Protocol):
    """Seeded misbehaviour over any scenario."""

    def bend(self, move: Move, conversation: Conversation, dice: Dice) -> Bent | Imagined:
        """What is made of the move; the dice are the same for the same seed and request."""
        ...


@runtime_checkable
class Hearing(Protocol):
    """A temperament that also gets wrong what it is told."""

    def hears(self, conversation: Conversation, dice: Dice) -> Conversation:
        """What the scenario is given in place of the conversation; the dice are those that `bend` gets."""
        ...


class Steady:
    """No misbehaviour."""

    def bend(self, move: Move, conversation: Conversation, dice: Dice) -> Bent:
        """The move as it is."""
        return move
