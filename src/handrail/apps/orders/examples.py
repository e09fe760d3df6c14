"""How orders are looked up, for small models that have to be shown. The people and the orders in here are not in any data."""

from typing import Any

from handrail import Example, Shown

TOOL = "lookup_orders"


def _order(order_id: int, email: str, status: str, cents: int, day: str) -> dict[str, Any]:
    return {"order_id": order_id, "customer_email": email, "status": status, "total_cents": cents, "created_at": f"2025-{day}T10:15:00Z"}


ZOE, MAX = "zoe@example.org", "max@example.org"

OF_MAX = (
    _order(320, MAX, "placed", 16475, "06-30"),
    _order(303, MAX, "shipped", 6510, "05-28"),
    _order(288, MAX, "delivered", 10805, "04-20"),
)

EXAMPLES = (
    Example(user="Which orders were cancelled?", answer="Whose orders are these? Please give me the customer's e-mail address."),
    Example(
        user="Sorry, zoe@example.org.",
        calls=(
            Shown(
                tool=TOOL, arguments={"customer_email": ZOE, "status": "cancelled"}, result=[_order(297, ZOE, "cancelled", 1205, "05-02")]
            ),
        ),
        answer="One order of zoe@example.org was cancelled: 297 of 2 May 2025, 12.05.",
    ),
    Example(
        user="Has order 303 of max@example.org been delivered yet?",
        calls=(Shown(tool=TOOL, arguments={"customer_email": MAX}, result=OF_MAX),),
        answer="No, order 303 of max@example.org has not been delivered: it is shipped.",
    ),
    Example(
        user="How much were the delivered orders of max@example.org, and has zoe@example.org any shipped ones?",
        calls=(
            Shown(
                tool=TOOL,
                arguments={"customer_email": MAX, "status": "delivered"},
                result=[*OF_MAX[2:], _order(254, MAX, "delivered", 2099, "03-01")],
            ),
            Shown(tool=TOOL, arguments={"customer_email": ZOE, "status": "shipped"}, result=[]),
        ),
        answer="max@example.org has two delivered orders: 288 for 108.05 and 254 for 20.99, 129.04 in all. "
        "zoe@example.org has none shipped.",
    ),
    Example(
        user="The last two orders of max@example.org, please.",
        calls=(Shown(tool=TOOL, arguments={"customer_email": MAX, "limit": 2}, result=OF_MAX[:2]),),
        answer="The last two orders of max@example.org: 320 is placed, 164.75; 303 is shipped, 65.10.",
    ),
    Example(
        user="If the newest order of max@example.org was delivered, tell me its amount, else its status.",
        calls=(Shown(tool=TOOL, arguments={"customer_email": MAX, "limit": 1}, result=OF_MAX[:1]),),
        answer="The newest order of max@example.org is 320. It was not delivered: it is placed.",
    ),
    Example(
        user="How many orders of max@example.org are placed, and how many are shipped?",
        calls=(Shown(tool=TOOL, arguments={"customer_email": MAX, "limit": 50}, result=OF_MAX),),
        answer="max@example.org has one placed order, 320, and one shipped order, 303.",
    ),
    Example(
        user="Welche Bestellungen von max@example.org sind unterwegs?",
        calls=(Shown(tool=TOOL, arguments={"customer_email": MAX, "status": "shipped"}, result=OF_MAX[1:2]),),
        answer="Unterwegs ist die Bestellung 303 von max@example.org über 65,10.",
    ),
    Example(user="Please cancel order 320.", answer="I can only look orders up; I cannot cancel or change them."),
)
