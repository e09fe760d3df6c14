"""The task's agent as handrail has it: three tools, the facts that they produce, and a ring of six guards."""

from benchmarks.overhead import task
from handrail import Agent, Fact, Result, tool
from handrail.guards import CallLimit, Grounded, NoProgress, Prerequisite, TimeLimit, TurnLimit


async def find_capital(country: str) -> Result:
    """The capital of a country.

    Args:
        country: Name of the country.
    """
    return Result(task.capital_of(country), facts=[Fact("city", task.city(0))])


async def get_weather(name: str) -> Result:
    """Get the current weather in a city, and the next city.

    Args:
        name: Name of the city.
    """
    return Result(task.weather_in(name), facts=[Fact("city", task.next_to(name))])


def weather() -> Agent:
    """The agent, from scratch. Each of its guards has something to say at every call or every turn of this task."""
    return Agent(
        name="weather",
        instructions=task.INSTRUCTIONS,
        model=task.MODEL,
        tools=[
            tool(effect="read", produces={"city"})(task.anew(find_capital)),
            tool(effect="read", produces={"city"})(task.anew(get_weather)),
            tool(effect="read")(task.anew(task.convert_temperature)),
        ],
        guards=[
            TurnLimit(task.MOST_TURNS + 10),
            TimeLimit(600),
            NoProgress(),
            CallLimit("get_weather", most=task.MOST_TURNS),
            Prerequisite("get_weather", of="find_capital"),
            Grounded("get_weather", "name", kind="city"),
        ],
    )
