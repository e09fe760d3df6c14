"""delivery: dinner is ordered by talking, and the tools are what one can do in the shop's own pages. See README.md."""

from handrail.service import App, later

app = App(
    name="delivery",
    summary="Dinner from 25 restaurants: searched, put into a cart and ordered by talking, with a person's yes to the exact cart.",
    agent=later("handrail.apps.delivery.delivery_agent:agent"),
    deps=later("handrail.apps.delivery.shop:shop"),
    ready=later("handrail.apps.delivery.shop:what_is_missing"),
    scenarios=later("handrail.apps.delivery.scenarios:scenarios"),
    routes="handrail.apps.delivery.routes",
    seed="handrail.apps.delivery.seeding",
    page="/delivery",
    beside="handrail.apps.delivery.interface:beside",
    example="I would like something spicy and noodly.",
)
