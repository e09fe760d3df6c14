"""The stand-in's rules for trips: words and numbers that it finds, stops that it makes into days, and what it reviews."""

from typing import Any

import pytest

from handrail.apps.trips.reviewer import INSTRUCTIONS
from handrail.apps.trips.scenarios import scenarios
from handrail.apps.trips.scenarios.itineraries import HAINAN, SICHUAN, TENERIFE, days_of, itinerary_for, legs_between, plan_of
from handrail.apps.trips.scenarios.planning import Planning
from handrail.apps.trips.scenarios.reviewing import Reviewing
from handrail.apps.trips.scenarios.wishes import wishes
from handrail.models.rehearsal import Call, Conversation, Say, ToolResult, call
from handrail.service import find_app

OFFERED: dict[str, Any] = {"record_brief": {}, "ask_traveller": {}, "search_places": {}, "submit_plan": {}}


@pytest.mark.parametrize(
    ("words", "fields"),
    [
        ("Ten days in western Sichuan from Chengdu in October, ages 38 and 35. We want to see Litang and Danba.",
         {"ages": [38, 35], "month": 10, "days": 10, "regions": ["western-sichuan"], "start": "chengdu", "must_go": ["litang", "danba"]}),
        ("a week on Hainan from Haikou in December, ages 66, 64 and 7, with a budget of 9,000 yuan",
         {"ages": [66, 64, 7], "month": 12, "days": 7, "budget_cny": 9000, "regions": ["hainan"], "start": "haikou", "must_go": []}),
        ("12 days, not above 3,500 m", {"days": 12, "highest_m": 3500}),
        ("We like hot springs.", {"wishes": ["We like hot springs."]}),
    ],
)  # fmt: skip
def test_what_a_traveller_names(words: str, fields: dict[str, Any]) -> None:
    assert wishes(words) == fields


@pytest.mark.parametrize(
    ("words", "itinerary"),
    [("Not the plateau: an island!", HAINAN), ("Teide", TENERIFE), ("Hainan? No, Sichuan.", SICHUAN), ("Oslo", None)],
)
def test_the_trip_that_is_named_last_is_meant(words: str, itinerary: Any) -> None:
    assert itinerary_for(words) is itinerary


MINUTES = {("a", "b"): 100, ("b", "c"): 100, ("c", "a"): 100}


@pytest.mark.parametrize(
    ("most", "days", "sizes"), [(300, 1, [3]), (200, 2, [2, 1]), (300, 3, [1, 1, 1]), (300, 5, [1, 0, 0, 1, 1]), (100, 2, [1, 1])]
)  # fmt: skip
def test_stops_become_days(most: int, days: int, sizes: list[int]) -> None:
    packed = days_of(legs_between(["a", "b", "b", "c", "a"]), MINUTES, most=most, days=days)
    assert [len(day) for day in packed] == sizes


def test_who_is_home_again_on_the_last_day_needs_no_bed() -> None:
    planned = plan_of([[("a", "b")], [("b", "c"), ("c", "a")]], MINUTES, beds={"b": "inn", "a": "hotel"}, names={"b": "Bee"}, start="a")
    assert [day["note"] for day in planned] == ["On the road to Bee.", "On the road to a."]
    assert [(day["stay"], day.get("hotel")) for day in planned] == [("b", "inn"), (None, None)]


def test_it_asks_for_what_is_missing_before_it_records_anything() -> None:
    talk = Conversation(said=("Ten days in Sichuan in October",), declarations=OFFERED)
    question = "How old is everybody who travels? Please say it as: ages 38, 35 and 6"
    assert Planning().move(talk) == call("ask_traveller", {"question": question})


def test_a_refused_brief_leads_to_a_question() -> None:
    refused = ToolResult(
        tool="record_brief", arguments={}, content="", value=None, error="A person refused this very call; it was not run."
    )
    talk = Conversation(said=("Ten days in Sichuan in October, ages 40",), declarations=OFFERED, results=(refused,))
    assert Planning().move(talk) == Say("What would you like me to change?")


def test_it_is_no_scenario_for_other_tools() -> None:
    talk = Conversation(said=("hello",), declarations={"lookup_orders": {}})
    assert not any(scenario.fits(talk) for scenario in scenarios())


BRIEF = """\
What people have confirmed:
- brief (must_go): ["danba","siguniang-town"]

The draft, which will be given to the tool submit_plan:
{"summary":"%s"}
"""


@pytest.mark.parametrize(
    ("summary", "flaws"), [("Over Danba to Siguniang town.", 0), ("Over Danba.", 1), ("Up and down.", 2)]
)  # fmt: skip
def test_the_reviewer_looks_for_the_places_that_have_to_be_in(summary: str, flaws: int) -> None:
    talk = Conversation(system=INSTRUCTIONS, said=(BRIEF % summary,), declarations={"verdict": {}})
    assert Reviewing().fits(talk)
    move = Reviewing().move(talk)
    assert isinstance(move, Call)
    ((tool, verdict),) = move.calls
    assert isinstance(verdict, dict)
    assert (tool, verdict["passed"], len(verdict["flaws"])) == ("verdict", flaws == 0, flaws)


def test_another_apps_reviewer_is_not_played() -> None:
    assert not Reviewing().fits(Conversation(system="You review pull requests.", said=("x",), declarations={"verdict": {}}))


def test_the_app_is_found_with_its_scenarios_and_an_example_that_they_understand() -> None:
    app = find_app("trips")
    assert [scenario.name for scenario in app.scenarios()] == ["trips-review", "trips"]
    assert {"ages", "month", "days", "start", "regions", "must_go"} == set(wishes(app.example))
