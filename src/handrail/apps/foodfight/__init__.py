"""foodfight: contests between food fans, with dinner at stake. It reads, and with one setting it writes too. See README.md."""

from handrail.service import App, later

app = App(
    name="foodfight",
    summary="Promo fights between food fans: what is open where, and with a person's yes a new one, or an accepted one.",
    agent=later("handrail.apps.foodfight.foodfight_agent:agent"),
    deps=later("handrail.apps.foodfight.kitchen:kitchen"),
    ready=later("handrail.apps.foodfight.kitchen:what_is_missing"),
    scenarios=later("handrail.apps.foodfight.scenarios:scenarios"),
    loop="handrail.apps.foodfight.conversing:other_loop",
    seed="handrail.apps.foodfight.data",
    example="Which promo fights are open at Pepper Palace?",
)
