"""Looking for food, filling the cart, ordering: one set of rules, chosen by the words that a message has."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from handrail.apps.delivery.scenarios.hearing import FROM, MENU_OF, best, heard, items, talked_of
from handrail.models.rehearsal import Call, Conversation, Move, Say, call

SEARCH, MENU, OPEN, CLOSE = "get_restaurant_pages", "get_menu_of_restaurant", "open_restaurant_page", "close_restaurant_page"
ADD, REMOVE, ORDER, ACTIONS = "add_food_to_cart", "remove_food_from_cart", "place_order", "get_user_actions"
CART, CART_CLOSE, HANDSFREE = "open_shopping_cart", "close_shopping_cart", "activate_handsfree"

LONGEST_ERROR = 300
MOST_SHOWN = 4
HELLO = "What would you like to eat? Tell me a dish, or what you are in the mood for."
NOTHING = "I found nothing like that. Try another dish, or another word for it."
NOT_THERE = "I cannot find {} there."
EMPTY = "Your cart is empty."
WRONG = "That did not work: {}"


class Shopping:
    """Search, open, add, remove, read out, order, and tell what was done."""

    name = "delivery"

    def fits(self, conversation: Conversation) -> bool:
        """Wherever restaurants can be searched."""
        return SEARCH in conversation.declarations

    def move(self, conversation: Conversation) -> Move:
        """The next move; what went wrong is told."""
        if conversation.errors:
            return Say(WRONG.format(conversation.errors[-1][:LONGEST_ERROR]))
        for pattern, rule in RULES:
            found = pattern.search(heard(conversation))
            if found is not None:
                return rule(conversation, found)
        return _hungry(conversation)


def _hungry(talk: Conversation) -> Move:
    """Search, open the first page, and say what fits."""
    looks = talk.results_of(SEARCH)
    if not looks:
        return call(SEARCH, {"food_requested": [heard(talk)[:100]], "quantity": 3})
    page = _first(looks[-1].value)
    if page is None:
        return Say(NOTHING)
    if not talk.results_of(OPEN):
        return call(OPEN, {"restaurant_uuid": page["restaurant_uuid"]})
    shown = ", ".join(f"{dish['name']} for {_money(dish['price_cents'])}" for dish in page["dishes"][:MOST_SHOWN])
    closed = "" if page["open"] else f" It is closed now and opens {page['opens']}."
    return Say(f"{page['name']} has {shown}.{closed} What shall I add?")


def _menu(talk: Conversation, found: re.Match[str]) -> Move:
    looks, menus = talk.results_of(SEARCH), talk.results_of(MENU)
    if not looks:
        return call(SEARCH, {"food_requested": [], **_named(talk, MENU_OF), "quantity": 1})
    page = _first(looks[-1].value)
    if page is None:
        return Say(NOTHING)
    if not menus:
        return call(MENU, {"restaurant_uuid": page["restaurant_uuid"]})
    return Say(f"{page['name']} has: {', '.join(dish['name'] for dish in menus[-1].value['menu'])}.")


def _open_page(talk: Conversation, found: re.Match[str]) -> Move:
    if talk.results_of(OPEN):
        return Say("The page is open.")
    looks = talk.results_of(SEARCH)
    if not looks:
        return call(SEARCH, {"food_requested": [], "name_of_restaurant": found["name"][:100], "quantity": 1})
    page = _first(looks[-1].value)
    return Say(NOTHING) if page is None else call(OPEN, {"restaurant_uuid": page["restaurant_uuid"]})


def _add(talk: Conversation, found: re.Match[str]) -> Move:
    """Look every dish up where they are talking about, then add each with a call of its own."""
    said = FROM.sub("", found["what"]) if "from" in found["what"].lower() else found["what"]
    wanted, looks, added = items(said), talk.results_of(SEARCH), talk.results_of(ADD)
    if not wanted:
        return Say(HELLO)
    if added:
        return Say(f"Added. {_read_out(added[-1].value)}")
    if not looks:
        return call(SEARCH, {"food_requested": [name[:100] for _, name in wanted[:5]], **_named(talk), "quantity": 1})
    page = _first(looks[-1].value)
    if page is None:
        return Say(NOTHING)
    menus = talk.results_of(MENU)
    if not menus:
        return call(MENU, {"restaurant_uuid": page["restaurant_uuid"]})
    chosen = [(number, name, best(name, menus[-1].value["menu"])) for number, name in wanted]
    missing = [name for _, name, dish in chosen if dish is None]
    if missing:
        return Say(NOT_THERE.format(missing[0]))
    uuid = page["restaurant_uuid"]
    return Call(
        calls=tuple(
            (ADD, {"restaurant_uuid": uuid, "food_id": dish["food_id"], "quantity": number or 1})
            for number, _, dish in chosen
            if dish is not None
        )
    )


def _remove(talk: Conversation, found: re.Match[str]) -> Move:
    wanted, carts, removed = items(found["what"]), talk.results_of(CART), talk.results_of(REMOVE)
    if removed:
        return Say(f"Removed. {_read_out(removed[-1].value)}")
    if not carts:
        return call(CART, {})
    lines = _lines(carts[-1].value)
    number, name = wanted[0] if wanted else (None, found["what"])
    line = best(name, lines)
    if line is None:
        return Say(NOT_THERE.format(name) if lines else EMPTY)
    arguments = {"restaurant_uuid": carts[-1].value["restaurant_uuid"], "food_id": line["food_id"]}
    return call(REMOVE, arguments | ({} if number is None else {"quantity": number}))


def _order(talk: Conversation, found: re.Match[str]) -> Move:
    """Open the cart, read it out, and ask for the order; the app asks for the yes."""
    carts, placed = talk.results_of(CART), talk.results_of(ORDER)
    if placed:
        order = placed[-1].value if isinstance(placed[-1].value, dict) else {}
        return Say(f"Your order at {order.get('restaurant', 'the restaurant')} is placed: {_money(order.get('total_cents'))} in all.")
    if not carts:
        return call(CART, {})
    if not _lines(carts[-1].value):
        return Say(EMPTY)
    return Call(calls=((ORDER, {}),), text=f"{_read_out(carts[-1].value)} Shall I order it?")


def _cart(talk: Conversation, found: re.Match[str]) -> Move:
    carts = talk.results_of(CART)
    return Say(_read_out(carts[-1].value)) if carts else call(CART, {})


def _actions(talk: Conversation, found: re.Match[str]) -> Move:
    told = talk.results_of(ACTIONS)
    if not told:
        return call(ACTIONS, {"last": 10})
    value = told[-1].value
    acts = value.get("acts", []) if isinstance(value, dict) else value
    mine = [act["what"].replace("_", " ") for act in acts if act["who"] == "user"]
    ours = [act["what"].replace("_", " ") for act in acts if act["who"] == "agent"]
    return Say(f"You: {', '.join(mine) or 'nothing yet'}. Me: {', '.join(ours) or 'nothing yet'}.")


def _simple(tool: str, said: str) -> Callable[[Conversation, re.Match[str]], Move]:
    """One click, and a word when it is done."""

    def rule(talk: Conversation, found: re.Match[str]) -> Move:
        return Say(said) if talk.results_of(tool) else call(tool, {})

    return rule


def _handsfree(talk: Conversation, found: re.Match[str]) -> Move:
    on = found["off"] is None and found["after"] is None
    if talk.results_of(HANDSFREE):
        return Say("I am listening." if on else "I have stopped listening.")
    return call(HANDSFREE, {"on": on})


def _hello(talk: Conversation, found: re.Match[str]) -> Move:
    return Say(HELLO)


def _first(pages: Any) -> Mapping[str, Any] | None:
    return pages[0] if isinstance(pages, list) and pages else None


def _named(talk: Conversation, pattern: re.Pattern[str] = FROM) -> Mapping[str, Any]:
    """The restaurant that is named, or was talked of last."""
    named = pattern.search(heard(talk))
    name = named["name"] if named is not None else talked_of(talk)
    return {} if name is None else {"name_of_restaurant": name[:100]}


def _lines(cart: Any) -> Sequence[Mapping[str, Any]]:
    return cart.get("lines", []) if isinstance(cart, dict) else []


def _read_out(cart: Any) -> str:
    lines = _lines(cart)
    if not lines:
        return EMPTY
    shown = ", ".join(f"{line['quantity']} {line['name']}" for line in lines[:MOST_SHOWN])
    more = f" and {len(lines) - MOST_SHOWN} more" if len(lines) > MOST_SHOWN else ""
    return f"In your cart: {shown}{more}, {_money(cart['total_cents'])} in all."


def _money(cents: Any) -> str:
    return f"{cents // 100}.{cents % 100:02}" if isinstance(cents, int) else "an unknown amount"


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


RULES: Sequence[tuple[re.Pattern[str], Callable[[Conversation, re.Match[str]], Move]]] = (
    (_words(r"\bwhat (?:did|have) (?:i|we|you) do|\bmy (?:last )?actions\b"), _actions),
    (_words(r"(?P<off>\b(?:stop|no|off)\b.*)?\bhands[- ]?free\b(?P<after>.*\b(?:off|stop)\b)?"), _handsfree),
    (_words(r"\b(?:remove|take out|delete)\b (?P<what>.+)"), _remove),
    (_words(r"\b(?:add|put|i(?:'ll| will) (?:take|have)|give me|order (?=\d|an?\b|one|two|three))\b ?(?P<what>.+)"), _add),
    (_words(r"\b(?:place|send) (?:the|my|an) order\b|\border (?:it|that|this|now)\b|\bcheck ?out\b"), _order),
    (_words(r"\bclose\b.*\b(?:cart|basket)\b"), _simple(CART_CLOSE, "The cart is closed.")),
    (_words(r"\bclose\b"), _simple(CLOSE, "The page is closed.")),
    (_words(r"\b(?:cart|basket)\b"), _cart),
    (_words(r"\bmenu\b"), _menu),
    (_words(r"\bopen (?:the )?(?:page of |restaurant )?(?P<name>.+?)(?:'s page)?[.!?]*$"), _open_page),
    (_words(r"^\W*(?:hi|hello|hey|yes|no|ok(?:ay)?|thanks?(?: you)?)?\W*$"), _hello),
)
"""What a message is about, the first that fits."""
