"""The task that every contestant does: find the cities of a country, then the weather of one after the other, then an answer.

The prompt says how many tool turns there are, and the server keeps to it.
"""

from handrail import Agent, Fact, Result, tool
from handrail.guards import CallLimit, Grounded, NoProgress, Prerequisite, TimeLimit, TurnLimit

MODEL = "gpt-4o-mini-2024-07-18"
INSTRUCTIONS = "You are a helpful weather assistant. Use the tools, one call at a time, then answer in one sentence."
ANSWER = "All done: the weather is fine in every city."
COUNTRY = "Norland"
CITIES = tuple(f"City-{number:03}" for number in range(100))
MOST_TURNS = len(CITIES)


def prompt(turns: int) -> str:
    """What the user says."""
    return f"Tell me the weather in {COUNTRY}, one city after the other. [turns={turns}]"


async def cities_of(country: str) -> list[str]:
    """What `list_cities` answers, as a function without handrail."""
    return list(CITIES) if country == COUNTRY else []


async def weather_in(city: str) -> str:
    """What `get_weather` answers, as a function without handrail."""
    return f"It is sunny in {city}, 21 degrees."


async def converted(value: float, to_unit: str) -> float:
    """What `convert_temperature` answers, as a function without handrail."""
    return value * 9 / 5 + 32 if to_unit == "F" else (value - 32) * 5 / 9


@tool(effect="read", produces={"city"})
async def list_cities(country: str) -> Result:
    """The cities of a country, the largest first.

    Args:
        country: Name of the country.
    """
    found = await cities_of(country)
    return Result(found, facts=[Fact("city", city) for city in found])


@tool(effect="read", produces={"weather"})
async def get_weather(city: str) -> Result:
    """Get the current weather in a city.

    Args:
        city: Name of the city.
    """
    weather = await weather_in(city)
    return Result(weather, facts=[Fact("weather", weather, key=city)])


@tool(effect="read")
async def convert_temperature(value: float, to_unit: str) -> float:
    """Convert a temperature between Celsius and Fahrenheit.

    Args:
        value: The temperature.
        to_unit: Either C or F.
    """
    return await converted(value, to_unit)


TOOLS = (list_cities, get_weather, convert_temperature)
FUNCTIONS = {"list_cities": cities_of, "get_weather": weather_in, "convert_temperature": converted}

# Each of the six has something to say at every call or every turn of this task.
AGENT = Agent(
    name="weather",
    instructions=INSTRUCTIONS,
    model=MODEL,
    tools=TOOLS,
    guards=[
        TurnLimit(MOST_TURNS + 10),
        TimeLimit(600),
        NoProgress(),
        CallLimit("get_weather", most=MOST_TURNS),
        Prerequisite("get_weather", of="list_cities"),
        Grounded("get_weather", "city", kind="city"),
    ],
)
