"""The agent: a planner of trips by car. Its instructions ask for what its ring enforces."""

from handrail import Agent, ModelSettings
from handrail.apps.trips.invariants import INVARIANTS
from handrail.apps.trips.landing import land
from handrail.apps.trips.reviewer import reviewer
from handrail.apps.trips.ring import SECONDS, ring
from handrail.apps.trips.rules import SUBMIT
from handrail.apps.trips.tools import TOOLS

MODEL = "gpt-4o-mini-2024-07-18"
INSTRUCTIONS = """\
You plan trips by car: on the plateau of western China, on islands, and in between. You work with tools, and never from memory.
1. record_brief with what the travellers said; if their ages, the month or the number of days are missing, ask_traveller first.
   Whenever they say something new, record_brief again with just that.
2. search_places for what they want to see and for places to sleep on the way; search_notes (four times at most) for what to watch out for.
3. estimate_drive for every leg, in its direction; at most six hours a day, four with anybody of 65 or more or under 8.
   check_flights where no road leads, check_hotels where they named a budget.
4. submit_plan: one entry a day, each beginning where the last one ended, with ids and numbers as the tools gave them.
   Put a night between long drives, do not climb fast, and keep to the altitude and the regions that they named.
Do not write plans as text; text is for a short question. If a call comes back with an error, do what it says.
Write title, summary and notes in the travellers' language."""


def agent(*, seconds: float = SECONDS, model: str = MODEL) -> Agent:
    """The planner. Its tools take `handrail.apps.trips.providers.port.Providers` as `deps`, and without any the embedded data set.

    Args:
        seconds: of active time, after which a shorter trip is put together from what is verified.
        model: the provider's name of the model.
    """
    return Agent(
        name="trips",
        instructions=INSTRUCTIONS,
        model=model,
        settings=ModelSettings(temperature=0),
        tools=TOOLS,
        submit=SUBMIT,
        guards=ring(reviewer(model), seconds=seconds),
        land=land,
        invariants=INVARIANTS,
    )
