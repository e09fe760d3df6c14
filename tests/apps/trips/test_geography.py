"""Distances, ways and place search: pure functions over the embedded data set and over maps made for one test."""

from itertools import pairwise, product

import pytest

from handrail.apps.trips.data import atlas
from handrail.apps.trips.geography import Road, distance_km, find_places, great_circle_km, plain, road_map, shortest_drive

ATLAS = atlas()
PLACES = ATLAS.places


def road(a: str, b: str, minutes: int, *, km: int = 10, closed: tuple[int, ...] = ()) -> Road:
    return Road(a=a, b=b, km=km, minutes=minutes, surface="asphalt", closed_months=closed)


def ids(**conditions: object) -> list[str]:
    return [place.id for place in find_places(PLACES.values(), **conditions)]  # type: ignore[arg-type]  # a test's shorthand


def test_a_degree_of_latitude_is_a_hundred_and_eleven_kilometres() -> None:
    assert distance_km(30.0, 100.0, 31.0, 100.0) == pytest.approx(111.19, abs=0.01)


def test_a_distance_is_right_across_the_date_line_and_to_the_other_side_of_the_earth() -> None:
    assert distance_km(0.0, 179.5, 0.0, -179.5) == pytest.approx(111.19, abs=0.01)
    assert distance_km(0.0, 0.0, 0.0, 180.0) == pytest.approx(20015.1, abs=0.1)


def test_a_distance_is_the_same_both_ways_and_nothing_to_itself() -> None:
    chengdu, sanya = PLACES["chengdu"], PLACES["sanya"]
    assert great_circle_km(chengdu, sanya) == pytest.approx(great_circle_km(sanya, chengdu))
    assert great_circle_km(chengdu, chengdu) == 0
    assert great_circle_km(chengdu, sanya) == pytest.approx(1485, abs=15)


def test_the_fastest_way_wins_over_the_shortest_and_over_the_fewest_stretches() -> None:
    roads = road_map([road("a", "d", 100, km=5), road("a", "b", 20, km=30), road("b", "c", 20, km=30), road("c", "d", 20, km=30)])
    drive = shortest_drive(roads, "a", "d", 6)
    assert drive is not None
    assert (drive.minutes, drive.km, drive.via) == (60, 90, ("b", "c"))


def test_a_road_closed_in_the_month_is_gone_round() -> None:
    roads = road_map([road("a", "b", 10, closed=(1, 2)), road("a", "c", 30), road("c", "b", 30)])
    summer, winter = shortest_drive(roads, "a", "b", 7), shortest_drive(roads, "a", "b", 1)
    assert summer is not None and winter is not None
    assert (summer.minutes, summer.via) == (10, ())
    assert (winter.minutes, winter.via) == (60, ("c",))


def test_where_no_road_leads_there_is_no_drive() -> None:
    roads = road_map([road("a", "b", 10), road("c", "d", 10)])
    assert shortest_drive(roads, "a", "d", 6) is None
    assert shortest_drive(roads, "a", "nowhere", 6) is None


def test_a_drive_to_where_one_is_takes_no_time() -> None:
    drive = shortest_drive(ATLAS.road_map, "danba", "danba", 6)
    assert drive is not None
    assert (drive.minutes, drive.km, drive.via) == (0, 0, ())


def test_every_way_on_tenerife_is_as_fast_as_the_one_found_by_trying_all() -> None:
    on_island = sorted(place.id for place in PLACES.values() if place.region == "tenerife")
    best = {(a, b): 0 if a == b else 10**9 for a, b in product(on_island, repeat=2)}
    for each in ATLAS.roads:
        if each.a in on_island:
            best[each.a, each.b] = best[each.b, each.a] = each.minutes
    for middle, a, b in product(on_island, repeat=3):
        best[a, b] = min(best[a, b], best[a, middle] + best[middle, b])
    for (a, b), minutes in best.items():
        drive = shortest_drive(ATLAS.road_map, a, b, 5)
        assert drive is not None and drive.minutes == minutes, (a, b)


def test_the_places_passed_add_up_to_the_drive() -> None:
    drive = shortest_drive(ATLAS.road_map, "chengdu", "yading", 10)
    assert drive is not None
    stops = ("chengdu", *drive.via, "yading")
    by_pair = {frozenset((each.a, each.b)): each for each in ATLAS.roads}
    stretches = [by_pair[frozenset(pair)] for pair in pairwise(stops)]
    assert sum(stretch.minutes for stretch in stretches) == drive.minutes
    assert sum(stretch.km for stretch in stretches) == drive.km


@pytest.mark.parametrize("text", ["Danba", "danba", "丹巴", "  DANBA "])
def test_a_place_is_found_first_by_any_of_its_names(text: str) -> None:
    assert ids(text=text)[0] == "danba"


def test_a_name_given_whole_comes_before_names_that_hold_it() -> None:
    assert ids(text="Yading")[0] == "yading"
    assert "daocheng-airport" in ids(text="Yading")


def test_text_is_compared_in_small_letters_without_accents() -> None:
    assert plain("Güímar ÉL 丹巴") == "guimar el 丹巴"


def test_accents_and_plurals_do_not_hide_a_place() -> None:
    assert ids(text="El Medano")[0] == "el-medano"
    assert "hailuogou" in ids(text="glaciers")
    assert "noboribetsu" in ids(text="hot springs")


def test_words_that_are_nowhere_find_nothing() -> None:
    assert ids(text="zzyzx") == []
    assert ids(text="?!") == []
    assert ids(text="the of") == []


def test_no_words_find_every_place() -> None:
    assert len(ids()) == len(PLACES)
    assert len(ids(text="  ")) == len(PLACES)


def test_every_condition_narrows_the_search() -> None:
    found = find_places(PLACES.values(), tags=("lake", "family"), region="western-sichuan", max_altitude_m=3200, overnight=True)
    assert [place.id for place in found] == ["jiuzhaigou", "xichang"]


def test_overnight_false_finds_only_what_is_seen_by_day() -> None:
    found = find_places(PLACES.values(), region="hainan", overnight=False)
    assert found and not any(place.overnight for place in found)


def test_near_a_place_the_nearest_comes_first() -> None:
    found = ids(near=PLACES["danba"], within_km=50.0)
    assert found[:3] == ["danba", "jiaju", "zhonglu"]
    assert all(great_circle_km(PLACES["danba"], PLACES[each]) <= 50 for each in found)


def test_the_same_search_has_the_same_order() -> None:
    assert ids(text="lake monastery") == ids(text="lake monastery")
    backwards = [place.id for place in find_places(reversed(PLACES.values()), text="lake monastery")]
    assert backwards == ids(text="lake monastery")
