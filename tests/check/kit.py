"""Small agents to be walked through: a planner that searches, drives and submits, and what is planted in its ring."""

from typing import Any

from typing_extensions import TypedDict

from handrail.core.agent import Agent
from handrail.core.ring import Guard
from handrail.guards import Approval, CallLimit, Grounded, MustSubmit, Prerequisite, Review, TimeLimit, TurnLimit
from handrail.tools import tool


class Leg(TypedDict):
    origin: str
    destination: str


@tool(effect="read", produces={"place"})
async def search(text: str) -> str:
    """Look for places."""
    return text


@tool(effect="read", produces={"leg"})
async def drive(origin: str, destination: str) -> str:
    """Estimate a drive."""
    return origin + destination


@tool(effect="read")
async def notes(text: str) -> str:
    """Look for notes."""
    return text


@tool(effect="write")
async def book(place: str) -> str:
    """Book a room."""
    return place


@tool(effect="read", where="person")
async def ask(question: str) -> str:
    """Ask the traveller."""
    return question


@tool(effect="read", where="client")
async def look(page: str) -> str:
    """Look at a page of the user's."""
    return page


@tool(effect="write")
async def submit(places: list[str], legs: list[Leg]) -> str:
    """Hand in the plan."""
    return f"{places} {legs}"


REVIEWER = Agent(name="reviewer", instructions="Look for flaws.", model="m", guards=[TurnLimit(2)])


def planner(*guards: Guard, **changes: Any) -> Agent:
    """An agent that searches, drives and submits; bounded by ten turns."""
    declared: dict[str, Any] = {
        "name": "planner",
        "instructions": "Plan.",
        "model": "m",
        "tools": [search, drive, submit],
        "submit": "submit",
        "guards": [*guards, TurnLimit(10)],
        "land": lambda ledger: {},
    }
    return Agent(**(declared | changes))


def eight_guards() -> Agent:
    """Eight guards and five tools."""
    return planner(
        MustSubmit("submit"),
        CallLimit("notes", 4),
        Prerequisite("submit", of="drive", per="legs"),
        Grounded("submit", "places", "place"),
        Review("submit", reviewer=REVIEWER),
        Approval("submit"),
        Approval("book"),
        TimeLimit(300),
        tools=[search, notes, drive, book, submit],
    )
