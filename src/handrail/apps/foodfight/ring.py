"""The ring: what a call may name, and the person who says yes to everything that writes."""

from collections.abc import Sequence

from handrail.apps.foodfight.documents import accepted_fight, new_fight
from handrail.apps.foodfight.known import DISH, FIGHT, RESTAURANT, dishes, meant, why_not
from handrail.guards import Approval, BaseGuard, Grounded, JudgedCall, Lens, NoProgress, Reading, TokenLimit, TurnLimit, guard

TURNS = 12
TOKENS = 200_000
CREATE, ACCEPT = "create_promo_fight", "accept_promo_fight"
DISHES, FIGHTS = Lens("facts", DISH), Lens("facts", FIGHT)


@guard(tool=CREATE, looks=[DISHES])
def dishes_are_of_that_restaurant(state: Reading, call: JudgedCall) -> str | None:
    """Nobody orders a dish from another kitchen."""
    return _elsewhere(state, call.arguments["restaurant_id"], [order["menu_item_id"] for order in call.arguments["restaurant_items"]])


@guard(tool=ACCEPT, looks=[DISHES])
def own_dishes_are_of_that_restaurant(state: Reading, call: JudgedCall) -> str | None:
    """Nor does whoever accepts."""
    return _elsewhere(state, call.arguments["restaurant_id"], call.arguments.get("menu_item_ids") or ())


@guard(tool=ACCEPT, looks=[FIGHTS])
def that_side_can_be_taken(state: Reading, call: JudgedCall) -> str | None:
    """A person is only asked about a fight that is known to be open at that restaurant, and about the side that is free."""
    restaurant, outcome = call.arguments["restaurant_id"], call.arguments["user_preferred_outcome"]
    fight = meant(state.facts(FIGHT), restaurant, outcome, call.arguments.get("bet_id"))
    if fight is not None:
        return why_not(fight, restaurant, outcome)
    return (
        f"No open fight at restaurant {restaurant} is known in which outcome {outcome} is free. Look its fights up with get_promo_fights."
    )


def ring(*, writes: bool) -> Sequence[BaseGuard]:
    """The guards; those of the tools that write only where there are such tools."""
    return (*_ENDS, *(_WRITES if writes else ()))


def _elsewhere(state: Reading, restaurant: int, wanted: Sequence[int]) -> str | None:
    known = dishes(state.facts(DISH))
    wrong = [number for number in wanted if number in known and known[number].restaurant_id not in {None, restaurant}]
    if not wrong:
        return None
    return f"Restaurant {restaurant} has no dish {', '.join(map(str, wrong))}. Take dishes from its own menu: get_promo_fights shows it."


_ENDS = (TurnLimit(TURNS), TokenLimit(TOKENS), NoProgress(firm=2, narrow=4, land=6))
_WRITES = (
    Grounded(CREATE, "restaurant_id", RESTAURANT),
    Grounded(CREATE, "restaurant_items.menu_item_id", DISH),
    Grounded(ACCEPT, "restaurant_id", RESTAURANT),
    Grounded(ACCEPT, "bet_id", FIGHT),
    Grounded(ACCEPT, "menu_item_ids", DISH),
    dishes_are_of_that_restaurant,
    own_dishes_are_of_that_restaurant,
    that_side_can_be_taken,
    Approval(CREATE, show=new_fight),
    Approval(ACCEPT, show=accepted_fight),
)
