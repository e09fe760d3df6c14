"""What holds for an answer: it calls orders what the look-ups called them.

A small model reads a row that says `placed`, is asked whether the order was shipped, and says yes. The rows are facts here, so the
answer can be held against them before anybody reads it.
"""

import re

from handrail.guards import ALLOW, BaseGuard, Lens, Reading, Refuse, TextVerdict, TurnLimit

MAX_TOOL_ROUNDS = 5
ORDER = "order"
STATUSES = ("placed", "shipped", "delivered", "cancelled")
WORDS = re.compile(r"\w+")
SHOWN = 5


class AsLookedUp(BaseGuard):
    """An answer that names a status has to name one that a row has; of orders that it names by number, one of theirs.

    It is sent back once, with what the rows say; the second answer stands, since a sentence can mean what no list of words tells.
    """

    refuses_text = True

    def __init__(self) -> None:
        """Say what it reads."""
        super().__init__()
        self.looks = (Lens("facts", ORDER), Lens("refused_texts", self.name, 1), Lens("turns_left", "", 1))

    def accepts(self, state: Reading, text: str) -> TextVerdict:
        """Send back what contradicts the rows."""
        words = frozenset(WORDS.findall(text.casefold()))
        statuses = {str(fact.value): str(fact.about.get("status", "")) for fact in state.facts(ORDER)}
        meant = {number: status for number, status in statuses.items() if number in words} or statuses
        says_one, says_theirs = not words.isdisjoint(STATUSES), not words.isdisjoint(meant.values())
        if not meant or not says_one or says_theirs or state.refused_texts(self.name) or state.turns_left == 0:
            return ALLOW
        rows = ", ".join(f"{number} is {status}" for number, status in list(meant.items())[:SHOWN])
        return Refuse("not_as_looked_up", f"That is not what was looked up: {rows}. Answer again, and call each order what it is.")


RING: tuple[BaseGuard, ...] = (TurnLimit(MAX_TOOL_ROUNDS), AsLookedUp())
