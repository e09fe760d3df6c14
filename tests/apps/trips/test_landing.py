"""Landing: whatever a run has found so far, what comes of it is within what the travellers bear, and nothing of it is made up."""

from collections.abc import Mapping
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail import Fact, Ledger
from handrail.apps.trips.brief import brief_in
from handrail.apps.trips.known import known_in
from handrail.apps.trips.landing import land, shorter_trip
from handrail.apps.trips.trip import Trip
from tests.apps.trips.planning import as_json, brief_facts, ledger

IDS = tuple("abcdefgh")


def place(id: str, *, altitude: int = 500, region: str = "here", overnight: bool = True) -> Fact:
    about = {"name": id.upper(), "altitude_m": altitude, "region": region, "overnight": overnight, "latitude": 1.0, "longitude": 2.0}
    return Fact("place", id, about=about)


def drive(origin: str, destination: str, minutes: int, *, month: int = 5) -> Fact:
    about = {"origin": origin, "destination": destination, "minutes": minutes, "km": minutes, "month": month}
    return Fact("leg", f"{origin} → {destination}", key=f"{origin} → {destination}", about=about)


def flight(origin: str, destination: str, *, price: int = 100, month: int = 5) -> Fact:
    id = f"flight-{origin}-{destination}"
    return Fact("flight", id, key=id, about={"origin": origin, "destination": destination, "price_cny": price, "month": month})


def hotel(at: str, price: int, *, month: int = 5) -> Fact:
    return Fact("hotel", f"hotel-{at}", key=f"hotel-{at}", about={"place": at, "name": f"Inn {at}", "price_cny": price, "month": month})


BRIEF = {"ages": [40, 41], "month": 5, "days": 4}


def landed(*facts: Fact, **brief: Any) -> Trip:
    return shorter_trip(ledger(*brief_facts(**(BRIEF | brief)), *facts))


def way(trip: Trip) -> list[Any]:
    """Each day's places, in order."""
    return [[*(leg.destination for leg in day.legs), f"night {day.stay}"] for day in trip.days]


ABC = (place("a"), place("b"), place("c"))


def test_drives_become_days_from_bed_to_bed() -> None:
    trip = landed(*ABC, drive("a", "b", 200), drive("b", "c", 300), start="a", must_go=["c"])
    assert way(trip) == [["b", "night b"], ["c", "night c"]]
    assert trip.partial
    assert trip.reasons[1:] == ("It has 2 of the 4 days that you wanted.",)
    assert [day.drive_hours for day in trip.days] == [3.33, 5.0]


def test_it_begins_where_the_travellers_wanted_to() -> None:
    trip = landed(*ABC, drive("b", "c", 100), drive("a", "b", 100), start="b")
    assert way(trip) == [["c", "night c"]]


def test_it_says_so_where_it_begins_elsewhere() -> None:
    trip = landed(*ABC, drive("b", "c", 100), start="a")
    assert way(trip) == [["c", "night c"]]
    assert "It begins in B, since no drive from A was computed." in trip.reasons


def test_a_flight_from_the_start_is_a_way_to_begin() -> None:
    trip = landed(*ABC, drive("b", "c", 100), flight("a", "b"), start="a")
    assert [day.flight.id if day.flight else None for day in trip.days] == ["flight-a-b", None]
    assert way(trip) == [["night b"], ["c", "night c"]]


def test_what_has_to_be_in_counts_more_than_the_number_of_places() -> None:
    facts = [*map(place, "abcdefg"), drive("a", "b", 100), drive("b", "c", 100), drive("c", "d", 100), drive("a", "g", 300)]
    assert way(landed(*facts, start="a", must_go=["g"])) == [["g", "night g"]]


def test_what_has_to_be_in_and_is_not_is_said() -> None:
    trip = landed(*ABC, drive("a", "b", 100), start="a", must_go=["b", "c", "zanzibar"])
    assert "It does not come to C, zanzibar." in trip.reasons


@pytest.mark.parametrize(("ages", "days"), [([40], 2), ([70], 1), ([40, 3], 1)])
def test_no_day_is_longer_than_the_party_bears(ages: list[int], days: int) -> None:
    trip = landed(*ABC, drive("a", "b", 200), drive("b", "c", 300), start="a", ages=ages)
    assert len(trip.days) == days


def test_two_drives_make_one_day_where_nobody_can_sleep_between() -> None:
    facts = [place("a"), place("b", overnight=False), place("c"), drive("a", "b", 200), drive("b", "c", 100)]
    assert way(landed(*facts, start="a")) == [["b", "c", "night c"]]


@pytest.mark.parametrize(
    ("facts", "brief"),
    [
        ([place("a"), place("b", altitude=4000), drive("a", "b", 100)], {"highest_m": 3000}),
        ([place("a"), place("b", region="there"), drive("a", "b", 100)], {"regions": ["here"]}),
        ([place("a"), place("b"), drive("a", "b", 100, month=6)], {}),
        ([place("a"), drive("a", "b", 100)], {}),
        ([place("a"), place("b"), drive("a", "b", 361)], {}),
    ],
    ids=["too high", "another region", "another month", "never found", "too long"],
)
def test_what_does_not_fit_is_left_out(facts: list[Fact], brief: Mapping[str, Any]) -> None:
    assert way(landed(*facts, start="a", **brief)) == [["night a"]]


def test_a_night_at_the_start_is_in_every_region() -> None:
    facts = [place("a", region="there"), place("b"), drive("a", "b", 100), drive("b", "a", 100)]
    assert way(landed(*facts, start="a", regions=["here"])) == [["b", "night b"]]


def test_it_costs_no_more_than_the_budget() -> None:
    facts = [*ABC, drive("a", "b", 100), drive("b", "c", 100), hotel("b", 300), hotel("c", 300)]
    assert landed(*facts, start="a", budget_cny=600).cost_cny == 600
    assert way(landed(*facts, start="a", budget_cny=599)) == [["b", "night b"]]
    assert landed(*facts, start="a", budget_cny=299).days == ()


def test_a_bed_whose_price_nobody_knows_is_said() -> None:
    trip = landed(*ABC, drive("a", "b", 100), hotel("b", 300, month=6), start="a", budget_cny=600)
    assert "No hotel was looked up in B, so the budget is not checked there." in trip.reasons


@pytest.mark.parametrize("facts", [[], [drive("a", "b", 10)], [flight("a", "b")]], ids=["nothing", "a drive alone", "a flight alone"])
def test_without_a_place_there_is_an_honest_report(facts: list[Fact]) -> None:
    trip = landed(*facts, start="a", must_go=["b"])
    assert (trip.days, trip.partial) == ((), True)
    assert (
        trip.summary == "No trip could be put together: no place had been found yet. Nothing here is made up, so there is nothing to show."
    )


def test_without_a_place_that_fits_there_is_one_too() -> None:
    trip = landed(place("a", altitude=5000), highest_m=3000)
    assert trip.days == ()
    assert "none of the 1 places that were found fits" in trip.summary


def test_what_is_said_of_a_landing_is_true_of_every_limit() -> None:
    assert landed(*ABC, drive("a", "b", 100), start="a").reasons[0] == (
        "The run had to end before the plan was finished: this is what had been verified by then. Nobody has confirmed it."
    )


@pytest.mark.parametrize("facts", [[], [place("a", altitude=5000)]], ids=["nothing found", "nothing that fits"])
def test_without_days_nothing_is_said_to_be_verified(facts: list[Fact]) -> None:
    assert landed(*facts, highest_m=3000).reasons == ("The run had to end before there was a plan.",)


def test_it_has_the_form_of_every_other_trip() -> None:
    output = as_json(dict(land(ledger(*brief_facts(**BRIEF), *ABC, drive("a", "b", 100)))))
    assert msgspec.convert(output, Trip).partial


def test_a_ledger_of_nothing_lands_too() -> None:
    assert shorter_trip(Ledger()).days == ()


def test_the_search_ends_on_any_map() -> None:
    """A full net of twelve places has more ways than could ever be tried."""
    ids = "abcdefghijkl"
    net = [drive(origin, destination, 30) for origin in ids for destination in ids if origin != destination]
    trip = landed(*map(place, ids), *net, start="a", days=20)
    assert trip.days != ()


places = st.builds(
    place, st.sampled_from(IDS), altitude=st.integers(0, 5000), region=st.sampled_from(["here", "there"]), overnight=st.booleans()
)
drives = st.builds(drive, st.sampled_from(IDS), st.sampled_from(IDS), st.integers(0, 500), month=st.sampled_from([5, 5, 5, 6]))
flights = st.builds(flight, st.sampled_from(IDS), st.sampled_from(IDS), price=st.integers(0, 2000), month=st.sampled_from([5, 6]))
hotels = st.builds(hotel, st.sampled_from(IDS), st.integers(0, 900), month=st.sampled_from([5, 6]))
briefs = st.fixed_dictionaries(
    {},
    optional={
        "ages": st.lists(st.integers(0, 99), min_size=1, max_size=4),
        "month": st.just(5),
        "days": st.integers(1, 8),
        "highest_m": st.integers(0, 5000),
        "budget_cny": st.integers(0, 3000),
        "start": st.sampled_from(IDS),
        "must_go": st.lists(st.sampled_from(IDS), max_size=3),
        "regions": st.lists(st.sampled_from(["here", "there"]), max_size=1),
    },
)


@given(st.lists(places, max_size=12), st.lists(drives, max_size=25), st.lists(flights, max_size=4), st.lists(hotels, max_size=6), briefs)
def test_whatever_is_known_a_landing_is_verified_connected_and_bearable(
    found: list[Fact], driven: list[Fact], flown: list[Fact], slept: list[Fact], fields: dict[str, Any]
) -> None:
    facts = ledger(*brief_facts(**fields), *found, *driven, *flown, *slept)
    brief, known, trip = brief_in(facts), known_in(facts), shorter_trip(facts)
    assert trip.partial and trip.reasons
    assert len(trip.days) <= (brief.days or 60)
    assert trip.cost_cny is None or brief.budget_cny is None or trip.cost_cny <= brief.budget_cny
    here = None
    for number, day in enumerate(trip.days, 1):
        assert day.day == number
        assert sum(leg.minutes for leg in day.legs) <= brief.hours_a_day * 60
        if day.flight is not None:
            assert known.flights[day.flight.id].month == brief.month
            assert here in {None, day.flight.origin}
            here = day.flight.destination
        for leg in day.legs:
            computed = known.drives[leg.origin, leg.destination]
            assert (computed.minutes, computed.month) == (leg.minutes, brief.month)
            assert here in {None, leg.origin}
            here = leg.destination
            for end in (leg.origin, leg.destination):
                assert brief.allows_altitude(known.places[end].altitude_m)
        assert day.stay is not None and here in {None, day.stay}
        bed = known.places[day.stay]
        assert bed.overnight and brief.allows_altitude(bed.altitude_m) and brief.allows_night(bed.id, bed.region)
        here = day.stay
