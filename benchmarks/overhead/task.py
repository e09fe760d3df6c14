"""The task that every contestant does: from the capital of a country from city to city, the weather in each, then an answer.

The prompt says how many tool turns there are, and the server keeps to it. Each result names the next city, so a longer run knows more.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from handrail import Agent, Fact, Result, tool
from handrail.guards import CallLimit, Grounded, NoProgress, Prerequisite, TimeLimit, TurnLimit

MODEL = "gpt-4o-mini-2024-07-18"
INSTRUCTIONS = "You are a helpful weather assistant. Use the tools, one call at a time, then answer in one sentence."
ANSWER = "All done: the weather is fine in every city."
COUNTRY = "Norland"
MOST_TURNS = 100


def city(number: int) -> str:
    """The name of a city; 0 is the capital."""
    return f"City-{number:03}"


def prompt(turns: int) -> str:
    """What the user says."""
    return f"Tell me the weather in {COUNTRY}, one city after the other. [turns={turns}]"


def next_to(name: str) -> str:
    """The next city down the road."""
    return city(int(name[-3:]) + 1)


async def capital_of(country: str) -> str:
    """What `find_capital` answers, as a function without handrail."""
    return f"The capital of {country} is {city(0)}."


async def weather_in(name: str) -> str:
    """What `get_weather` answers, as a function without handrail."""
    return f"It is sunny in {name}, 21 degrees. The next city is {next_to(name)}."


async def converted(value: float, to_unit: str) -> float:
    """What `convert_temperature` answers, as a function without handrail."""
    return value * 9 / 5 + 32 if to_unit == "F" else (value - 32) * 5 / 9


@tool(effect="read", produces={"city"})
async def find_capital(country: str) -> Result:
    """The capital of a country.

    Args:
        country: Name of the country.
    """
    return Result(await capital_of(country), facts=[Fact("city", city(0))])


@tool(effect="read", produces={"city"})
async def get_weather(name: str) -> Result:
    """Get the current weather in a city, and the next city.

    Args:
        name: Name of the city.
    """
    return Result(await weather_in(name), facts=[Fact("city", next_to(name))])


@tool(effect="read")
async def convert_temperature(value: float, to_unit: str) -> float:
    """Convert a temperature between Celsius and Fahrenheit.

    Args:
        value: The temperature.
        to_unit: Either C or F.
    """
    return await converted(value, to_unit)


TOOLS = (find_capital, get_weather, convert_temperature)
FUNCTIONS: Mapping[str, Callable[..., Awaitable[Any]]] = {
    "find_capital": capital_of,
    "get_weather": weather_in,
    "convert_temperature": converted,
}

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
        Prerequisite("get_weather", of="find_capital"),
        Grounded("get_weather", "name", kind="city"),
    ],
)
