"""What the rule-based stand-in does with a question about orders: it looks for e-mail addresses, a status and a number, and nothing else.

A number is asked for as it stands in the message. One beyond what the tool takes comes back as an error, and is then corrected: real models
need that too.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from handrail.models.rehearsal import Call, Conversation, Move, Say, Scenario
from handrail.models.rehearsal.slots import EMAIL, number, one_of

TOOL = "lookup_orders"
STATUSES = ("placed", "shipped", "delivered", "cancelled")
MOST_ADDRESSES = 3
MOST_SHOWN = 5
WHOSE = "Whose orders? Please give me the customer's e-mail address."
GIVEN_UP = "I could not look that up, sorry."


class LookUp:
    """Look up every address in the message, correct what came back as an error once, and sum up the rows."""

    name = "orders"

    def fits(self, conversation: Conversation) -> bool:
        """Wherever orders can be looked up."""
        return conversation.offers(TOOL)

    def move(self, conversation: Conversation) -> Move:
        """Ask, correct, or answer."""
        addresses = list(dict.fromkeys(EMAIL.findall(conversation.user)))[:MOST_ADDRESSES]
        if not addresses:
            return Say(WHOSE)
        done = {result.arguments.get("customer_email"): result.value for result in conversation.results_of(TOOL)}
        open_ = [address for address in addresses if address not in done]
        if not open_:
            return Say(" ".join(_summed_up(address, done[address]) for address in addresses))
        if conversation.turns > 1:
            return Say(GIVEN_UP)
        corrected = conversation.turns == 1
        return Call(calls=tuple((TOOL, _arguments(conversation, address, corrected=corrected)) for address in open_))


def scenarios() -> Sequence[Scenario]:
    """The scenarios of this app."""
    return (LookUp(),)


def _arguments(conversation: Conversation, address: str, *, corrected: bool) -> Mapping[str, Any]:
    arguments: dict[str, Any] = {"customer_email": address}
    status, limit = one_of(conversation.user, STATUSES), number(conversation.user)
    if status is not None:
        arguments["status"] = status
    if limit is not None:
        arguments["limit"] = min(max(limit, 1), _most(conversation)) if corrected else limit
    return arguments


def _most(conversation: Conversation) -> int:
    """What the declaration says; the stand-in reads it as a model would."""
    limit = conversation.declarations[TOOL]["parameters"]["properties"]["limit"]
    return int(limit["maximum"])


def _summed_up(address: str, rows: Any) -> str:
    if not isinstance(rows, list) or not rows:
        return f"I found no such orders of {address}."
    shown = "; ".join(_order(row) for row in rows[:MOST_SHOWN])
    more = f"; and {len(rows) - MOST_SHOWN} more" if len(rows) > MOST_SHOWN else ""
    return f"{address} has {len(rows)} such order{'s' if len(rows) > 1 else ''}, newest first: {shown}{more}."


def _order(row: Mapping[str, Any]) -> str:
    day = datetime.fromisoformat(row["created_at"]).date().isoformat()
    return f"#{row['order_id']} of {day}, {row['status']}, {row['total_cents'] / 100:.2f}"
