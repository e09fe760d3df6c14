"""The planner's tools: what becomes a fact, and what they say where the answer is no."""

from typing import Any

import msgspec
import pytest

from handrail import ToolContext
from handrail.apps.trips.geography import Drive
from handrail.apps.trips.providers.embedded import embedded
from handrail.apps.trips.tools import TOOLS, check_flights, check_hotels, estimate_drive, search_notes, search_places, submit_plan
from tests.apps.trips.planning import PLAN, brief_facts, ledger

MONTH = ledger(*brief_facts(month=10))


async def called(tool: Any, facts: Any = MONTH, deps: Any = None, **arguments: Any) -> Any:
    """What a tool gives back."""
    parsed = tool.parse(msgspec.json.encode(arguments).decode())
    return await tool.run(parsed.canonical, ToolContext(deps=deps, ledger=facts))


def value(ran: Any) -> Any:
    return msgspec.json.decode(ran.content)


async def test_a_place_that_was_found_is_a_fact_with_all_that_a_plan_needs_of_it() -> None:
    ran = await called(search_places, text="Kangding", limit=1)
    (fact,) = ran.facts
    assert (fact.kind, fact.value) == ("place", "kangding")
    assert fact.about == {
        "name": "Kangding",
        "local_name": "康定",
        "region": "western-sichuan",
        "altitude_m": 2560,
        "latitude": 30.053,
        "longitude": 101.965,
        "overnight": True,
    }
    assert value(ran)[0]["id"] == "kangding"


async def test_a_search_takes_every_condition_and_finds_nothing_without_an_error() -> None:
    ran = await called(search_places, region="hainan", tags=["beach"], near="sanya", within_km=60, highest_m=100, overnight=True, limit=5)
    assert {row["region"] for row in value(ran)} == {"hainan"}
    nothing = await called(search_places, text="shambhala")
    assert (value(nothing), nothing.facts) == ([], ())


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        (search_places, {"region": "middle-earth"}, "western-sichuan"),
        (search_places, {"near": "shambhala"}, "shambhala"),
        (search_notes, {"text": "fuel", "place": "shambhala"}, "shambhala"),
        (estimate_drive, {"origin": "chengdu", "destination": "sanya"}, "plan a flight"),
        (check_flights, {"origin": "kangding", "destination": "sanya"}, "has no airport"),
        (check_hotels, {"place": "shambhala"}, "shambhala"),
        (check_hotels, {"place": "zheduo-pass"}, "No such hotel is open in 'zheduo-pass' in month 10"),
    ],
)
async def test_a_no_says_what_to_do_instead(tool: Any, arguments: dict[str, Any], words: str) -> None:
    ran = await called(tool, **arguments)
    assert type(ran).__name__ == "Failed"
    assert words in ran.error


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        (estimate_drive, {"origin": "chengdu", "destination": "kangding"}),
        (check_flights, {"origin": "chengdu", "destination": "sanya"}),
        (check_hotels, {"place": "kangding"}),
    ],
)
async def test_seasons_matter_so_the_month_has_to_be_known(tool: Any, arguments: dict[str, Any]) -> None:
    ran = await called(tool, ledger(), **arguments)
    assert "put it into the brief with record_brief first" in ran.error


async def test_a_drive_is_a_fact_under_its_two_ends_with_its_month() -> None:
    (fact,) = (await called(estimate_drive, origin="chengdu", destination="kangding")).facts
    assert (fact.kind, fact.key) == ("leg", "chengdu → kangding")
    assert fact.about == {"origin": "chengdu", "destination": "kangding", "minutes": 219, "km": 304, "month": 10}


async def test_the_same_drive_in_another_month_takes_its_place() -> None:
    known = ledger()
    for month in (10, 5):
        ran = await called(estimate_drive, ledger(*brief_facts(month=month)), origin="chengdu", destination="kangding")
        known = known.adding(ran.facts)
    assert [fact.about["month"] for fact in known.of("leg")] == [5]


async def test_notes_are_read_and_are_no_facts() -> None:
    ran = await called(search_notes, text="altitude")
    assert ran.facts == ()
    assert set(value(ran)[0]) == {"topic", "places", "text"}


async def test_flights_and_hotels_are_facts_with_the_prices_of_the_month() -> None:
    (flight,) = (await called(check_flights, origin="chengdu", destination="sanya")).facts
    assert flight.about == {"origin": "chengdu", "destination": "sanya", "minutes": 165, "price_cny": 980, "month": 10}
    hotels = (await called(check_hotels, place="kangding")).facts
    assert [hotel.about["price_cny"] for hotel in hotels] == [370, 600]
    assert [hotel.about["price_cny"] for hotel in (await called(check_hotels, ledger(*brief_facts(month=11)), place="kangding")).facts] == [
        220,
        350,
    ]


async def test_the_numbers_of_a_trip_are_those_of_the_facts() -> None:
    known = MONTH
    for tool, arguments in (
        (search_places, {"text": "Kangding", "limit": 1}),
        (search_places, {"text": "Chengdu", "limit": 1}),
        (estimate_drive, {"origin": "chengdu", "destination": "kangding"}),
    ):
        known = known.adding((await called(tool, known, **arguments)).facts)
    claimed = {**PLAN, "days": [{**PLAN["days"][0], "drive_hours": 1.0, "sleeping_altitude_m": 10}]}
    claimed["days"][0]["legs"] = [{"origin": "chengdu", "destination": "kangding", "minutes": 7}]
    trip = value(await called(submit_plan, known, **claimed))
    (day,) = trip["days"]
    assert (day["drive_hours"], day["sleeping_altitude_m"]) == (3.65, 2560)
    assert day["legs"] == [{"origin": "chengdu", "destination": "kangding", "minutes": 219, "km": 304}]
    assert trip["places"]["kangding"]["name"] == "Kangding"


async def test_the_tools_ask_the_providers_that_the_run_was_given() -> None:
    class Slow:
        async def drive(self, origin_id: str, destination_id: str, month: int) -> Drive:
            return Drive(minutes=999, km=1)

    outside = msgspec.structs.replace(embedded(), roads=Slow())
    ran = await called(estimate_drive, deps=outside, origin="chengdu", destination="kangding")
    assert value(ran)["minutes"] == 999


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_every_tool_has_an_example_and_describes_each_argument(tool: Any) -> None:
    assert tool.examples
    properties = tool.declaration["function"]["parameters"]["properties"]
    assert [name for name, schema in properties.items() if "description" not in schema] == []
