"""What a run knows of restaurants, dishes and fights, read from the facts of its ledger.

Rules: nothing here was said by a model; it all came from look-ups. A detail that nobody knows is `None`, and no reason to refuse.
"""

from collections.abc import Iterable
from typing import Any, TypeVar

import msgspec

from handrail import Fact

RESTAURANT, DISH, FIGHT = "restaurant", "menu_item", "fight"
OPEN, GONE = "open", "gone"
T = TypeVar("T")


class KnownRestaurant(msgspec.Struct, frozen=True, kw_only=True):
    """A venue and its contest."""

    restaurant_id: int
    name: str = "?"
    city: str = "?"
    contest: str = "?"
    outcomes: dict[str, str] = {}


class KnownDish(msgspec.Struct, frozen=True, kw_only=True):
    """A dish of a menu."""

    menu_item_id: int
    name: str = "?"
    price_cents: int | None = None
    restaurant_id: int | None = None


class KnownFight(msgspec.Struct, frozen=True, kw_only=True):
    """A fight, as it stood when it was last looked up."""

    bet_id: int
    restaurant_id: int | None = None
    status: str = OPEN
    maker_outcome: int | None = None
    items: list[dict[str, Any]] = []
    total_cents: int | None = None
    created_at: str = ""


def restaurants(facts: Iterable[Fact]) -> dict[int, KnownRestaurant]:
    """Venues by id."""
    return {fact.value: _read(fact, KnownRestaurant, restaurant_id=fact.value) for fact in facts}


def dishes(facts: Iterable[Fact]) -> dict[int, KnownDish]:
    """Dishes by id."""
    return {fact.value: _read(fact, KnownDish, menu_item_id=fact.value) for fact in facts}


def fights(facts: Iterable[Fact]) -> dict[int, KnownFight]:
    """Fights by id, the oldest first."""
    found = [_read(fact, KnownFight, bet_id=fact.value) for fact in facts]
    return {fight.bet_id: fight for fight in sorted(found, key=lambda fight: (fight.created_at, fight.bet_id))}


def meant(facts: Iterable[Fact], restaurant_id: int, outcome: int, bet_id: int | None) -> KnownFight | None:
    """The fight that an acceptance is about: the one that it names, else the oldest open one there whose other side is wanted."""
    known = fights(facts)
    if bet_id is not None:
        return known.get(bet_id)
    return next((fight for fight in known.values() if why_not(fight, restaurant_id, outcome) is None), None)


def why_not(fight: KnownFight, restaurant_id: int, outcome: int) -> str | None:
    """Why that side of the fight cannot be taken, as far as it is known."""
    if fight.restaurant_id not in {None, restaurant_id}:
        return f"Fight {fight.bet_id} is at restaurant {fight.restaurant_id}, not at {restaurant_id}."
    if fight.status != OPEN:
        return f"Fight {fight.bet_id} is not open any more. Look at the open ones again, and take another."
    if fight.maker_outcome == outcome:
        return f"The maker of fight {fight.bet_id} has outcome {outcome}; take the other one, or another fight."
    return None


def _read(fact: Fact, kind: type[T], **fields: Any) -> T:
    return msgspec.convert({**fact.about, **fields}, kind)
