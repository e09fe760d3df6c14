"""What the model is told: the declaration, word for word, and the agent around it."""

import json

from handrail.apps.orders.order_tools import LOOKUP_ORDERS_TOOL, lookup_orders
from handrail.apps.orders.orders_agent import MODEL, agent
from handrail.apps.orders.ring import MAX_TOOL_ROUNDS
from handrail.vocab.calls import ToolEffect


def test_the_declaration_is_this() -> None:
    assert LOOKUP_ORDERS_TOOL == {
        "type": "function",
        "function": {
            "name": "lookup_orders",
            "description": "Look up the orders of one customer, newest first.\n\n"
            "It trusts its arguments: they have been held against the declaration before it runs.",
            "parameters": {
                "type": "object",
                "properties": {
                    "customer_email": {
                        "type": "string",
                        "minLength": 1,
                        "description": "The customer's e-mail address, exactly as it is written in the orders.",
                    },
                    "status": {
                        "type": "string",
                        "enum": ["placed", "shipped", "delivered", "cancelled"],
                        "description": "Only orders of this status; leave it out for all of them.",
                    },
                    "limit": {
                        "type": "integer",
                        "minimum": 1,
                        "maximum": 50,
                        "default": 10,
                        "description": "The most orders to return.",
                    },
                },
                "required": ["customer_email"],
                "additionalProperties": False,
            },
        },
    }


def test_there_is_no_null_anywhere() -> None:
    assert "null" not in json.dumps(LOOKUP_ORDERS_TOOL)


def test_the_constant_is_what_the_tool_declares() -> None:
    assert LOOKUP_ORDERS_TOOL is lookup_orders.declaration


def test_looking_up_changes_nothing() -> None:
    assert lookup_orders.effect is ToolEffect.READ


def test_the_model_is_pinned_and_five_calls_are_the_most() -> None:
    assert (agent().model, MODEL, MAX_TOOL_ROUNDS) == ("gpt-4o-mini-2024-07-18", "gpt-4o-mini-2024-07-18", 5)
    assert list(agent().tools) == ["lookup_orders"]
    assert [guard.name for guard in agent().guards] == ["TurnLimit(5)", "AsLookedUp"]
