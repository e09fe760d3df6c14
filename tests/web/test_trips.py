"""The trip page: from the first words to a plan with the travellers' yes, and what there is where it is cut short."""

from collections.abc import Callable, Iterator
from itertools import combinations

import pytest
from playwright.sync_api import Page, Route, expect

from tests.web.browsing import PHONE, Tab
from tests.web.served import Served, serving

SICHUAN = "Ten days in western Sichuan from Chengdu in October, ages 38, 35 and 6. Not above 4,000 m."
TENERIFE = "Three days on Tenerife in May."
BRIEF, PLAN = "What you want, for your yes", "The plan, for your yes"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("served"), "trips") as made:
        yield made


def say(page: Page, words: str) -> None:
    field = page.get_by_role("textbox")
    field.fill(words)
    field.press("Enter")


def assert_fits(page: Page) -> None:
    """Nothing is wider than the screen."""
    assert page.viewport_size is not None
    assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]


def assert_names_are_legible(page: Page) -> None:
    """No name on the map covers another one, and outlines have come."""
    expect(page.locator("path.land").first).to_be_attached()
    boxes = page.evaluate("[...document.querySelectorAll('text.name')].map(each => each.getBoundingClientRect().toJSON())")
    assert len(boxes) > 2
    for one, other in combinations(boxes, 2):
        apart = one["right"] <= other["left"] or other["right"] <= one["left"]
        assert apart or one["bottom"] <= other["top"] or other["bottom"] <= one["top"]


def up_to_the_draft(route: Route) -> None:
    """The events of a job that has ended, as if it had come no further than its last look-up."""
    if "last-event-id" in route.request.headers:
        route.fulfill(content_type="text/event-stream", body=": keep-alive\n\n")
        return
    whole = route.fetch().text()
    route.fulfill(content_type="text/event-stream", body=whole[: whole.rindex("id: ", 0, whole.index('"name":"submit_plan"'))])


def test_a_trip_comes_to_its_landing_with_a_yes_to_the_brief_and_one_to_the_plan(served: Served, open_tab: Callable[..., Tab]) -> None:
    tab = open_tab(served, "/trips", viewport={"width": 1280, "height": 900})
    page = tab.page
    tab.assert_accessible()
    say(page, SICHUAN)

    brief = page.get_by_role("region", name=BRIEF)
    expect(brief).to_contain_text("Ages of the party: 38, 35, 6")
    expect(brief).to_contain_text("Highest place to stop or sleep at, m: 4000")
    expect(page.get_by_role("timer")).to_contain_text("stands still while it waits for you")
    tab.assert_accessible()
    brief.get_by_role("button", name="Yes").click()

    plan = page.get_by_role("region", name=PLAN)
    expect(plan).to_contain_text("Day 10: Wolong → Chengdu 133 min")
    expect(page.get_by_role("img", name="Map of the trip")).to_be_visible()
    expect(page.get_by_text("Draft", exact=True)).to_be_visible()
    expect(page.get_by_label("What you want", exact=True)).to_contain_text("not above 4,000 m")
    tab.assert_accessible()
    plan.get_by_role("button", name="Yes").click()

    expect(page.get_by_text("Ready", exact=True)).to_be_visible()
    expect(page.get_by_role("log")).to_be_focused()
    expect(page.get_by_role("log")).to_contain_text("You said yes to the plan.")
    expect(page.get_by_role("region", name="Hours at the wheel").get_by_role("listitem")).to_have_count(10)
    expect(page.get_by_role("img", name="Altitude")).to_be_visible()
    expect(page.get_by_role("region", name="Day by day")).to_contain_text("Night in Tagong grassland at 3,730 m")
    expect(page.get_by_role("timer")).to_have_count(0)
    tab.assert_accessible()
    assert_fits(page)
    assert_names_are_legible(page)


def test_a_reload_keeps_conversation_and_plan_and_what_was_asked(served: Served, open_tab: Callable[..., Tab]) -> None:
    page = open_tab(served, "/trips").page
    say(page, TENERIFE)
    expect(page.get_by_role("log")).to_contain_text("How old is everybody who travels?")
    page.reload()
    expect(page.get_by_role("log")).to_contain_text("How old is everybody who travels?")
    expect(page.get_by_role("log").get_by_text("How old")).to_have_count(1)
    say(page, "ages 30 and 31")
    expect(page.get_by_role("region", name=BRIEF)).to_contain_text("Ages of the party: 30, 31")
    page.reload()
    page.get_by_role("region", name=BRIEF).get_by_role("button", name="Yes").click()
    page.get_by_role("region", name=PLAN).get_by_role("button", name="Yes").click()
    expect(page.get_by_text("Ready", exact=True)).to_be_visible()
    page.reload()
    expect(page.get_by_role("heading", name="3 days in Tenerife")).to_be_visible()
    expect(page.get_by_role("region", name="Hours at the wheel").get_by_role("listitem")).to_have_count(3)
    expect(page.get_by_role("log")).to_contain_text("ages 30 and 31")
    page.get_by_role("link", name="New trip").click()
    page.get_by_role("link", name=TENERIFE).first.click()
    expect(page.get_by_role("log")).to_contain_text("How old is everybody who travels?")


def test_while_it_plans_the_map_grows_and_the_time_runs(served: Served, open_tab: Callable[..., Tab]) -> None:
    tab = open_tab(served, "/trips", color_scheme="dark")
    page = tab.page
    say(page, f"{TENERIFE[:-1]}, ages 30 and 31.")
    page.get_by_role("region", name=BRIEF).get_by_role("button", name="Yes").click()
    page.get_by_role("region", name=PLAN).get_by_role("button", name="Yes").click()
    expect(page.get_by_text("Ready", exact=True)).to_be_visible()
    page.route("**/agent/jobs/*/events", up_to_the_draft)
    page.reload()
    expect(page.get_by_role("img", name="Map of what has been found")).to_be_visible()
    expect(page.get_by_role("figure")).to_contain_text("verified places so far")
    expect(page.get_by_role("log")).to_contain_text("Planning")
    expect(page.get_by_role("timer")).to_contain_text("of planning time left")
    expect(page.get_by_role("timer")).not_to_contain_text("stands still")
    expect(page.get_by_role("button", name="Give me what there is")).to_be_enabled()
    tab.assert_accessible()
    page.unroute_all(behavior="ignoreErrors")


def test_give_me_what_there_is_lands_the_draft_and_says_that_nobody_has_confirmed_it(served: Served, open_tab: Callable[..., Tab]) -> None:
    tab = open_tab(served, "/trips")
    page = tab.page
    say(page, f"{TENERIFE[:-1]}, ages 30 and 31.")
    page.get_by_role("region", name=BRIEF).get_by_role("button", name="Yes").click()
    expect(page.get_by_role("region", name=PLAN)).to_be_visible()
    page.get_by_role("button", name="Give me what there is").click()
    expect(page.get_by_text("Cut short", exact=True)).to_be_visible()
    note = page.get_by_role("region", name="Please note")
    expect(note).to_contain_text("You have not said yes to it.")
    expect(note).to_contain_text("you asked for what there was")
    expect(page.get_by_role("region", name=PLAN)).to_have_count(0)
    tab.assert_accessible()


def test_what_there_is_may_be_nothing_and_the_page_says_so(served: Served, open_tab: Callable[..., Tab]) -> None:
    tab = open_tab(served, "/trips")
    page = tab.page
    say(page, TENERIFE)
    expect(page.get_by_role("log")).to_contain_text("How old is everybody who travels?")
    page.get_by_role("button", name="Give me what there is").click()
    expect(page.get_by_role("article")).to_contain_text("No trip could be put together")
    tab.assert_accessible()


def test_a_no_and_other_words_change_the_plan(served: Served, open_tab: Callable[..., Tab]) -> None:
    page = open_tab(served, "/trips").page
    say(page, f"{TENERIFE[:-1]}, ages 30 and 31.")
    page.get_by_role("region", name=BRIEF).get_by_role("button", name="No").click()
    expect(page.get_by_role("log")).to_contain_text("You said no to what I have understood.")
    expect(page.get_by_role("log")).to_contain_text("What would you like me to change?")
    say(page, "Rather four days.")
    expect(page.get_by_role("region", name=BRIEF)).to_contain_text("Days: 4")


def test_words_instead_of_a_yes_are_a_no_with_that_reason(served: Served, open_tab: Callable[..., Tab]) -> None:
    page = open_tab(served, "/trips").page
    say(page, f"{TENERIFE[:-1]}, ages 30 and 31.")
    expect(page.get_by_role("region", name=BRIEF)).to_contain_text("Days: 3")
    say(page, "Rather five days.")
    expect(page.get_by_role("region", name=BRIEF)).to_contain_text("Days: 5")


def test_printed_it_is_the_plan_without_the_conversation(served: Served, open_tab: Callable[..., Tab]) -> None:
    tab = open_tab(served, "/trips", color_scheme="dark")
    page = tab.page
    say(page, f"{TENERIFE[:-1]}, ages 30 and 31.")
    page.get_by_role("region", name=BRIEF).get_by_role("button", name="Yes").click()
    page.get_by_role("region", name=PLAN).get_by_role("button", name="Yes").click()
    expect(page.get_by_text("Ready", exact=True)).to_be_visible()
    tab.assert_accessible()
    page.emulate_media(media="print", color_scheme="light")
    expect(page.get_by_role("log")).to_be_hidden()
    expect(page.get_by_role("textbox")).to_be_hidden()
    expect(page.get_by_role("button", name="Print")).to_be_hidden()
    expect(page.get_by_role("img", name="Map of the trip")).to_be_visible()
    assert page.pdf(format="A4").startswith(b"%PDF")


def test_on_a_phone_in_the_dark_the_plan_is_below_the_conversation(served: Served, open_tab: Callable[..., Tab]) -> None:
    tab = open_tab(served, "/trips", color_scheme="dark", **PHONE)
    page = tab.page
    tab.assert_accessible()
    page.get_by_role("button", name="Ten days in western Sichuan").click()
    page.get_by_role("region", name=BRIEF).get_by_role("button", name="Yes").click()
    expect(page.get_by_role("region", name=PLAN)).to_be_visible()
    tab.assert_accessible()
    assert_fits(page)
    assert_names_are_legible(page)
    talk, plan = page.get_by_role("log").bounding_box(), page.get_by_role("article").bounding_box()
    assert talk is not None
    assert plan is not None
    assert talk["y"] + talk["height"] < plan["y"]


def test_who_is_not_signed_in_is_told_what_to_do(served: Served, open_tab: Callable[..., Tab]) -> None:
    tab = open_tab(served, "/trips")
    tab.context.clear_cookies()
    tab.page.reload()
    expect(tab.page.get_by_role("alert")).to_contain_text("login-link")
    tab.assert_accessible()
