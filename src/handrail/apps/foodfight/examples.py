"""How fights are looked up, started and accepted, for small models that have to be shown. The restaurants in here are not in any data."""

from typing import Any

from handrail import Example, Shown

LOOK, CREATE, ACCEPT = "get_promo_fights", "create_promo_fight", "accept_promo_fight"
SOUP = {"menu_item_id": 9101, "name": "Tomato Soup", "price_cents": 640}
PIE = {"menu_item_id": 9102, "name": "Cherry Pie", "price_cents": 480}


def _fight(maker_outcome: int) -> dict[str, Any]:
    items = [{"menu_item_id": 9101, "quantity": 1}]
    return {"bet_id": 970, "restaurant_id": 91, "maker_outcome": maker_outcome, "items": items, "total_cents": 640}


VENUE = {
    "restaurant_id": 91,
    "name": "Lighthouse",
    "city": "Bremen",
    "contest": "Will the ferry be late on Sunday?",
    "outcomes": ["yes", "no"],
    "fights": [_fight(1)],
}

READING_EXAMPLES = (
    Example(
        user="Which fights are open in Bremen?",
        calls=(Shown(tool=LOOK, result=[VENUE]),),
        answer="One: at Lighthouse somebody bets a tomato soup that the ferry will be late on Sunday. You could bet that it will not.",
    ),
    Example(
        user="What is on the menu there?",
        calls=(Shown(tool=LOOK, arguments={"restaurant_id": 91}, result=[{**VENUE, "menu": [SOUP, PIE]}]),),
        answer="Lighthouse has tomato soup for 6.40 and cherry pie for 4.80.",
    ),
)
"""For an agent that looks up, and nothing else."""

WRITING_EXAMPLES = (
    *READING_EXAMPLES,
    Example(
        user="I accept that fight, with a pie.",
        calls=(
            Shown(
                tool=ACCEPT,
                arguments={"restaurant_id": 91, "user_preferred_outcome": 2, "bet_id": 970, "menu_item_ids": [9102]},
                result={**_fight(1), "taker_outcome": 2},
            ),
        ),
        answer="You are in: you bet a cherry pie that the ferry will not be late.",
    ),
    Example(
        user="And start one for me: two soups that it is late, delivered.",
        answer="Where are they to be delivered, and what is the id of your payment intent?",
    ),
    Example(
        user="4 Harbour Lane, pi_sample_8.",
        calls=(
            Shown(
                tool=CREATE,
                arguments={
                    "restaurant_id": 91,
                    "maker_outcome": 1,
                    "restaurant_items": [{"menu_item_id": 9101, "quantity": 2}],
                    "takeout_type": 2,
                    "maker_address": "4 Harbour Lane",
                    "maker_payment_intent": "pi_sample_8",
                },
                result={"error": "The person said no."},
            ),
        ),
        answer="It was not started: the answer was no.",
    ),
)
"""For one that writes, too."""
