"""The planner's ring, rule by rule: each with the accident that it prevents, in a run of the real agent."""

from typing import Any

import pytest

from handrail import No, Say, Yes
from handrail.apps.trips.agent import agent
from handrail.guards import Approval, TimeLimit
from handrail.testing import calls, cut, fails, says
from tests.apps.trips.planning import (
    BRIEF,
    PASSED,
    PLAN,
    SEARCHES,
    STOP,
    Travellers,
    beginning,
    estimates,
    guards,
    leg,
    plan,
    planned,
    submitting,
)

PER_LEG = "Prerequisite(submit_plan, of=estimate_drive, per=days.legs)"


async def refused(submitted: dict[str, Any], **brief: Any) -> tuple[str, str]:
    """Which guard refuses a plan, and why; `brief` changes the brief that it was made for."""
    ran = await planned(*beginning(**brief), submitting(submitted), STOP)
    assert len(ran.guards()) == 1
    return ran.guards()[0], ran.refusals()[0]


async def test_a_good_plan_is_reviewed_shown_and_handed_over() -> None:
    ran = await planned(*beginning(), submitting(), PASSED)
    assert ran.guards() == []
    assert [event.guard for event in ran.named("CallHeld")] == ["Approval(record_brief)", "Review(submit_plan)", "Approval(submit_plan)"]
    assert (ran.outcome.partial, ran.outcome.unconfirmed, ran.outcome.unreviewed) == (False, False, False)
    assert [day["stay"] for day in ran.outcome.output["days"]] == ["kangding", "danba", "siguniang-town"]
    assert ran.outcome.output["days"][0]["sleeping_altitude_m"] == 2560


async def test_text_in_place_of_a_plan_is_blocked() -> None:
    ran = await planned(*beginning(), says("Day 1: Chengdu to Kangding. " * 20), submitting(), PASSED)
    assert [event.guard for event in ran.named("TextRefused")] == ["MustSubmit(submit_plan)"]
    assert not ran.outcome.partial


async def test_a_short_text_is_a_question_to_the_travellers() -> None:
    travellers = Travellers(message=Say("In October."))
    ran = await planned(says("When do you want to go?"), *beginning(), submitting(), PASSED, travellers=travellers)
    assert travellers.shown[0] == ("message", "When do you want to go?")
    assert not ran.outcome.partial


async def test_notes_are_searched_four_times_at_most_and_then_withdrawn() -> None:
    notes = [calls(("search_notes", {"text": word})) for word in ("altitude", "fuel", "permits", "roads")]
    ran = await planned(
        calls(("record_brief", BRIEF)),
        *notes,
        calls(("search_notes", {"text": "festivals"})),
        STOP,
    )
    assert ran.guards() == ["CallLimit(search_notes)"]
    assert "search_notes" in [tool["function"]["name"] for tool in ran.model.requests[4].tools]
    assert "search_notes" not in [tool["function"]["name"] for tool in ran.model.requests[5].tools]


@pytest.mark.parametrize(("tool", "arguments"), [SEARCHES[0], ("search_notes", {"text": "altitude"})])
async def test_nothing_is_looked_up_before_the_brief_is_recorded(tool: str, arguments: dict[str, Any]) -> None:
    ran = await planned(calls((tool, arguments)), STOP)
    assert ran.guards()[0].startswith("Order")
    assert "'record_brief'" in ran.refusals()[0]


@pytest.mark.parametrize("missing", ["ages", "days", "month"])
async def test_a_brief_without_what_a_plan_needs_is_not_shown_to_the_travellers(missing: str) -> None:
    fields = {key: value for key, value in BRIEF.items() if key != missing}
    ran = await planned(calls(("record_brief", fields)), STOP)
    assert ran.guards() == ["brief_is_complete"]
    assert missing in ran.refusals()[0]
    assert ran.travellers.shown == []


async def test_a_start_date_says_the_month() -> None:
    fields = {key: value for key, value in BRIEF.items() if key != "month"} | {"start_date": "2027-10-04"}
    ran = await planned(calls(("record_brief", fields)), *beginning()[1:], submitting(), PASSED)
    assert [day["date"] for day in ran.outcome.output["days"]] == ["2027-10-04", "2027-10-05", "2027-10-06"]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("estimate_drive", {"origin": "shambhala", "destination": "kangding"}),
        ("estimate_drive", {"origin": "kangding", "destination": "shambhala"}),
        ("check_flights", {"origin": "shambhala", "destination": "kangding"}),
        ("check_flights", {"origin": "kangding", "destination": "shambhala"}),
        ("check_hotels", {"place": "shambhala"}),
    ],
)
async def test_nothing_is_looked_up_for_a_place_that_was_made_up(tool: str, arguments: dict[str, Any]) -> None:
    ran = await planned(*beginning()[:2], calls((tool, arguments)), STOP)
    assert ran.guards()[0].startswith(f"Grounded({tool}")
    assert "shambhala" in ran.refusals()[0]


@pytest.mark.parametrize(
    ("changed", "by"),
    [
        ({"stay": "shambhala"}, "Grounded(submit_plan, days.stay)"),
        ({"legs": [{"origin": "shambhala", "destination": "danba", "minutes": 30}]}, PER_LEG),
        ({"flight": "flight-to-shambhala"}, "Grounded(submit_plan, days.flight)"),
        ({"hotel": "hotel-shambhala-a"}, "Grounded(submit_plan, days.hotel)"),
    ],
)  # fmt: skip
async def test_a_plan_with_anything_made_up_is_refused(changed: dict[str, Any], by: str) -> None:
    guard, reason = await refused(plan(day2=changed))
    assert guard == by
    assert "shambhala" in reason


@pytest.mark.parametrize("path", ["days.legs.origin", "days.legs.destination", "days.stay", "days.flight", "days.hotel"])
def test_each_way_to_name_a_thing_in_a_plan_is_grounded(path: str) -> None:
    assert f"Grounded(submit_plan, {path})" in guards(agent())


async def test_a_leg_that_nobody_computed_is_refused() -> None:
    ran = await planned(*beginning()[:2], calls(*estimates(("chengdu", "kangding"), ("kangding", "danba"))), submitting(), STOP)
    assert ran.guards() == [PER_LEG]
    assert "siguniang-town" in ran.refusals()[0]


async def test_a_leg_computed_the_other_way_round_does_not_count() -> None:
    other_way = plan(day3={"legs": [{"origin": "danba", "destination": "kangding", "minutes": 190}], "stay": "kangding"})
    guard, _ = await refused(other_way)
    assert guard == PER_LEG


async def test_a_plan_may_come_in_one_reply_with_the_drives_that_it_waits_for() -> None:
    ran = await planned(*beginning()[:2], calls(*estimates(), ("submit_plan", PLAN)), PASSED)
    assert ran.guards() == []
    assert len(ran.outcome.output["days"]) == 3


async def test_minutes_that_were_made_up_are_refused() -> None:
    guard, reason = await refused(plan(day1={"legs": [leg("chengdu", "kangding", 60)], "drive_hours": 1}))
    assert (guard, reason) == (
        "driving_times_are_computed",
        "chengdu → kangding takes 219 minutes, not 60; drive_hours of day 1 is 3.6, not 1.",
    )


async def test_a_plan_without_the_driving_hours_is_refused() -> None:
    guard, reason = await refused(plan(day1={"drive_hours": 0}))
    assert (guard, reason) == ("driving_times_are_computed", "drive_hours of day 1 is 3.6, not 0.")


async def test_drives_that_were_computed_for_another_month_are_computed_again() -> None:
    ran = await planned(*beginning(), calls(("record_brief", {"month": 5})), submitting(), STOP)
    assert ran.guards() == ["driving_times_are_computed"]
    assert "chengdu → kangding was computed for another month: call estimate_drive again" in ran.refusals()[0]


LONG = plan(
    day1={"legs": [leg("chengdu", "litang")], "stay": "litang", "drive_hours": 10.4}, day2={"legs": [], "stay": "litang", "drive_hours": 0}
)
LONG["days"][2] |= {"legs": [], "stay": "litang", "drive_hours": 0}


async def test_more_than_six_hours_of_driving_a_day_are_refused() -> None:
    guard, reason = await refused(LONG, must_go=[])
    assert guard == "hours_are_bearable"
    assert reason.startswith("At most 6 hours of driving a day: day 1 has 10.4.")


FOUR_AND_A_BIT = plan(day3={"legs": [leg("danba", "siguniang-town"), leg("siguniang-town", "chengdu")], "stay": None, "drive_hours": 6.38})


@pytest.mark.parametrize(("ages", "limit"), [([64, 8], 6), ([65, 30], 4), ([40, 7], 4)])
async def test_four_hours_are_enough_with_elderly_people_or_small_children(ages: list[int], limit: int) -> None:
    guard, reason = await refused(FOUR_AND_A_BIT, ages=ages)
    assert guard == "hours_are_bearable"
    assert reason.startswith(f"At most {limit} hours of driving a day")


async def test_a_place_above_what_they_bear_is_refused_as_a_stop_too() -> None:
    over_the_pass = plan(day2={"legs": [leg("kangding", "zheduo-pass"), leg("zheduo-pass", "danba")], "drive_hours": 4.83})
    guard, reason = await refused(over_the_pass, highest_m=3500)
    assert (guard, reason) == (
        "altitude_is_bearable",
        "The travellers do not want to be above 3500 m: zheduo-pass lies at 4298 m. Leave these out.",
    )


async def test_a_place_that_has_to_be_in_is_in() -> None:
    elsewhere = plan(day2={"legs": [], "stay": "kangding", "drive_hours": 0}, day3={"legs": [], "stay": "kangding", "drive_hours": 0})
    guard, reason = await refused(elsewhere)
    assert (guard, reason) == ("must_go_places_are_in", "The travellers want to see danba, and the plan does not go there. Put it in.")


async def test_nights_are_in_the_regions_that_they_chose() -> None:
    guard, reason = await refused(PLAN, regions=["hainan"], must_go=[])
    assert guard == "nights_are_where_they_want"
    assert "kangding of day 1 is in western-sichuan" in reason


async def test_nobody_sleeps_on_a_pass() -> None:
    on_the_pass = plan(day2={"legs": [leg("kangding", "zheduo-pass")], "stay": "zheduo-pass", "drive_hours": 0.83})
    on_the_pass["days"][2]["legs"] = [leg("zheduo-pass", "danba")]
    on_the_pass["days"][2] |= {"stay": "danba", "drive_hours": 4}
    guard, reason = await refused(on_the_pass)
    assert guard == "nights_have_beds"
    assert "one cannot sleep in zheduo-pass (day 2)" in reason


async def test_how_high_they_sleep_is_said_as_it_is() -> None:
    guard, reason = await refused(plan(day1={"sleeping_altitude_m": 900}))
    assert (guard, reason) == ("nights_have_beds", "kangding (day 1) lies at 2560 m, not at 900.")


async def test_a_plan_has_as_many_days_as_they_want() -> None:
    guard, reason = await refused(PLAN, days=5)
    assert guard == "days_are_as_many_as_asked"
    assert reason.startswith("The travellers want 5 days, and this plan has 3.")


async def test_days_are_numbered_in_order() -> None:
    assert (await refused(plan(day2={"day": 3})))[0] == "days_are_as_many_as_asked"


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        (plan(day2={"legs": [leg("danba", "siguniang-town")], "drive_hours": 2.17}), "a drive begins in danba"),
        (plan(day1={"stay": "danba"}), "the stay is danba, and the travellers are in kangding"),
        (plan(day1={"legs": [], "stay": "kangding", "drive_hours": 0}), "the stay is kangding, and the travellers are in chengdu"),
        (plan(day1={"stay": None}), "only the last day may go without"),
    ],
)  # fmt: skip
async def test_a_day_begins_where_the_last_one_ended(changed: dict[str, Any], words: str) -> None:
    guard, reason = await refused(changed)
    assert guard == "days_connect"
    assert words in reason


async def test_the_last_day_may_go_without_a_stay() -> None:
    ran = await planned(*beginning(), submitting(plan(day3={"stay": None})), PASSED)
    assert ran.outcome.output["days"][2]["stay"] is None


async def test_a_flight_leaves_from_where_they_are() -> None:
    flights = calls(("search_places", {"text": "sanya", "limit": 1}), ("search_places", {"text": "haikou", "limit": 1}))
    looked_up = calls(("check_flights", {"origin": "chengdu", "destination": "sanya"}))
    flying = plan(day1={"flight": "flight-chengdu-to-sanya", "legs": [], "stay": "sanya", "drive_hours": 0})
    for day in flying["days"][1:]:
        day |= {"flight": None, "legs": [], "stay": "sanya", "drive_hours": 0}
    brief = {"start": "chengdu", "must_go": [], "regions": ["hainan"]}
    ran = await planned(*beginning(**brief), flights, looked_up, submitting(flying), PASSED)
    assert ran.outcome.output["days"][0]["flight"]["destination"] == "sanya"
    flying["days"][1]["flight"] = "flight-chengdu-to-sanya"
    ran = await planned(*beginning(**brief), flights, looked_up, submitting(flying), STOP)
    assert ran.refusals("days_connect") == ["Day 2 does not connect: the flight leaves from chengdu, and the travellers are in sanya."]


async def test_the_budget_holds_and_needs_hotels() -> None:
    guard, reason = await refused(PLAN, budget_cny=500)
    assert guard == "budget_holds"
    assert reason.startswith("day 1 needs a hotel, since there is a budget; day 2 needs a hotel")
    hotels = calls(*(("check_hotels", {"place": place}) for place in ("kangding", "danba", "siguniang-town")))
    named = plan(day1={"hotel": "hotel-kangding-a"}, day2={"hotel": "hotel-danba-a"}, day3={"hotel": "hotel-siguniang-town-a"})
    ran = await planned(*beginning(budget_cny=500), hotels, submitting(named), STOP)
    assert ran.guards() == ["budget_holds"]
    assert "and the budget is 500: take cheaper hotels" in ran.refusals()[0]
    ran = await planned(*beginning(budget_cny=5000), hotels, submitting(named), PASSED)
    assert ran.outcome.output["cost_cny"] > 500
    swapped = plan(day1={"hotel": "hotel-danba-a"}, day2={"hotel": "hotel-danba-a"}, day3={"hotel": "hotel-siguniang-town-a"})
    ran = await planned(*beginning(budget_cny=5000), hotels, submitting(swapped), STOP)
    assert ran.refusals("budget_holds") == ["hotel-danba-a of day 1 is in danba, not in kangding."]


async def test_a_reviewer_sees_the_draft_before_any_person_does() -> None:
    flawed = calls(("verdict", {"passed": False, "flaws": ["The second night climbs too fast."]}))
    ran = await planned(*beginning(), submitting(), flawed, submitting(plan(day2={"note": "Slowly."})), PASSED)
    assert "The second night climbs too fast." in ran.refusals("Review(submit_plan)")[0]
    assert [tool for tool, _ in ran.travellers.shown] == ["record_brief", "submit_plan"]
    review = next(request for request in ran.model.requests if request.tools[0]["function"]["name"] == "verdict")
    assert len(review.messages) == 1  # what was said, what is confirmed and the draft: nothing of how it came about


async def test_flaws_that_stay_open_are_shown_to_the_travellers() -> None:
    flawed = calls(("verdict", {"passed": False, "flaws": ["It rains."]}))
    ran = await planned(*beginning(), submitting(), flawed, submitting(plan(day2={"note": "With umbrellas."})), flawed)
    assert "It rains." in ran.travellers.shown[-1][1]
    assert ran.outcome.unreviewed


async def test_the_travellers_see_the_outline_and_their_no_comes_back_with_their_words() -> None:
    travellers = Travellers(submit_plan=[No("Not so early on day 2."), Yes()])
    later = plan(day2={"note": "After lunch."})
    ran = await planned(*beginning(), submitting(), PASSED, submitting(later), PASSED, travellers=travellers)
    assert "Not so early on day 2." in ran.refusals("Approval(submit_plan)")[0]
    assert "Day 2: Kangding → Danba 190 min; night in Danba at 1860 m" in travellers.shown[1][1]
    assert not ran.outcome.unconfirmed


async def test_the_travellers_see_their_brief_and_their_yes_makes_it_confirmed() -> None:
    ran = await planned(*beginning()[:1], STOP)
    assert ran.travellers.shown[0][1].splitlines()[1:3] == ["- Ages of the party: 38, 35", "- Month: 10"]
    assert '- brief (must_go): ["danba"]' in ran.model.requests[1].system


async def test_what_they_said_last_goes_through_the_brief_before_a_plan_is_handed_in() -> None:
    travellers = Travellers(submit_plan=[Say("We want to sleep long."), Yes()])
    wish = calls(("record_brief", {"wishes": ["sleep long"]}))
    again = plan(day2={"note": "After lunch."})
    ran = await planned(*beginning(), submitting(), PASSED, submitting(again), wish, submitting(again), PASSED, travellers=travellers)
    assert ran.guards() == ["Approval(submit_plan)", "last_words_are_in_the_brief"]
    assert ran.outcome.output["brief"]["wishes"] == ["sleep long"]


async def test_case_27_a_planner_that_repeats_itself_is_told_and_then_lands() -> None:
    again = [submitting(plan(day1={"drive_hours": 0})) for _ in range(9)]
    ran = await planned(*beginning(), *again)
    assert (ran.outcome.partial, ran.outcome.limit) == (True, "NoProgress(2, 4, 6)")
    assert "do not repeat them" in ran.refusals()[2]
    assert ran.outcome.output["days"] != []


async def test_case_53_a_yes_to_one_brief_is_no_yes_to_another() -> None:
    other = calls(("record_brief", BRIEF | {"days": 14}))
    ran = await planned(*beginning()[:1], other, STOP, travellers=Travellers(record_brief=[Yes(), No("We have three days.")]))
    assert [tool for tool, _ in ran.travellers.shown] == ["record_brief", "record_brief"]
    assert "We have three days." in ran.refusals()[0]
    assert "- brief (days): 3" in ran.model.requests[-1].system


async def test_case_58_a_plan_that_was_refused_is_not_shown_again() -> None:
    travellers = Travellers(submit_plan=[No("Too far."), Yes()])
    ran = await planned(*beginning(), submitting(), PASSED, submitting(), PASSED, STOP, travellers=travellers)
    assert [tool for tool, _ in travellers.shown] == ["record_brief", "submit_plan"]
    assert len(ran.refusals("Approval(submit_plan)")) == 2


async def test_case_59_a_message_in_place_of_a_yes_is_no_yes() -> None:
    ran = await planned(
        *beginning(), submitting(), PASSED, STOP, travellers=Travellers(submit_plan=Say("Looks fine, but what about fuel?"))
    )
    assert ran.named("ToolReturned")[-1].call.startswith("t3")  # the drives: no plan was handed over
    assert "Instead of a yes the user said something else" in ran.refusals()[0]


async def test_a_model_that_fails_for_good_lands_with_what_there_is() -> None:
    ran = await planned(*beginning(), fails())
    assert ran.outcome.partial
    assert ran.outcome.unconfirmed
    assert len(ran.outcome.output["days"]) == 3


async def test_a_reply_that_was_cut_runs_nothing() -> None:
    ran = await planned(*beginning(), cut(submitting()), submitting(), PASSED)
    assert "cut by the output limit" in ran.refusals()[0]
    assert not ran.outcome.partial


def test_the_ring_has_its_limits_and_a_landing() -> None:
    planner = agent()
    assert {"TimeLimit(300)", "TurnLimit(32)", "TokenLimit(400000)", "NoProgress(2, 4, 6)"} <= set(guards(planner))
    assert planner.land is not None
    assert isinstance(agent(seconds=6).guard("TimeLimit(6)"), TimeLimit)


@pytest.mark.parametrize("tool", ["record_brief", "submit_plan"])
def test_the_brief_and_the_plan_need_a_yes(tool: str) -> None:
    assert isinstance(agent().guard(f"Approval({tool})"), Approval)
