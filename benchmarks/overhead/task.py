"""The task that every contestant does: from the capital of a country from city to city, the weather in each, then an answer.

- The prompt says how many tool turns there are, and the server keeps to it. Each result names the next city, so a longer run knows more.
- Nothing but the standard library is needed here: it is imported in the environment of every peer.
"""

import types
from collections.abc import Awaitable, Callable
from typing import Any

MODEL = "gpt-4o-mini-2024-07-18"
KEY = "benchmark"
INSTRUCTIONS = "You are a helpful weather assistant. Use the tools, one call at a time, then answer in one sentence."
ANSWER = "All done: the weather is fine in every city."
COUNTRY = "Norland"
MOST_TURNS = 100
ENDLESS = 1_000
"""For limits of turns that are not to be reached."""
PATIENCE = 600.0
"""Seconds: for clients' own limits of time, so that a machine that is busy makes figures worse and does not end runs."""

Function = Callable[..., Awaitable[str]]


def city(number: int) -> str:
    """The name of a city; 0 is the capital."""
    return f"City-{number:03}"


def prompt(turns: int) -> str:
    """What the user says."""
    return f"Tell me the weather in {COUNTRY}, one city after the other. [turns={turns}]"


def next_to(name: str) -> str:
    """The next city down the road."""
    return city(int(name[-3:]) + 1)


def capital_of(country: str) -> str:
    """What `find_capital` answers."""
    return f"The capital of {country} is {city(0)}."


def weather_in(name: str) -> str:
    """What `get_weather` answers."""
    return f"It is sunny in {name}, 21 degrees. The next city is {next_to(name)}."


def converted(value: float, to_unit: str) -> str:
    """What `convert_temperature` answers."""
    return str(value * 9 / 5 + 32 if to_unit == "F" else (value - 32) * 5 / 9)


async def find_capital(country: str) -> str:
    """The capital of a country.

    Args:
        country: Name of the country.
    """
    return capital_of(country)


async def get_weather(name: str) -> str:
    """Get the current weather in a city, and the next city.

    Args:
        name: Name of the city.
    """
    return weather_in(name)


async def convert_temperature(value: float, to_unit: str) -> str:
    """Convert a temperature between Celsius and Fahrenheit.

    Args:
        value: The temperature.
        to_unit: Either C or F.
    """
    return converted(value, to_unit)


def tools() -> list[Function]:
    """The three tools as new function objects, so that an agent is made from scratch and not from what was remembered of the last one."""
    return [anew(function) for function in (find_capital, get_weather, convert_temperature)]


def anew(function: Any) -> Any:
    """A function of its own with the same code, name, hints and docstring."""
    copy = types.FunctionType(function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__)
    copy.__annotations__ = dict(function.__annotations__)
    copy.__doc__, copy.__module__, copy.__qualname__ = function.__doc__, function.__module__, function.__qualname__
    return copy


def _declaration(name: str, description: str, properties: dict[str, tuple[str, str]]) -> dict[str, Any]:
    parameters = {
        "type": "object",
        "properties": {each: {"type": kind, "description": what} for each, (kind, what) in properties.items()},
        "required": list(properties),
        "additionalProperties": False,
    }
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


DECLARATIONS = [
    _declaration("find_capital", "The capital of a country.", {"country": ("string", "Name of the country.")}),
    _declaration("get_weather", "Get the current weather in a city, and the next city.", {"name": ("string", "Name of the city.")}),
    _declaration(
        "convert_temperature",
        "Convert a temperature between Celsius and Fahrenheit.",
        {"value": ("number", "The temperature."), "to_unit": ("string", "Either C or F.")},
    ),
]
"""The tools as chat completions want them, for loops that are written by hand."""
