"""What the stand-in hears in a sentence: what it is about, dishes with numbers, and the restaurant that was talked of last."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from handrail.apps.delivery.search.lexical import words
from handrail.models.rehearsal import Conversation

NUMBERS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
ITEM = re.compile(
    r"^(?:(?P<number>\d{1,2}|" + "|".join(NUMBERS) + r")\s*(?:x|×|times)?\s+)?(?:of\s+)?(?:the\s+|my\s+)?(?P<name>.+)$", re.IGNORECASE
)
BETWEEN = re.compile(r"\s*,\s*(?:and\s+)?|\s+and\s+", re.IGNORECASE)
ROUND = re.compile(
    r"^[\s,]*(?:please\b)?\s*|\s*(?:\b(?:please|too|as well|(?:in)?to (?:my|the) cart|from (?:my|the) cart)\b)?[\s.!?]*$", re.IGNORECASE
)
FROM = re.compile(r"\b(?:from|at)\s+(?P<name>[^,.!?]+)", re.IGNORECASE)
MENU_OF = re.compile(r"\b(?:from|at|of)\s+(?P<name>[^,.!?]+)", re.IGNORECASE)
LONGEST = 500
"""Characters of a message that are listened to."""


def heard(conversation: Conversation) -> str:
    """The user's latest words, on one line, and no more than anybody says at once."""
    return " ".join(conversation.user.split())[:LONGEST]


def items(text: str) -> Sequence[tuple[int | None, str]]:
    """Dishes with how often, such as `two dan dan noodles and a jasmine tea`; no number is `None`."""
    found = []
    for part in BETWEEN.split(text):
        plain = ROUND.sub("", ROUND.sub("", part))
        item = ITEM.match(plain)
        if item is not None and words(item["name"]):
            number = (item["number"] or "").lower()
            found.append((NUMBERS.get(number) or (int(number) if number else None), item["name"]))
    return found


def best(name: str, dishes: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The dish whose name has most of the words."""
    wanted = set(words(name))
    scored = [(len(wanted & set(words(dish["name"]))), -len(words(dish["name"])), -place) for place, dish in enumerate(dishes)]
    score = max(scored, default=(0, 0, 0))
    return dishes[-score[2]] if score[0] else None


def results(conversation: Conversation) -> Iterator[tuple[str, Mapping[str, Any], Any]]:
    """Every call of the whole conversation that succeeded, with its arguments and its result."""
    calls: dict[str, Mapping[str, Any]] = {}
    for message in conversation.messages:
        for call in message.get("tool_calls") or ():
            calls[call["id"]] = call["function"]
        if message["role"] == "tool" and message["tool_call_id"] in calls:
            called, value = calls[message["tool_call_id"]], _read(message.get("content"))
            if not (isinstance(value, dict) and list(value) == ["error"]):
                yield called["name"], _read(called["arguments"]) or {}, value


def talked_of(conversation: Conversation) -> str | None:
    """The name of the restaurant whose page was opened last."""
    names: dict[str, str] = {}
    last = None
    for tool, arguments, value in results(conversation):
        if tool == "get_restaurant_pages" and isinstance(value, list):
            names |= {page["restaurant_uuid"]: page["name"] for page in value}
        if tool == "open_restaurant_page":
            last = names.get(str(arguments.get("restaurant_uuid")), last)
        if tool == "add_food_to_cart" and isinstance(value, dict):
            last = value.get("restaurant") or last
    return last


def _read(text: Any) -> Any:
    try:
        return json.loads(text)
    except (TypeError, ValueError, RecursionError):
        return text
