"""What the tests of the planner share: a trip that all is well with, runs of the real agent with a scripted model, and their events."""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

import msgspec

from handrail import Agent, Fact, Ledger, No, Outcome, Parked, Say, Yes, run
from handrail.apps.trips.agent import agent
from handrail.apps.trips.providers.embedded import embedded
from handrail.testing import ScriptedModel, calls, refuses

BRIEF: dict[str, Any] = {"ages": [38, 35], "month": 10, "days": 3, "start": "chengdu", "must_go": ["Danba"], "regions": ["western-sichuan"]}
LEGS = {
    ("chengdu", "kangding"): 219,
    ("kangding", "danba"): 190,
    ("danba", "siguniang-town"): 130,
    ("siguniang-town", "chengdu"): 253,
    ("chengdu", "litang"): 624,
    ("kangding", "zheduo-pass"): 50,
    ("zheduo-pass", "danba"): 240,
}
PLAN: dict[str, Any] = {
    "title": "Over Danba",
    "summary": "Three days over Kangding and Danba.",
    "days": [
        {"day": 1, "legs": [{"origin": "chengdu", "destination": "kangding", "minutes": 219}], "stay": "kangding", "drive_hours": 3.65},
        {"day": 2, "legs": [{"origin": "kangding", "destination": "danba", "minutes": 190}], "stay": "danba", "drive_hours": 3.17},
        {
            "day": 3,
            "legs": [{"origin": "danba", "destination": "siguniang-town", "minutes": 130}],
            "stay": "siguniang-town",
            "drive_hours": 2.17,
        },
    ],
}
SEARCHES = [
    ("search_places", {"region": "western-sichuan", "overnight": True, "limit": 40}),
    ("search_places", {"text": "chengdu", "limit": 1}),
    ("search_places", {"text": "litang", "limit": 1}),
    ("search_places", {"text": "zheduo", "limit": 1}),
]
PASSED = calls(("verdict", {"passed": True, "flaws": []}))
STOP = refuses("That is all.")
"""Ends a run, whatever its state."""


class Travellers:
    """Answers holds as the test says, and yes where it says nothing. Keeps what it was shown."""

    def __init__(self, **answers: Any) -> None:
        self.shown: list[tuple[str, str]] = []
        self._answers = {tool: list(given) if isinstance(given, list) else [given] for tool, given in answers.items()}

    async def __call__(self, hold: Any) -> Yes | No | Say | None:
        name = hold.tool or "message"
        self.shown.append((name, str(hold.show)))
        queue = self._answers.get(name, [])
        answer: Yes | No | Say | None = queue.pop(0) if queue else Yes()
        return answer


class Ran:
    """A run that is over, and what was judged in it."""

    def __init__(self, ended: Outcome | Parked, events: Sequence[Any], model: ScriptedModel, travellers: Travellers) -> None:
        self.ended = ended
        self.events = events
        self.model = model
        self.travellers = travellers

    @property
    def outcome(self) -> Outcome:
        assert isinstance(self.ended, Outcome)
        return self.ended

    def refusals(self, guard: str | None = None) -> list[str]:
        """Reasons of refused calls."""
        refused = [event for event in self.events if type(event).__name__ == "CallRefused"]
        return [event.reason for event in refused if guard is None or event.guard == guard]

    def guards(self) -> list[str]:
        """Who refused calls, in order."""
        return [event.guard for event in self.events if type(event).__name__ == "CallRefused"]

    def named(self, kind: str) -> list[Any]:
        """The events of a kind."""
        return [event for event in self.events if type(event).__name__ == kind]


async def planned(*replies: Any, message: str = "Three days, please.", travellers: Travellers | None = None, **options: Any) -> Ran:
    """A run of the planner; every reply of the script has to be used."""
    travellers, events = travellers or Travellers(), []
    with ScriptedModel(*replies) as model:
        ended = await run(
            options.pop("agent", None) or agent(),
            message,
            model=model,
            deps=options.pop("deps", embedded()),
            ask=travellers,
            on_event=lambda event, state: events.append(event),
            **options,
        )
    return Ran(ended, events, model, travellers)


def estimates(*legs: tuple[str, str]) -> list[tuple[str, dict[str, Any]]]:
    """Calls of estimate_drive; of all legs if none is named."""
    return [("estimate_drive", {"origin": origin, "destination": destination}) for origin, destination in legs or LEGS]


def beginning(**brief: Any) -> list[Any]:
    """Replies: the brief (with changes; `None` leaves a field out), the searches, and all the drives."""
    fields = {key: value for key, value in (BRIEF | brief).items() if value is not None}
    return [calls(("record_brief", fields)), calls(*SEARCHES), calls(*estimates())]


def submitting(plan: Mapping[str, Any] = PLAN) -> Any:
    """The reply that submits a plan."""
    return calls(("submit_plan", dict(plan)))


def plan(**days: Mapping[str, Any]) -> dict[str, Any]:
    """The good plan with some fields of `day1`, `day2` and so on changed."""
    changed = deepcopy(PLAN)
    for name, fields in days.items():
        changed["days"][int(name.removeprefix("day")) - 1].update(fields)
    return changed


def leg(origin: str, destination: str, minutes: int | None = None) -> dict[str, Any]:
    """A leg with its computed minutes, or with others."""
    return {"origin": origin, "destination": destination, "minutes": LEGS[origin, destination] if minutes is None else minutes}


def guards(planner: Agent) -> list[str]:
    """Names of an agent's guards."""
    return [guard.name for guard in planner.guards]


def brief_facts(**fields: Any) -> list[Fact]:
    """A confirmed brief."""
    return [Fact("brief", value, key=key, confirmed=True) for key, value in fields.items()]


def ledger(*facts: Fact) -> Ledger:
    """A ledger."""
    return Ledger().adding(facts)


def as_json(value: Any) -> Any:
    """As it comes out of a journal."""
    return msgspec.json.decode(msgspec.json.encode(value))
