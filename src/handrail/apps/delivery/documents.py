"""What a person is shown before they say yes to an order: the cart as the server knows it, with its total.

Rules: nothing of it was said by a model. Names are the restaurants' own words, each one short line. The cart's version is part of it, and
the page sends it along with the order: a cart that changes after the yes is not ordered.
"""

from collections.abc import Mapping
from typing import Any

from handrail import Ledger
from handrail.apps.delivery.known import CART, KnownCart, cart_in

LONGEST_NAME = 60


def exact_cart(arguments: Mapping[str, Any], ledger: Ledger) -> Mapping[str, Any]:
    """The document of `place_order`."""
    cart = cart_in(ledger.of(CART)) or KnownCart(version="empty")
    return {
        "question": "Place this order?",
        "restaurant": _line(cart.restaurant),
        "lines": [
            {
                "food_id": line.food_id,
                "name": _line(line.name),
                "quantity": line.quantity,
                "price_cents": line.price_cents,
                "sum_cents": line.quantity * line.price_cents,
            }
            for line in cart.lines
        ],
        "total_cents": cart.total_cents,
        "total": "not known" if cart.total_cents is None else f"{cart.total_cents // 100}.{cart.total_cents % 100:02}",
        "cart": cart.version,
    }


def _line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_NAME else line[: LONGEST_NAME - 1] + "…"
