"""orders: a person at the service desk asks about a customer's orders; one tool, five model calls at most. See README.md."""

from handrail.service import App, later

app = App(
    name="orders",
    summary="Questions about customers' orders, answered from the order database.",
    agent=later("handrail.apps.orders.orders_agent:agent"),
    deps=later("handrail.apps.orders.tables:order_database"),
    ready=later("handrail.apps.orders.tables:what_is_missing"),
    scenarios=later("handrail.apps.orders.scenarios:scenarios"),
    routes="handrail.apps.orders.routes",
    seed="handrail.apps.orders.data",
    example="Which orders of amber@example.com have been shipped?",
    open_routes={"/orders/chat": "the console that calls it sits behind the company's single sign-on"},
    page="/orders",
)
