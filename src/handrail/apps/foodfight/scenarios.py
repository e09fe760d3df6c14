"""What the rule-based stand-in does with a question about fights: it looks at names of venues, numbers and a few words, and nothing else.

It looks everything up first. To start or to accept a fight it needs the tools that write, and what only the user can say; it asks for what
is missing. It goes by what comes back: a person's no is told, not argued with.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from handrail.models.rehearsal import Call, Conversation, Move, Say, Scenario

LOOK, CREATE, ACCEPT = "get_promo_fights", "create_promo_fight", "accept_promo_fight"
STARTING = re.compile(r"\b(?:start|create|open a|new)\b", re.IGNORECASE)
ACCEPTING = re.compile(r"\b(?:accept|take|join)\b", re.IGNORECASE)
FIGHT = re.compile(r"\b(?:fight|bet)\s+#?(\d+)", re.IGNORECASE)
VENUE = re.compile(r"\brestaurant\s+#?(\d+)", re.IGNORECASE)
SIDE = re.compile(r"\b(?:outcome|side)\s+([12])\b", re.IGNORECASE)
ORDER = re.compile(r"\b(\d+)\s*(?:x|×)\s*(?:dish\s+)?(\d{2,})", re.IGNORECASE)
PAYMENT = re.compile(r"\bpi_\w+")
ADDRESS = re.compile(r"\bto\s+([^,;]*?\d[^,;]*?)(?=[,;]|\s+(?:with|and|paid)\b|$)", re.IGNORECASE)
TAKEOUT = ((re.compile(r"\bdeliver", re.IGNORECASE), 2), (re.compile(r"\bpick", re.IGNORECASE), 1))
MOST_SHOWN = 5
OFF = "Starting and accepting fights is switched off here; I can only look things up."
WHICH = "Which restaurant? I know: {}."
MISSING = "To start a fight I need {}."
DECLINED = "That was not done: {}"
NONE_FREE = "No open fight there has that side free."


class FoodFights:
    """Look up, then say what there is, start a fight, or accept one."""

    name = "foodfight"

    def fits(self, conversation: Conversation) -> bool:
        """Wherever fights can be looked up."""
        return LOOK in conversation.declarations

    def move(self, conversation: Conversation) -> Move:
        """The next move."""
        wrong = [result for result in conversation.results if result.error is not None]
        if wrong:
            return Say(DECLINED.format(wrong[-1].error))
        for tool, words in ((CREATE, "started"), (ACCEPT, "accepted")):
            if done := conversation.results_of(tool):
                return Say(f"Fight {done[-1].value['bet_id']} is {words}.")
        looks = conversation.results_of(LOOK)
        if not looks:
            number = VENUE.search(conversation.user)
            return _look(int(number[1]) if number else None)
        return _seen(conversation, looks[-1].value)


def scenarios() -> Sequence[Scenario]:
    """The scenarios of this app."""
    return (FoodFights(),)


def _look(restaurant_id: int | None) -> Call:
    return Call(calls=((LOOK, {"restaurant_id": restaurant_id}),))


def _seen(conversation: Conversation, venues: Sequence[Mapping[str, Any]]) -> Move:
    text = conversation.user
    wanted = STARTING.search(text) or ACCEPTING.search(text)
    named = [venue for venue in venues if venue["name"].lower() in text.lower()] or (list(venues) if len(venues) == 1 else [])
    if not named:
        return Say(WHICH.format(", ".join(venue["name"] for venue in venues)) if wanted else _all(venues))
    venue = named[0]
    if "menu" not in venue:
        return _look(venue["restaurant_id"])
    if not wanted:
        return Say(_about(venue))
    if not (conversation.offers(CREATE) and conversation.offers(ACCEPT)):
        return Say(OFF)
    return _start(text, venue) if STARTING.search(text) else _accept(text, venue)


def _start(text: str, venue: Mapping[str, Any]) -> Move:
    side, orders = SIDE.search(text), ORDER.findall(text)
    payment, address = PAYMENT.search(text), ADDRESS.search(text)
    missing = [
        what
        for what, there in (
            ("the outcome that you bet on (outcome 1 or 2)", side),
            (f"what you order (such as 2x{venue['menu'][0]['menu_item_id']})", orders),
            ("your address (to …)", address),
            ("the payment intent (pi_…)", payment),
        )
        if not there
    ]
    if side is None or payment is None or address is None or missing:
        return Say(MISSING.format(", ".join(missing)))
    arguments = {
        "restaurant_id": venue["restaurant_id"],
        "maker_outcome": int(side[1]),
        "restaurant_items": [{"menu_item_id": int(dish), "quantity": int(quantity)} for quantity, dish in orders],
        "takeout_type": next((number for pattern, number in TAKEOUT if pattern.search(text)), 0),
        "maker_address": address[1].strip(),
        "maker_payment_intent": payment[0],
    }
    return Call(calls=((CREATE, arguments),))


def _accept(text: str, venue: Mapping[str, Any]) -> Move:
    number, side = FIGHT.search(text), SIDE.search(text)
    bet = int(number[1]) if number else None
    fights = [fight for fight in venue["fights"] if bet in {None, fight["bet_id"]}]
    if side is None and not fights:
        return Say(NONE_FREE)
    outcome = int(side[1]) if side else fights[0]["open_outcome"]
    arguments = {"restaurant_id": venue["restaurant_id"], "user_preferred_outcome": outcome, "bet_id": bet, "menu_item_ids": None}
    return Call(calls=((ACCEPT, arguments),))


def _all(venues: Sequence[Mapping[str, Any]]) -> str:
    open_ = [venue for venue in venues if venue["fights"]]
    shown = "; ".join(f"{venue['name']} ({len(venue['fights'])})" for venue in open_)
    return f"Open promo fights: {shown}." if open_ else "No promo fight is open."


def _about(venue: Mapping[str, Any]) -> str:
    fights = venue["fights"]
    contest = f"{venue['name']}, {venue['contest']} 1: {venue['outcomes']['1']}, 2: {venue['outcomes']['2']}."
    if not fights:
        return f"{contest} No fight is open there."
    shown = "; ".join(_fight(fight) for fight in fights[:MOST_SHOWN])
    more = f"; and {len(fights) - MOST_SHOWN} more" if len(fights) > MOST_SHOWN else ""
    return f"{contest} {len(fights)} open: {shown}{more}."


def _fight(fight: Mapping[str, Any]) -> str:
    items = ", ".join(f"{item['quantity']} × {item['name']}" for item in fight["items"])
    return f"fight {fight['bet_id']} for {items} ({fight['total_cents'] / 100:.2f}), outcome {fight['open_outcome']} is free"
