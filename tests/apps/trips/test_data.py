"""The embedded data set: every id exists, every number is possible, every region joins up."""

import json
import re
import subprocess
import sys
from importlib.resources import files

import msgspec
import pytest

from handrail.apps.trips.data import atlas
from handrail.apps.trips.geography import Flight, Hotel, Note, Place, Road, great_circle_km, other_end

ATLAS = atlas()
PLACES = tuple(ATLAS.places.values())
DATA = files("handrail.apps.trips.data")
BY_ROAD = ("western-sichuan", "northern-yunnan", "gansu-qinghai", "chengdu-basin", "hainan", "tenerife", "gran-canaria", "hokkaido")
BOXES = {
    "western-sichuan": (27.0, 34.5, 98.0, 105.0),
    "northern-yunnan": (24.5, 29.0, 98.0, 103.0),
    "gansu-qinghai": (32.5, 41.0, 94.0, 106.0),
    "chengdu-basin": (28.0, 33.0, 102.5, 106.5),
    "hainan": (18.1, 20.2, 108.5, 111.1),
    "tenerife": (27.9, 28.7, -17.0, -16.1),
    "gran-canaria": (27.7, 28.2, -15.9, -15.3),
    "hokkaido": (41.3, 45.6, 139.7, 145.9),
    "gateways": (22.0, 41.0, -4.0, 140.0),
}
TAGS = {
    "airport",
    "beach",
    "city",
    "family",
    "food",
    "geology",
    "glacier",
    "grassland",
    "hiking",
    "history",
    "hot-spring",
    "lake",
    "monastery",
    "museum",
    "pass",
    "snow",
    "town",
    "viewpoint",
    "village",
    "wildlife",
}
SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def reached(start: str, month: int, *, within: set[str]) -> set[str]:
    seen, queue = {start}, [start]
    while queue:
        here = queue.pop()
        for road in ATLAS.road_map.get(here, ()):
            there = other_end(road, here)
            if month not in road.closed_months and there in within and there not in seen:
                seen.add(there)
                queue.append(there)
    return seen


def ids_of(region: str) -> set[str]:
    return {place.id for place in PLACES if place.region == region}


@pytest.mark.parametrize(("name", "kind"), [("places", Place), ("roads", Road), ("flights", Flight), ("hotels", Hotel), ("notes", Note)])
def test_each_row_holds_exactly_the_fields_that_its_type_names(name: str, kind: type[msgspec.Struct]) -> None:
    lines = DATA.joinpath(f"{name}.jsonl").read_text("utf-8").splitlines()
    assert lines
    for line in lines:
        assert json.loads(line) == json.loads(msgspec.json.encode(msgspec.json.decode(line, type=kind))), line


def test_the_data_set_is_large_enough_to_plan_with() -> None:
    assert len(PLACES) >= 200
    assert len(ATLAS.roads) >= 300
    assert len(ATLAS.notes) >= 150
    assert len(ATLAS.flights) >= 100
    assert len(ATLAS.hotels) >= 200


def test_the_readme_counts_the_rows_as_they_are() -> None:
    counted = (
        f"{len(PLACES)} places, {len(ATLAS.roads)} stretches of road, {len(ATLAS.flights)} flights, "
        f"{len(ATLAS.hotels)} hotels and {len(ATLAS.notes)} travel notes"
    )
    assert counted in DATA.joinpath("README.md").read_text("utf-8")


@pytest.mark.parametrize("name", ["places", "flights", "hotels", "notes"])
def test_no_id_is_given_twice_and_each_is_a_slug(name: str) -> None:
    ids = [json.loads(line)["id"] for line in DATA.joinpath(f"{name}.jsonl").read_text("utf-8").splitlines()]
    assert len(set(ids)) == len(ids)
    assert [each for each in ids if not SLUG.fullmatch(each)] == []


def test_no_two_places_have_one_name() -> None:
    names = [place.name for place in PLACES]
    assert len(set(names)) == len(names)


def test_every_place_lies_in_its_region_and_at_a_possible_height() -> None:
    for place in PLACES:
        south, north, west, east = BOXES[place.region]
        assert south <= place.latitude <= north, place.id
        assert west <= place.longitude <= east, place.id
        assert 0 < place.altitude_m <= 5000, place.id


def test_islands_are_low_and_the_plateau_is_high() -> None:
    assert max(place.altitude_m for place in PLACES if place.region == "hainan") < 1000
    assert sum(place.altitude_m >= 3000 for place in PLACES if place.region == "western-sichuan") >= 30


def test_every_place_has_known_tags_and_two_sentences_of_advice() -> None:
    for place in PLACES:
        assert place.tags, place.id
        assert set(place.tags) <= TAGS, place.id
        assert len(set(place.tags)) == len(place.tags), place.id
        assert place.season.endswith("."), place.id
        assert place.know.endswith("."), place.id


def test_every_tag_is_on_some_place() -> None:
    assert {tag for place in PLACES for tag in place.tags} == TAGS


def test_every_road_joins_two_known_places_once() -> None:
    pairs = [frozenset((road.a, road.b)) for road in ATLAS.roads]
    assert len(set(pairs)) == len(pairs)
    for road in ATLAS.roads:
        assert road.a != road.b
        assert {road.a, road.b} <= set(ATLAS.places), road


def test_no_road_is_shorter_than_the_crow_flies() -> None:
    for road in ATLAS.roads:
        straight = great_circle_km(ATLAS.places[road.a], ATLAS.places[road.b])
        assert 0.98 * straight <= road.km <= 5.5 * straight + 5, (road, straight)


def test_every_road_is_driven_at_a_possible_speed() -> None:
    for road in ATLAS.roads:
        assert 10 <= road.km / (road.minutes / 60) <= 110, road


def test_every_list_of_months_is_in_order_and_valid() -> None:
    lists = [road.closed_months for road in ATLAS.roads] + [flight.months for flight in ATLAS.flights]
    lists += [hotel.open_months for hotel in ATLAS.hotels] + [hotel.high_months for hotel in ATLAS.hotels]
    for months in lists:
        assert list(months) == sorted(set(months))
        assert set(months) <= set(range(1, 13))


def test_no_road_is_closed_all_year() -> None:
    assert all(len(road.closed_months) < 12 for road in ATLAS.roads)


@pytest.mark.parametrize("region", BY_ROAD)
def test_the_roads_of_a_region_join_all_its_places_in_some_month(region: str) -> None:
    ids = ids_of(region)
    assert any(reached(min(ids), month, within=ids) == ids for month in range(1, 13))


@pytest.mark.parametrize("region", BY_ROAD)
def test_no_place_to_sleep_is_cut_off_in_winter(region: str) -> None:
    beds = {place.id for place in PLACES if place.region == region and place.overnight}
    assert beds <= reached(min(beds), 1, within=set(ATLAS.places))


def test_the_plateau_and_the_basin_are_one_by_road_and_each_island_is_alone() -> None:
    mainland = set().union(*(ids_of(region) for region in BY_ROAD[:4]))
    assert reached("chengdu", 7, within=set(ATLAS.places)) == mainland
    for region in BY_ROAD[4:]:
        ids = ids_of(region)
        assert reached(min(ids), 7, within=set(ATLAS.places)) == ids


def test_gateways_are_reached_by_air_only() -> None:
    assert ids_of("gateways").isdisjoint(ATLAS.road_map)


def test_every_flight_joins_two_airports_at_a_possible_speed_and_there_is_one_back() -> None:
    pairs = {(flight.origin, flight.destination): flight for flight in ATLAS.flights}
    assert len(pairs) == len(ATLAS.flights)
    for (origin, destination), flight in pairs.items():
        start, end = ATLAS.places[origin], ATLAS.places[destination]
        assert "airport" in start.tags and "airport" in end.tags, flight.id
        assert 150 <= great_circle_km(start, end) / (flight.minutes / 60) <= 950, flight.id
        assert pairs[destination, origin].months == flight.months, flight.id
        assert flight.months and flight.price_cny > 0 and flight.weekly > 0, flight.id


def test_every_airport_has_a_flight() -> None:
    flown = {flight.origin for flight in ATLAS.flights}
    assert {place.id for place in PLACES if "airport" in place.tags} == flown


def test_every_region_can_be_flown_to_from_chengdu_with_at_most_two_changes() -> None:
    flown = {"chengdu"}
    for _ in range(3):
        flown |= {flight.destination for flight in ATLAS.flights if flight.origin in flown and 1 in flight.months}
    assert {ATLAS.places[each].region for each in flown} == set(BOXES)


def test_every_place_to_sleep_has_a_hotel_and_no_other_place_has() -> None:
    assert {hotel.place for hotel in ATLAS.hotels} == {place.id for place in PLACES if place.overnight}


def test_hotels_have_possible_stars_prices_and_seasons() -> None:
    for hotel in ATLAS.hotels:
        assert 1 <= hotel.stars <= 5, hotel.id
        assert 50 <= hotel.low_cny <= hotel.high_cny <= 5000, hotel.id
        assert hotel.open_months, hotel.id
        assert set(hotel.high_months) <= set(hotel.open_months), hotel.id


def test_a_hotel_costs_more_in_its_high_months() -> None:
    hotel = next(hotel for hotel in ATLAS.hotels if hotel.place == "sanya")
    assert (hotel.price_cny(1), hotel.price_cny(6)) == (hotel.high_cny, hotel.low_cny)
    assert hotel.high_cny > hotel.low_cny


def test_oxygen_is_offered_where_the_air_is_thin_and_nowhere_else() -> None:
    with_oxygen = {hotel.place for hotel in ATLAS.hotels if hotel.oxygen}
    assert all(ATLAS.places[place].altitude_m >= 2500 for place in with_oxygen)
    assert {"litang", "daocheng", "shangri-la", "xinduqiao"} <= with_oxygen


def test_every_note_is_about_known_places_and_says_something() -> None:
    for note in ATLAS.notes:
        assert note.places and set(note.places) <= set(ATLAS.places), note.id
        assert note.id.startswith(f"{note.topic}-"), note.id
        assert 40 <= len(note.text) <= 400 and note.text.endswith("."), note.id


def test_the_topics_that_travellers_ask_about_are_there() -> None:
    topics = {note.topic for note in ATLAS.notes}
    assert {"altitude", "permit", "fuel", "road", "season", "festival", "family", "ferry", "licence"} <= topics


@pytest.mark.slow
def test_the_files_are_read_when_first_asked_for_and_then_once() -> None:
    program = """
import sys
opened = []
sys.addaudithook(lambda event, args: opened.append(str(args[0])) if event == "open" and str(args[0]).endswith(".jsonl") else None)
from handrail.apps.trips.data import atlas
from handrail.apps.trips.providers.embedded import embedded
before = len(opened)
embedded(), embedded(), atlas()
print(before, len(opened))
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["0", "5"]
