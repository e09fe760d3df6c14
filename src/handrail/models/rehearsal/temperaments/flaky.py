"""`flaky`: the provider fails: busy (429), broken (500 and others), connections that break off, silence, and answers that are none.

A repeated request is another request, so most of it passes when the client asks again; some of it does not.
"""

from handrail.models.rehearsal.scenario import Conversation, Move
from handrail.models.rehearsal.temperament import Bent, Dice, Fault, Hang, Late, Reset

BUSY: tuple[dict[str, str], ...] = (
    {},
    {"retry-after": "0"},
    {"retry-after": "1"},
    {"retry-after-ms": "40"},
    {"retry-after": "30"},
    {"retry-after": "soon"},
)


class Flaky:
    """Fails by a habit of its own.

    Args:
        hang: seconds for which an answer that never comes keeps its connection.
    """

    def __init__(self, *, hang: float = 60.0) -> None:
        """Keep how long it hangs."""
        self._hang = hang

    def bend(self, move: Move, conversation: Conversation, dice: Dice) -> Bent:
        """Fail."""
        if not dice.happens(0.1 + 0.6 * dice.habit):
            return move
        match dice.randrange(10):
            case 0 | 1 | 2:
                return Fault(status=429, message="Rate limit reached for requests.", headers=dice.choice(BUSY))
            case 3 | 4:
                return Fault(status=dice.choice((500, 502, 503, 529)), message="The server had an error while processing your request.")
            case 5 | 6:
                return Reset()
            case 7:
                return Late(seconds=dice.random(), what=Reset())
            case 8:
                return Fault(status=200, message="This is an error with a status of success.")
            case _:
                return Hang(self._hang)
