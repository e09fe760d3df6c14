"""smolagents: a `ToolCallingAgent`. It is blocking, so a run has a thread, and its tools are plain functions.

It ends a run by a tool of its own, `final_answer`, and sends results as text: the server has a way for that. An agent holds its memory.
"""

import asyncio

from smolagents import LogLevel, OpenAIModel, ToolCallingAgent, tool

from benchmarks.overhead.contestant import Contestant
from benchmarks.overhead.task import ENDLESS, INSTRUCTIONS, KEY, MODEL, PATIENCE, anew, capital_of, converted, prompt, weather_in


def find_capital(country: str) -> str:
    """The capital of a country.

    Args:
        country: Name of the country.
    """
    return capital_of(country)


def get_weather(name: str) -> str:
    """Get the current weather in a city, and the next city.

    Args:
        name: Name of the city.
    """
    return weather_in(name)


def convert_temperature(value: float, to_unit: str) -> str:
    """Convert a temperature between Celsius and Fahrenheit.

    Args:
        value: The temperature.
        to_unit: Either C or F.
    """
    return converted(value, to_unit)


class Loop(Contestant[ToolCallingAgent]):
    """`ToolCallingAgent.run`."""

    shared = False

    def __init__(self, url: str) -> None:
        self._model = OpenAIModel(
            model_id=MODEL, api_base=url.replace("/v1", "/final_answer/v1"), api_key=KEY, client_kwargs={"timeout": PATIENCE}
        )

    def agent(self) -> ToolCallingAgent:
        return ToolCallingAgent(
            tools=[tool(anew(each)) for each in (find_capital, get_weather, convert_temperature)],
            model=self._model,
            max_steps=ENDLESS,
            instructions=INSTRUCTIONS,
            verbosity_level=LogLevel.OFF,
        )

    async def run(self, agent: ToolCallingAgent, turns: int) -> str:
        return str(await asyncio.to_thread(agent.run, prompt(turns), reset=True))
