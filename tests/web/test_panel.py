"""The developer panel, in a real browser: talk, watch, decide, stop, ask again, and land."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import httpx2
import pytest
from playwright.sync_api import Locator, Page, expect

from handrail.core.events import INPUTS, JUDGEMENTS
from tests.cli.processes import finished
from tests.web.browsing import LONGEST, PHONE, ROOT, Tab
from tests.web.served import USER, Served, serving

ORDERS = "Which orders of amber@example.com have been shipped?"
FIGHT = "Start a fight at Pepper Palace, outcome 1, 2x301 to 5 Main Street, paid with pi_123"
GIVEN = {
    "restaurant_id": 3,
    "maker_outcome": 1,
    "restaurant_items": [{"menu_item_id": 301, "quantity": 2}],
    "takeout_type": 2,
    "maker_address": "5 Main Street",
    "maker_payment_intent": "pi_123",
}
TRIP = "Ten days in western Sichuan from Chengdu in October, ages 38 and 35. We want to see Litang and Danba."


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("panel"), "orders", "foodfight", "trips", HANDRAIL_FOODFIGHT_WRITES="1") as made:
        yield made


@pytest.fixture(scope="module")
def forgetful(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A service whose conversations are full soon."""
    with serving(tmp_path_factory.mktemp("forgetful"), "orders", HANDRAIL_HISTORY_LIMIT="1000") as made:
        yield made


def test_every_kind_of_event_has_words() -> None:
    words = (ROOT / "web" / "src" / "panel" / "words.ts").read_text(encoding="utf-8")
    assert [kind.__name__ for kind in (*INPUTS, *JUDGEMENTS) if f"  {kind.__name__}: " not in words] == []


def say(page: Page, words: str) -> None:
    box = page.get_by_role("main").locator("form textarea")
    box.fill(words)
    box.press("Enter")


def log(page: Page) -> Locator:
    return page.get_by_role("log")


def timeline(page: Page) -> Locator:
    return page.get_by_role("region", name="Inspector")


def cards(page: Page) -> Locator:
    return page.get_by_role("region", name="Approval of")


def test_talk_with_an_agent_and_see_why_it_did_what_it_did(served: Served, open_tab: Callable[..., Tab]) -> None:
    tab = open_tab(served, "/panel?app=orders")
    page = tab.page
    expect(page.get_by_text("ada · ready")).to_be_visible()
    tab.assert_accessible()
    say(page, f"{ORDERS} at most 500")
    expect(log(page)).to_contain_text("amber@example.com has 1 such order")
    expect(timeline(page)).to_contain_text("Refused by arguments")
    expect(timeline(page)).to_contain_text("limit must be at most 50, not 500")
    expect(timeline(page).get_by_role("heading", name="Turn 3")).to_be_attached()
    expect(timeline(page)).to_contain_text("The ring allows it")
    expect(page.get_by_role("region", name="Sessions").get_by_text(ORDERS)).to_be_visible()
    timeline(page).get_by_text("The ring allows it").click()
    expect(timeline(page).get_by_label("Event 6")).to_contain_text('"event": "CallCleared"')
    tab.assert_accessible()


def test_a_reload_shows_the_same(served: Served, open_tab: Callable[..., Tab]) -> None:
    tab = open_tab(served, "/panel?app=orders")
    page = tab.page
    say(page, ORDERS)
    expect(timeline(page)).to_contain_text("Completed")
    page.reload()
    expect(log(page)).to_contain_text("amber@example.com has 1 such order")
    expect(timeline(page)).to_contain_text("Completed")
    expect(log(page).get_by_text(ORDERS)).to_have_count(1)
    page.get_by_role("button", name="Ask again").click()
    expect(log(page).get_by_text(ORDERS)).to_have_count(2)
    expect(timeline(page).get_by_role("combobox", name="Run")).to_be_visible()
    expect(log(page).get_by_text("amber@example.com has 1 such order")).to_have_count(2)
    page.get_by_role("button", name="New session").click()
    expect(log(page).get_by_text(ORDERS)).to_have_count(0)
    tab.assert_accessible()


def test_an_approval_is_answered_once_in_whichever_tab_after_a_reload_too(served: Served, open_tab: Callable[..., Tab]) -> None:
    tab = open_tab(served, "/panel?app=foodfight")
    page = tab.page
    say(page, FIGHT)
    expect(cards(page)).to_have_count(1)
    page.reload()
    expect(cards(page)).to_have_count(1)
    expect(timeline(page)).to_contain_text("Approval(create_promo_fight) holds it")
    expect(cards(page).get_by_role("button", name="Yes, do it")).to_be_visible()
    page.get_by_text("Exact arguments").click()
    expect(cards(page)).to_contain_text('"maker_payment_intent": "pi_123"')
    tab.assert_accessible()
    other = tab.another(page.url.removeprefix(served.url))
    expect(cards(other).get_by_role("button", name="Yes, do it")).to_be_visible()
    cards(other).get_by_role("button", name="Yes, do it").click()
    for each in (other, page):
        expect(cards(each)).to_contain_text("Approved by ada")
        expect(cards(each).get_by_role("button", name="Yes, do it")).to_have_count(0)
        expect(log(each)).to_contain_text("is started")
        expect(timeline(each)).to_contain_text("said yes")
    tab.assert_accessible()


def test_the_link_of_a_call_over_mcp_leads_to_its_approval(served: Served, open_tab: Callable[..., Tab]) -> None:
    made = finished("keys", "create", "--user", USER, "--quiet", folder=served.folder, **served.variables)
    headers = {"X-API-Key": made.stdout.strip(), "Accept": "application/json, text/event-stream"}
    with httpx2.Client(headers=headers, trust_env=False, timeout=LONGEST / 1_000) as client:

        def called(name: str, given: Mapping[str, Any]) -> str:
            asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": given}}
            return client.post(f"{served.url}/mcp/foodfight", json=asked).text

        assert "Pepper Palace" in called("get_promo_fights", {"restaurant_id": 3})
        given = GIVEN | {"maker_payment_intent": "pi_456"}  # a payment intent pays for one fight
        told = called("create_promo_fight", given)
        link = re.search(rf"{re.escape(served.url)}(/panel\?session=\w+)", told)
        assert link is not None, told
        tab = open_tab(served, link[1])
        page = tab.page
        expect(cards(page)).to_contain_text("5 Main Street")
        expect(page.get_by_role("region", name="Conversation").get_by_text("waits for you", exact=True)).to_be_visible()
        tab.assert_accessible()
        cards(page).get_by_role("button", name="Yes, do it").click()
        expect(cards(page)).to_contain_text("Approved by ada")
        assert '"isError":false' in called("create_promo_fight", given)
    page.reload()
    expect(timeline(page)).to_contain_text("said yes")
    expect(cards(page)).to_have_count(1)
    tab.assert_accessible()


def test_a_no_is_told_to_the_agent_and_nothing_is_done(served: Served, open_tab: Callable[..., Tab]) -> None:
    tab = open_tab(served, "/panel?app=foodfight")
    page = tab.page
    say(page, FIGHT)
    cards(page).get_by_label("A word with it").fill("<b>too dear</b>")
    cards(page).get_by_role("button", name="No", exact=True).click()
    expect(cards(page)).to_contain_text("Refused by ada")
    expect(log(page)).to_contain_text("That was not done")
    expect(timeline(page)).to_contain_text("<b>too dear</b>")
    expect(timeline(page).locator("b")).to_have_count(0)
    tab.assert_accessible()


def test_a_run_that_waits_can_be_cancelled_and_asked_again(served: Served, open_tab: Callable[..., Tab]) -> None:
    tab = open_tab(served, "/panel?app=foodfight", color_scheme="dark")
    page = tab.page
    say(page, FIGHT)
    expect(cards(page)).to_have_count(1)
    tab.assert_accessible()
    page.get_by_role("button", name="Cancel").click()
    expect(cards(page)).to_contain_text("not needed any more")
    expect(log(page)).to_contain_text("Cancelled")
    tab.assert_accessible()
    page.get_by_role("button", name="Ask again").click()
    expect(cards(page)).to_have_count(2)
    expect(cards(page).get_by_role("button", name="Yes, do it")).to_have_count(1)
    page.get_by_role("button", name="Cancel").click()
    expect(cards(page).get_by_role("button", name="Yes, do it")).to_have_count(0)


def test_a_question_is_answered_and_what_there_is_is_given(served: Served, open_tab: Callable[..., Tab]) -> None:
    tab = open_tab(served, "/panel?app=trips")
    page = tab.page
    say(page, TRIP.replace(", ages 38 and 35", ""))
    expect(log(page)).to_contain_text("How old is everybody who travels?")
    expect(page.get_by_placeholder("Answer the question")).to_be_visible()
    tab.assert_accessible()
    say(page, "ages 38 and 35")
    expect(cards(page)).to_contain_text("This is how I understood you")
    cards(page).get_by_role("button", name="Yes, do it").click()
    expect(page.get_by_role("region", name="Approval of submit_plan")).to_be_visible()
    page.get_by_role("button", name="Give me what there is").click()
    expect(log(page)).to_contain_text("Landed: partial")
    expect(timeline(page)).to_contain_text("Somebody wants what there is")
    expect(timeline(page)).to_contain_text("Landing: what is verified is the result")
    tab.assert_accessible()


def test_the_order_is_drawn_and_the_ring_is_walked(served: Served, open_tab: Callable[..., Tab]) -> None:
    tab = open_tab(served, "/panel?app=trips")
    page = tab.page
    page.get_by_role("button", name="Agent", exact=True).click()
    expect(page.get_by_role("img", name="The tools and what comes before what")).to_be_visible()
    page.get_by_text("The same in words").click()
    expect(page.get_by_text("record_brief comes before search_places.")).to_be_visible()
    page.get_by_role("button", name="Check the ring").click()
    expect(page.get_by_text("the ring holds")).to_be_visible()
    tab.assert_accessible()


def test_jobs_are_seen_at_a_glance_and_lead_to_their_session(served: Served, open_tab: Callable[..., Tab]) -> None:
    tab = open_tab(served, "/panel?app=orders&session=glance")
    page = tab.page
    say(page, ORDERS)
    expect(log(page)).to_contain_text("has 1 such order")
    page.get_by_role("button", name="New session").click()
    expect(log(page)).not_to_contain_text("has 1 such order")
    page.get_by_role("button", name="Jobs", exact=True).click()
    expect(page.get_by_text("Jobs are run in this process (embedded).")).to_be_visible()
    tab.assert_accessible()
    timeline(page).get_by_role("button", name=ORDERS).first.click()
    expect(log(page)).to_contain_text("has 1 such order")


def test_a_conversation_that_is_nearly_full_is_warned_of(forgetful: Served, open_tab: Callable[..., Tab]) -> None:
    tab = open_tab(forgetful, "/panel?app=orders")
    page = tab.page
    for times in range(1, 5):
        say(page, ORDERS)
        expect(log(page).get_by_text("amber@example.com has 1 such order")).to_have_count(times)
    expect(page.get_by_text("of its context")).to_be_visible()
    tab.assert_accessible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone_one_part_is_shown_at_a_time(served: Served, open_tab: Callable[..., Tab], scheme: str) -> None:
    tab = open_tab(served, "/panel?app=orders", **PHONE, color_scheme=scheme)
    page = tab.page
    say(page, ORDERS)
    expect(log(page)).to_contain_text("has 1 such order")
    tab.assert_accessible()
    parts = page.get_by_role("navigation", name="Parts of the panel")
    for part, shown in (("Timeline", "Completed"), ("Agent", "Does the ring hold?"), ("Jobs", "Newest first"), ("Sessions", "New session")):
        parts.get_by_role("button", name=part).click()
        expect(page.get_by_text(shown, exact=True).first).to_be_visible()
        expect(log(page)).to_be_hidden()
        tab.assert_accessible()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), part


def test_who_is_not_signed_in_is_told_what_to_do(served: Served, open_tab: Callable[..., Tab]) -> None:
    tab = open_tab(served, "/panel")
    tab.context.clear_cookies()
    tab.go("/panel")
    expect(tab.page.get_by_role("alert")).to_contain_text("login-link")
    tab.assert_accessible()
