"""How dinner is ordered, for small models that have to be shown. The restaurants and the dishes in here are not in any data."""

from typing import Any

from handrail import Example, Shown

MARIO = "00000000-0000-4000-8000-000000000001"
KOI = "00000000-0000-4000-8000-000000000002"
FIND, MENU, ADD, REMOVE = "get_restaurant_pages", "get_menu_of_restaurant", "add_food_to_cart", "remove_food_from_cart"
OPEN, ORDER, ACTIONS = "open_restaurant_page", "place_order", "get_user_actions"


def _dish(food_id: int, name: str, cents: int, *tags: str) -> dict[str, Any]:
    return {"food_id": food_id, "name": name, "price_cents": cents, "tags": list(tags)}


def _restaurant(uuid: str, name: str, cuisine: str, *, is_open: bool = True, **found: Any) -> dict[str, Any]:
    opens = None if is_open else "tomorrow at 11:00"
    return {"restaurant_uuid": uuid, "name": name, "cuisine": cuisine, "rating": 4.4, "open": is_open, "opens": opens, **found}


def _cart(uuid: str | None, name: str | None, *lines: dict[str, Any]) -> dict[str, Any]:
    total = sum(line["price_cents"] * line["quantity"] for line in lines)
    return {"restaurant_uuid": uuid, "restaurant": name, "lines": list(lines), "total_cents": total}


MARGHERITA = _dish(901, "Pizza Margherita", 950, "vegetarian")
DIAVOLA = _dish(902, "Pizza Diavola", 1150, "spicy")
LEMONADE = _dish(903, "Lemonade", 350, "vegan")
TEA = _dish(904, "Mint Tea", 250, "vegan")
SORBET = _dish(952, "Lime Sorbet", 480, "vegan")
CAKE = _dish(953, "Cheesecake", 520, "vegetarian")

EXAMPLES = (
    Example(
        user="I feel like pizza.",
        calls=(
            Shown(
                tool=FIND,
                arguments={"food_requested": ["pizza"]},
                result=[
                    _restaurant(MARIO, "Mario", "italian", dishes=[MARGHERITA, DIAVOLA]),
                    _restaurant(KOI, "Koi", "fusion", is_open=False, dishes=[_dish(951, "Pizza Koi", 1400)]),
                ],
            ),
            Shown(tool=OPEN, arguments={"restaurant_uuid": MARIO}, result={"what": "page_opened"}),
        ),
        answer="Mario is open and has a Margherita for 9.50 and a spicy Diavola for 11.50. Koi is closed. Which one would you like?",
    ),
    Example(
        user="How much is the lemonade at Mario?",
        calls=(
            Shown(
                tool=FIND,
                arguments={"food_requested": ["lemonade"], "name_of_restaurant": "Mario"},
                result=[_restaurant(MARIO, "Mario", "italian", dishes=[LEMONADE])],
            ),
        ),
        answer="The lemonade at Mario is 3.50.",
    ),
    Example(
        user="Two of the second pizza, please.",
        calls=(
            Shown(
                tool=ADD,
                arguments={"restaurant_uuid": MARIO, "food_id": 902, "quantity": 2},
                result=_cart(MARIO, "Mario", {**DIAVOLA, "quantity": 2}),
            ),
        ),
        answer="Two Diavola are in the cart, 23.00 in all.",
    ),
    Example(
        user="And a tea and a lemonade from the same restaurant.",
        calls=(
            Shown(
                tool=FIND,
                arguments={"food_requested": ["tea", "lemonade"], "name_of_restaurant": "Mario"},
                result=[_restaurant(MARIO, "Mario", "italian", dishes=[TEA, LEMONADE])],
            ),
            Shown(
                tool=ADD,
                arguments={"restaurant_uuid": MARIO, "food_id": 904, "quantity": 1},
                result=_cart(MARIO, "Mario", {**DIAVOLA, "quantity": 2}, {**TEA, "quantity": 1}),
            ),
            Shown(
                tool=ADD,
                arguments={"restaurant_uuid": MARIO, "food_id": 903, "quantity": 1},
                result=_cart(MARIO, "Mario", {**DIAVOLA, "quantity": 2}, {**TEA, "quantity": 1}, {**LEMONADE, "quantity": 1}),
            ),
        ),
        answer="In the cart are two Diavola, a tea and a lemonade, 29.00 in all. Shall I order it?",
    ),
    Example(
        user="No lemonade. Then yes, order.",
        calls=(
            Shown(
                tool=REMOVE,
                arguments={"restaurant_uuid": MARIO, "food_id": 903},
                result=_cart(MARIO, "Mario", {**DIAVOLA, "quantity": 2}, {**TEA, "quantity": 1}),
            ),
            Shown(tool=ORDER, result={"order_id": "o-1", "status": "placed", "total_cents": 2550}),
        ),
        answer="Two Diavola and a tea from Mario are ordered, 25.50 in all.",
    ),
    Example(
        user="Which desserts does Koi have, and are they vegan?",
        calls=(
            Shown(
                tool=FIND,
                arguments={"food_requested": ["dessert"], "name_of_restaurant": "Koi"},
                result=[_restaurant(KOI, "Koi", "fusion", is_open=False, dishes=[SORBET])],
            ),
            Shown(
                tool=MENU, arguments={"restaurant_uuid": KOI}, result=_restaurant(KOI, "Koi", "fusion", is_open=False, menu=[SORBET, CAKE])
            ),
        ),
        answer="Koi has a vegan lime sorbet for 4.80 and a cheesecake for 5.20, which is not vegan.",
    ),
    Example(
        user="One sorbet, please.",
        calls=(
            Shown(
                tool=ADD,
                arguments={"restaurant_uuid": KOI, "food_id": 952, "quantity": 1},
                result={"error": "'Koi' is closed now; it opens tomorrow at 11:00. Tell the user, and offer another restaurant."},
            ),
        ),
        answer="Koi is closed and opens tomorrow at 11:00. Shall I look for a sorbet somewhere else?",
    ),
    Example(
        user="No, thanks. What did I do so far?",
        calls=(Shown(tool=ACTIONS, result={"acts": [{"who": "user", "what": "order_placed"}], "open_page": MARIO, "cart_is_open": False}),),
        answer="You ordered, and Mario's page is open.",
    ),
)
