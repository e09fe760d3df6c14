"""The brief: what a yes makes known, what a later one replaces, and what is not recorded at all."""

from datetime import date
from typing import Any

import pytest

from handrail import Fact, No, Yes
from handrail.apps.trips.brief import Brief, brief_in, brief_of, shown
from handrail.testing import calls
from tests.apps.trips.planning import BRIEF, STOP, Ran, Travellers, brief_facts, ledger, planned


async def recorded(*briefs: dict[str, Any], **options: Any) -> tuple[Brief, Ran]:
    """What is known after these calls of record_brief."""
    ran = await planned(*(calls(("record_brief", fields)) for fields in briefs), STOP, **options)
    facts = [fact for event in ran.named("ToolReturned") for fact in event.facts]
    return brief_of(facts), ran


async def test_places_are_known_by_their_ids_whatever_they_are_called() -> None:
    brief, _ = await recorded(BRIEF | {"must_go": ["Danba", "理塘", "siguniang-town"], "start": "Chengdu"})
    assert brief.must_go == ("danba", "litang", "siguniang-town")
    assert brief.start == "chengdu"


async def test_a_later_brief_replaces_only_the_fields_that_it_names() -> None:
    brief, _ = await recorded(BRIEF, {"days": 7, "wishes": ["hot springs"]})
    assert (brief.days, brief.ages, brief.month, brief.must_go) == (7, (38, 35), 10, ("danba",))
    assert brief.wishes == ("hot springs",)


async def test_an_empty_list_takes_back_what_had_to_be_in() -> None:
    brief, _ = await recorded(BRIEF, {"must_go": []})
    assert brief.must_go == ()


async def test_a_brief_that_the_travellers_refuse_changes_nothing() -> None:
    brief, ran = await recorded(BRIEF, {"days": 7}, travellers=Travellers(record_brief=[Yes(), No("We said three.")]))
    assert brief.days == 3
    assert "We said three." in ran.refusals()[0]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"must_go": ["Shambhala"]}, "Shambhala"),
        ({"must_go": ["Kangdin"]}, "'kangding'"),
        ({"start": "Atlantis"}, "Atlantis"),
        ({"regions": ["middle-earth"]}, "western-sichuan"),
        ({"must_go": ["Litang"], "highest_m": 3500}, "'litang' lies at 4014 m"),
        ({"must_go": ["Danba"], "regions": ["hainan"]}, "'danba' has to be in, and is in western-sichuan, not in hainan"),
        ({"start_date": "2027-05-01"}, "is not in month 10"),
    ],
)
async def test_what_contradicts_itself_or_is_not_known_is_not_recorded(fields: dict[str, Any], words: str) -> None:
    _, ran = await recorded(BRIEF | fields)
    assert [type(event).__name__ for event in ran.events if type(event).__name__.startswith("Tool")] == ["ToolStarted", "ToolFailed"]
    assert words in ran.named("ToolFailed")[0].error


async def test_a_contradiction_to_what_was_said_before_is_found_too() -> None:
    _, ran = await recorded(BRIEF, {"regions": ["hainan"]})
    assert "Record must_go anew (an empty list if nothing has to be in), or the regions." in ran.named("ToolFailed")[0].error


async def test_another_month_outdates_the_first_day() -> None:
    dated = {key: value for key, value in BRIEF.items() if key != "month"} | {"start_date": "2027-10-04"}
    brief, _ = await recorded(dated)
    assert (brief.month, brief.start_date) == (10, date(2027, 10, 4))
    brief, _ = await recorded(dated, {"month": 5})
    assert (brief.month, brief.start_date) == (5, None)
    brief, _ = await recorded(dated, {"month": 10, "days": 4})
    assert brief.start_date == date(2027, 10, 4)


@pytest.mark.parametrize(
    ("ages", "hours"), [((), 4), ((30,), 6), ((64, 8), 6), ((65,), 4), ((30, 7), 4), ((0, 30), 4), ((120,), 4)]
)  # fmt: skip
def test_hours_a_day_go_by_the_ages(ages: tuple[int, ...], hours: int) -> None:
    assert Brief(ages=ages).hours_a_day == hours


def test_a_yes_counts_before_what_was_only_said() -> None:
    assert brief_of([*brief_facts(days=3), Fact("brief", 9, key="days")]).days == 3


def test_facts_of_another_kind_and_unknown_fields_are_passed_over() -> None:
    assert brief_of([Fact("brief", "one"), Fact("place", "chengdu"), Fact("brief", 1, key="shoe_size")]) == Brief()


def test_what_is_shown_says_what_is_new_and_what_stays() -> None:
    known = ledger(*brief_facts(days=3, month=10, must_go=["danba"]))
    assert shown({"days": 7, "must_go": []}, known).splitlines() == [
        "This is how I understood you:",
        "- Days: 7",
        "- Must be in: none",
        "As before:",
        "- Month: 10",
        "Is that right?",
    ]
    assert brief_in(known).days == 3
