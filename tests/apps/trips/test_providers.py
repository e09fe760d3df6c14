"""The embedded data set behind the port: answers, and refusals that say what would be accepted."""

import asyncio
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from handrail.apps.trips.data import atlas
from handrail.apps.trips.providers.embedded import MAX_RESULTS, embedded
from handrail.apps.trips.providers.note_index import MAX_WORDS
from handrail.apps.trips.providers.port import Flights, Hotels, Notes, NotKnown, Places, Providers, Roads, Unreachable

PROVIDERS = embedded()


def test_the_embedded_providers_are_what_the_port_asks_for() -> None:
    roads: Roads = PROVIDERS.roads
    places: Places = PROVIDERS.places
    notes: Notes = PROVIDERS.notes
    flights: Flights = PROVIDERS.flights
    hotels: Hotels = PROVIDERS.hotels
    assert Providers(roads=roads, places=places, notes=notes, flights=flights, hotels=hotels) == PROVIDERS


async def test_a_drive_has_minutes_kilometres_and_the_places_passed() -> None:
    drive = await PROVIDERS.roads.drive("danba", "litang", 7)
    assert drive.via == ("bamei", "tagong", "xinduqiao", "yajiang")
    assert drive.km == 360
    assert 480 <= drive.minutes <= 540


async def test_a_drive_back_takes_as_long() -> None:
    there, back = await PROVIDERS.roads.drive("haikou", "sanya", 3), await PROVIDERS.roads.drive("sanya", "haikou", 3)
    assert (there.minutes, there.km, there.via) == (back.minutes, back.km, back.via[::-1])


async def test_a_pass_closed_in_winter_makes_the_drive_longer() -> None:
    summer, winter = await PROVIDERS.roads.drive("utoro", "rausu", 7), await PROVIDERS.roads.drive("utoro", "rausu", 1)
    assert summer.via == ("shiretoko-pass",)
    assert winter.minutes > 2 * summer.minutes


async def test_a_place_cut_off_in_winter_says_in_which_months_it_is_not() -> None:
    with pytest.raises(Unreachable, match=r"closed in month 1\. There is a way in the months 4, 5, 6, 7, 8, 9, 10, 11"):
        await PROVIDERS.roads.drive("jiajin-pass", "chengdu", 1)


async def test_no_road_to_an_island_says_to_fly_and_from_where() -> None:
    with pytest.raises(Unreachable, match=r"No road joins 'danba' \(western-sichuan\) and 'sanya' \(hainan\): plan a flight") as refused:
        await PROVIDERS.roads.drive("danba", "sanya", 3)
    assert "'kangding-airport'" in str(refused.value)


@pytest.mark.parametrize(
    ("asked", "closest"), [("Danba", "danba"), ("danbaa", "danba"), ("丹巴", "danba"), ("hai_kou", "haikou"), ("Shangri La", "shangri-la")]
)
async def test_an_unknown_place_is_answered_with_the_closest_ids(asked: str, closest: str) -> None:
    with pytest.raises(NotKnown, match=f"There is no place with the id '{asked}'.*'{closest}'"):
        await PROVIDERS.places.get(asked)


async def test_a_place_like_no_other_is_answered_with_where_to_look() -> None:
    with pytest.raises(NotKnown, match="search the places first"):
        await PROVIDERS.places.get("qqqqqqqq")


async def test_a_very_long_name_is_not_said_back_whole() -> None:
    with pytest.raises(NotKnown) as refused:
        await PROVIDERS.places.get("x" * 100_000)
    assert len(str(refused.value)) < 300


@pytest.mark.parametrize("month", [0, 13, -1])
async def test_a_month_that_does_not_exist_is_refused_everywhere(month: int) -> None:
    with pytest.raises(NotKnown, match="from 1"):
        await PROVIDERS.roads.drive("danba", "litang", month)
    with pytest.raises(NotKnown, match="from 1"):
        await PROVIDERS.flights.between("chengdu", "sanya", month)
    with pytest.raises(NotKnown, match="from 1"):
        await PROVIDERS.hotels.at("danba", month)


async def test_both_ends_of_a_drive_must_be_known() -> None:
    with pytest.raises(NotKnown, match="'atlantis'"):
        await PROVIDERS.roads.drive("danba", "atlantis", 7)
    with pytest.raises(NotKnown, match="'atlantis'"):
        await PROVIDERS.roads.drive("atlantis", "danba", 7)


async def test_a_known_place_is_given_whole() -> None:
    place = await PROVIDERS.places.get("danba")
    assert (place.local_name, place.region, place.altitude_m) == ("丹巴", "western-sichuan", 1860)


async def test_places_are_searched_by_words_and_conditions_up_to_the_limit() -> None:
    found = await PROVIDERS.places.search("beach", region="hainan", overnight=True, limit=5)
    assert len(found) == 5
    assert {place.region for place in found} == {"hainan"}
    assert all("beach" in place.tags for place in found)


async def test_places_near_a_place_keep_below_the_height_that_travellers_bear() -> None:
    found = await PROVIDERS.places.search(near="kangding", within_km=120.0, max_altitude_m=2700, overnight=True)
    assert [place.id for place in found][:2] == ["kangding", "luding"]
    assert max(place.altitude_m for place in found) <= 2700


@pytest.mark.parametrize(("limit", "most"), [(0, 0), (-3, 0), (10_000, MAX_RESULTS)])
async def test_a_limit_is_kept_within_bounds(limit: int, most: int) -> None:
    assert len(await PROVIDERS.places.search(limit=limit)) == most
    assert len(await PROVIDERS.notes.search("", limit=limit)) == most


async def test_an_unknown_tag_or_region_is_answered_with_all_of_them() -> None:
    with pytest.raises(NotKnown, match=r"no tag 'beaches'\. Did you mean 'beach'\? Every tag: airport, beach, city"):
        await PROVIDERS.places.search(tags=["lake", "beaches"])
    with pytest.raises(NotKnown, match=r"no region 'Hainan Island'\. Did you mean 'hainan'\? Every region: western-sichuan"):
        await PROVIDERS.places.search(region="Hainan Island")
    with pytest.raises(NotKnown, match="no place with the id 'atlantis'"):
        await PROVIDERS.places.search(near="atlantis")


async def test_notes_are_found_by_words_in_other_forms() -> None:
    found = await PROVIDERS.notes.search("roads closing in winter Shiretoko")
    assert found[0].id == "road-03"
    assert await PROVIDERS.notes.search("monkey") == await PROVIDERS.notes.search("monkeys") != ()


async def test_notes_are_found_by_the_local_name_of_a_place() -> None:
    found = await PROVIDERS.notes.search("丹巴")
    assert found and all("danba" in note.places for note in found)


async def test_notes_about_one_place_are_about_no_other() -> None:
    about = await PROVIDERS.notes.search("", place_id="shangri-la", limit=50)
    assert {note.id for note in about} == {note.id for note in atlas().notes if "shangri-la" in note.places}
    narrowed = await PROVIDERS.notes.search("cranes", place_id="napa-lake")
    assert narrowed and all("napa-lake" in note.places for note in narrowed)


async def test_notes_about_an_unknown_place_are_refused() -> None:
    with pytest.raises(NotKnown, match="'atlantis'"):
        await PROVIDERS.notes.search("fuel", place_id="atlantis")


async def test_words_that_no_note_holds_find_nothing() -> None:
    assert await PROVIDERS.notes.search("zzyzx") == ()


@pytest.mark.parametrize(
    "text", ['" OR 1', "NEAR(fuel road)", "text: *", "fuel AND NOT", "'; DROP TABLE note; --", "fuel" * 5000, "\x00 fuel", "^"]
)
async def test_a_search_text_is_words_and_never_query_language(text: str) -> None:
    assert isinstance(await PROVIDERS.notes.search(text), tuple)


async def test_of_a_very_long_text_only_the_first_words_are_looked_for() -> None:
    nowhere = " ".join(f"zzyzx{number}" for number in range(MAX_WORDS - 1))
    assert await PROVIDERS.notes.search(f"{nowhere} ferry fuel") == await PROVIDERS.notes.search("ferry")
    assert await PROVIDERS.notes.search(f"{nowhere} zzyzx ferry" * 1000) == ()


async def test_notes_can_be_searched_from_any_thread() -> None:
    def search(word: str) -> tuple[str, ...]:
        return tuple(note.id for note in asyncio.run(PROVIDERS.notes.search(word)))

    words = ["fuel", "permit", "altitude", "ferry"] * 4
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(search, words))
    alone = [tuple(note.id for note in await PROVIDERS.notes.search(word)) for word in words]
    assert together == alone
    assert all(together)


def test_this_python_has_the_full_text_index() -> None:
    with closing(sqlite3.connect(":memory:")) as db:
        options = {row[0] for row in db.execute("PRAGMA compile_options")}
    assert "ENABLE_FTS5" in options


async def test_direct_flights_are_those_that_run_in_the_month() -> None:
    assert [flight.id for flight in await PROVIDERS.flights.between("chengdu", "sanya", 1)] == ["flight-chengdu-to-sanya"]


async def test_a_seasonal_flight_says_when_it_runs_and_where_to_change_meanwhile() -> None:
    with pytest.raises(Unreachable, match=r"do not run in month 7; they run in the months 1, 2, 3, 4, 10, 11, 12\. Change in 'chengdu'"):
        await PROVIDERS.flights.between("xining", "sanya", 7)


async def test_where_no_flight_is_direct_the_quickest_change_is_named_first() -> None:
    with pytest.raises(Unreachable, match=r"No flight goes straight from 'chengdu' to 'tenerife-south-airport'\. Change in 'madrid'"):
        await PROVIDERS.flights.between("chengdu", "tenerife-south-airport", 2)


async def test_places_without_an_airport_are_answered_with_the_nearest_ones() -> None:
    with pytest.raises(Unreachable) as refused:
        await PROVIDERS.flights.between("danba", "wenchang", 1)
    assert "'danba' has no airport; the nearest are 'kangding-airport'" in str(refused.value)
    assert "'wenchang' has no airport; the nearest are 'boao'" in str(refused.value)


async def test_where_one_change_is_not_enough_the_flights_that_leave_are_named() -> None:
    with pytest.raises(Unreachable, match=r"From 'yushu' flights go to 'chengdu', 'xining' in that month"):
        await PROVIDERS.flights.between("yushu", "tenerife-south-airport", 6)


async def test_an_airport_that_rests_in_winter_says_so() -> None:
    with pytest.raises(Unreachable, match="No flight leaves there in that month"):
        await PROVIDERS.flights.between("hongyuan-airport", "sanya", 1)


async def test_hotels_of_a_place_come_cheapest_first() -> None:
    found = await PROVIDERS.hotels.at("sanya", 1)
    assert [hotel.place for hotel in found] == ["sanya", "sanya"]
    assert found[0].price_cny(1) < found[1].price_cny(1)


async def test_hotels_can_be_asked_for_with_family_rooms_and_oxygen() -> None:
    assert all(hotel.oxygen for hotel in await PROVIDERS.hotels.at("litang", 10, oxygen=True))
    assert len(await PROVIDERS.hotels.at("tagong", 7)) == 1
    assert await PROVIDERS.hotels.at("tagong", 7, oxygen=True) == ()
    assert all(hotel.family_rooms for hotel in await PROVIDERS.hotels.at("danba", 10, family_rooms=True))


async def test_a_hotel_that_is_shut_in_winter_is_not_offered_then() -> None:
    assert await PROVIDERS.hotels.at("manigango", 1) == ()


async def test_a_place_to_see_by_day_has_no_hotel_and_an_unknown_one_is_refused() -> None:
    assert await PROVIDERS.hotels.at("zheduo-pass", 7) == ()
    with pytest.raises(NotKnown, match="'atlantis'"):
        await PROVIDERS.hotels.at("atlantis", 7)
