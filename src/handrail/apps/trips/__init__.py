"""trips: plans a trip by car that its travellers can bear, from verified places and computed driving times. See README.md."""

from handrail.service import App, later

app = App(
    name="trips",
    summary="Plans trips by car: verified places, computed driving times, and the travellers' yes.",
    agent=later("handrail.apps.trips.agent:agent"),
    deps=later("handrail.apps.trips.opening:offline"),
    scenarios=later("handrail.apps.trips.scenarios:scenarios"),
    shown=later("handrail.apps.trips.rendering.markdown:of_outcome"),
    routes="handrail.apps.trips.routes",
    example="Ten days in western Sichuan from Chengdu in October, ages 38 and 35. We want to see Litang and Danba.",
    open_routes={"/trips/chat": "it books nothing and keeps nothing; the console that calls it sits behind the company's single sign-on"},
    page="/trips",
)
