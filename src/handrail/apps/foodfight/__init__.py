"""foodfight: contests between food fans, the losers paying the winners' dinner. It reads; with one setting it also writes. See README.md."""

from handrail.service import App, later

app = App(
    name="foodfight",
    summary="Promo fights between food fans: what is open where, and with a person's yes a new one, or an accepted one.",
    agent=later("handrail.apps.foodfight.foodfight_agent:agent"),
    deps=later("handrail.apps.foodfight.kitchen:kitchen"),
    ready=later("handrail.apps.foodfight.kitchen:what_is_missing"),
    scenarios=later("handrail.apps.foodfight.scenarios:scenarios"),
    seed="handrail.apps.foodfight.data",
    example="Which promo fights are open at Pepper Palace?",
)
