"""The storefront, with a real service and a real browser: dinner is ordered by typing, by clicking, and by both at once.

Night Noodle never closes, so that no test depends on the time of day.
"""

import gzip
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from handrail.service.pages import STATIC
from tests.web.browsing import PHONE, Tab
from tests.web.served import Served, serving

APP = "handrail.apps.delivery:app"
MOST_JAVASCRIPT = 90 * 1024
HUNGRY = "I would like something spicy and noodly"
TWO = "Add two dan dan noodles and a beef noodle soup"
OpenTab = Callable[..., Tab]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("served"), APP) as made:
        yield made


class Front:
    """The page, as people use it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.log = page.get_by_role("log")
        self.cart = page.get_by_role("dialog", name="Your cart")
        self.orders = page.get_by_role("dialog", name="Your orders")
        self.thanks = self.orders.get_by_role("status").filter(has_text="Thank you!")
        self.trail = page.get_by_role("dialog", name="Activity")
        self.approval = page.get_by_role("region", name="Approval of place_order")

    def say(self, text: str) -> None:
        box = self.page.get_by_label("What would you like?")
        box.fill(text)
        box.press("Enter")
        expect(self.log.get_by_text(f"You: {text}", exact=True)).to_be_visible()
        expect(box).to_have_value("")

    def said(self, text: str) -> Locator:
        found = self.log.get_by_text(text)
        expect(found).to_be_visible()
        return found

    def press(self, name: str | re.Pattern[str]) -> None:
        self.page.get_by_role("button", name=name, exact=True).click()

    def open_cart(self) -> None:
        self.press(re.compile("^Cart"))
        expect(self.cart).to_be_visible()

    def open_restaurant(self, name: str = "Night Noodle") -> None:
        self.press(name)
        expect(self.page.get_by_role("heading", name=name, level=2)).to_be_visible()

    def line(self, dish: str) -> Locator:
        return self.cart.get_by_role("listitem", name=dish)

    def fill_cart(self) -> None:
        self.say(TWO)
        self.said("Added. In your cart: 2 Dan Dan Noodles, 1 Beef Noodle Soup, 37.30 in all.")

    def ask_for_the_order(self) -> None:
        self.say("Order it")
        expect(self.approval).to_be_visible()


@pytest.fixture
def front(served: Served, open_tab: OpenTab, request: pytest.FixtureRequest) -> Front:
    """The page, with a session of the test's own."""
    return Front(open_tab(served, session(request)).page)


def session(request: pytest.FixtureRequest) -> str:
    return f"/delivery?session={request.node.name}"


def test_dinner_is_ordered_by_typing_and_the_page_is_accessible_in_every_state(
    served: Served, open_tab: OpenTab, request: pytest.FixtureRequest
) -> None:
    tab = open_tab(served, session(request))
    front = Front(tab.page)
    expect(tab.page.get_by_role("status").get_by_text("25 restaurants")).to_be_visible()
    tab.assert_accessible()
    front.say(HUNGRY)
    front.said("What shall I add?")
    expect(tab.page.get_by_role("heading", name="Night Noodle", level=2)).to_be_visible()
    tab.assert_accessible()
    front.fill_cart()
    front.ask_for_the_order()
    expect(front.approval.get_by_role("row", name="2 × Dan Dan Noodles 23.80")).to_be_visible()
    expect(front.approval.get_by_role("row", name="Total 37.30")).to_be_visible()
    expect(front.cart).to_be_visible()
    tab.assert_accessible()
    front.press("Yes, do it")
    expect(front.thanks).to_be_visible()
    front.said("Your order at Night Noodle is placed: 37.30 in all.")
    expect(front.approval).to_be_hidden()
    expect(front.orders.get_by_text("Placed", exact=True)).to_have_attribute("aria-current", "step")
    tab.assert_accessible()
    front.press("Activity")
    expect(front.trail.get_by_role("listitem").first).to_contain_text("Ordered at Night Noodle")
    tab.assert_accessible()


def test_an_order_that_is_refused_is_not_placed(front: Front) -> None:
    front.fill_cart()
    front.ask_for_the_order()
    front.press("No")
    expect(front.approval).to_be_hidden()
    expect(front.page.get_by_role("button", name="Stop")).to_be_hidden()
    expect(front.line("Dan Dan Noodles").get_by_role("status")).to_have_text("2")
    front.press("Orders")
    expect(front.orders).to_be_visible()
    expect(front.thanks).to_be_hidden()


def test_what_is_clicked_in_between_counts_for_the_agent_too(front: Front) -> None:
    front.say(HUNGRY)
    front.said("What shall I add?")
    front.page.get_by_role("button", name="One Chili Oil Noodles more").click()
    front.press("Add 2 × Chili Oil Noodles")
    front.open_cart()
    expect(front.line("Chili Oil Noodles").get_by_role("status")).to_have_text("2")
    front.say("Add a beef noodle soup")
    front.said("In your cart: 2 Chili Oil Noodles, 1 Beef Noodle Soup, 33.30 in all.")
    front.ask_for_the_order()
    front.press("One Chili Oil Noodles less in the cart")  # a yes to what is shown above is none to this cart
    expect(front.cart.get_by_text("Total 23.40")).to_be_visible()
    front.press("Yes, do it")
    expect(front.thanks).to_be_hidden()
    expect(front.approval.get_by_role("row", name="Total 23.40")).to_be_visible()
    front.press("Yes, do it")
    expect(front.thanks).to_contain_text("23.40")


def test_a_reload_in_the_middle_takes_the_order_up(front: Front) -> None:
    front.fill_cart()
    front.ask_for_the_order()
    front.page.reload()
    front.said(TWO)
    front.said("Added. In your cart")
    expect(front.cart.get_by_text("Total 37.30")).to_be_visible()
    front.press("Yes, do it")
    expect(front.thanks).to_be_visible()
    front.said("Your order at Night Noodle is placed")


def test_a_second_tab_sees_the_cart_and_decides(served: Served, open_tab: OpenTab, request: pytest.FixtureRequest) -> None:
    tab = open_tab(served, session(request))
    front = Front(tab.page)
    front.fill_cart()
    front.ask_for_the_order()
    other = Front(tab.another(session(request)))
    expect(other.approval.get_by_role("row", name="Total 37.30")).to_be_visible()
    other.press("Yes, do it")
    other.said("Your order at Night Noodle is placed")
    expect(front.approval).to_be_hidden()
    front.said("Your order at Night Noodle is placed")
    front.press("Orders")
    expect(front.orders.get_by_role("heading", name="Night Noodle").first).to_be_visible()


def test_a_second_tab_stops_what_the_first_one_began(served: Served, open_tab: OpenTab, request: pytest.FixtureRequest) -> None:
    tab = open_tab(served, session(request))
    front = Front(tab.page)
    front.fill_cart()
    front.ask_for_the_order()
    other = Front(tab.another(session(request)))
    expect(other.approval).to_be_visible()
    tab.page.close()
    other.press("Stop")
    expect(other.approval).to_be_hidden()
    expect(other.page.get_by_role("button", name="Stop")).to_be_hidden()


def test_lines_of_the_cart_are_changed_one_by_one(front: Front) -> None:
    front.open_restaurant()
    for _ in range(2):
        front.press("Add 1 × Dan Dan Noodles")
        expect(front.page.get_by_role("button", name="Add 1 × Dan Dan Noodles")).to_be_enabled()
    front.press("Add 1 × Beef Noodle Soup")
    front.open_cart()
    expect(front.line("Dan Dan Noodles").get_by_role("status")).to_have_text("2")
    front.press("One Beef Noodle Soup more in the cart")
    expect(front.cart.get_by_text("Total 50.80")).to_be_visible()
    front.press("Remove Dan Dan Noodles")
    expect(front.line("Dan Dan Noodles")).to_be_hidden()
    expect(front.line("Beef Noodle Soup").get_by_role("status")).to_have_text("2")
    front.press("Place order")
    expect(front.thanks).to_contain_text("27.00")
    front.open_cart()
    expect(front.cart.get_by_role("button", name="Place order")).to_be_disabled()


def test_reading_the_activity_does_not_delete_it(front: Front) -> None:
    front.open_restaurant()
    front.press(re.compile("All restaurants"))
    for _ in range(2):
        front.press("Activity")
        expect(front.trail.get_by_role("listitem")).to_have_count(2)
        front.trail.get_by_role("heading").press("Escape")
        expect(front.trail).to_be_hidden()
    front.say("What did I do?")
    front.said("You: page opened, page closed. Me: nothing yet.")


def test_a_page_that_is_not_open_is_not_closed_and_the_agent_says_so(front: Front) -> None:
    front.say("Close the page")
    front.said("No restaurant's page is open")


def test_what_the_interface_cannot_do_reaches_the_model_and_the_person(front: Front) -> None:
    def closed(route: Route) -> None:
        problem = {"status": 409, "code": "closed", "detail": "Night Noodle is closed now."}
        route.fulfill(status=409, content_type="application/problem+json", json=problem)

    front.page.route("**/delivery/cart/items", closed)
    front.say("Add two dan dan noodles from Night Noodle")
    front.said("Not done: Added 2 × ")
    front.said("That did not work: ")


def test_a_second_message_during_a_run_is_taken_in_order(front: Front) -> None:
    front.say(HUNGRY)
    front.say("What is in my cart?")
    # It goes into the run if that waits for the page just then, and makes a run of its own otherwise: it is answered last in both cases.
    front.said("Your cart is empty.")
    expect(front.log).to_contain_text(re.compile(f"{HUNGRY}.*What is in my cart.*Your cart is empty", re.DOTALL))


def test_words_and_filters_find_restaurants(front: Front) -> None:
    search = front.page.get_by_role("searchbox")
    search.fill("chili oil noodles")
    expect(front.page.get_by_role("heading", name="What fits")).to_be_visible()
    fits = front.page.get_by_role("list", name="Dishes that fit")
    expect(fits.filter(has_text="Chili Oil Noodles").first).to_be_visible()
    search.fill("")
    front.page.get_by_role("group", name="Cuisines").get_by_role("button", name="Thai").click()
    expect(front.page.get_by_role("status").get_by_text("1 restaurant", exact=True)).to_be_visible()


def test_dinner_is_ordered_by_the_keyboard_alone(front: Front) -> None:
    keyboard = front.page.keyboard

    def tab_to(name: str) -> None:
        wanted = front.page.get_by_role("button", name=name, exact=True)
        expect(wanted).to_be_enabled()
        for _ in range(120):
            if wanted.evaluate("element => element === document.activeElement"):
                return
            keyboard.press("Tab")
        raise AssertionError(f"{name} cannot be reached")

    expect(front.page.get_by_role("button", name="Night Noodle")).to_be_visible()
    tab_to("Night Noodle")
    keyboard.press("Enter")
    expect(front.page.get_by_role("heading", name="Night Noodle", level=2)).to_be_focused()
    tab_to("Add 1 × Dan Dan Noodles")
    keyboard.press("Enter")
    expect(front.page.get_by_role("button", name=re.compile("^Cart.*1 item"))).to_be_visible()
    front.page.get_by_role("button", name=re.compile("^Cart")).focus()
    keyboard.press("Enter")
    expect(front.cart.get_by_role("heading")).to_be_focused()
    keyboard.press("Escape")
    expect(front.page.get_by_role("button", name=re.compile("^Cart"))).to_be_focused()
    keyboard.press("Enter")
    tab_to("Place order")
    keyboard.press("Enter")
    expect(front.orders.get_by_role("heading", name="Your orders")).to_be_focused()
    expect(front.thanks).to_be_visible()


@pytest.mark.parametrize("look", [{"color_scheme": "dark"}, PHONE, {**PHONE, "color_scheme": "dark"}], ids=["dark", "phone", "dark-phone"])
def test_it_is_as_good_in_the_dark_and_on_a_phone(
    served: Served, open_tab: OpenTab, request: pytest.FixtureRequest, look: dict[str, object]
) -> None:
    tab = open_tab(served, f"/delivery?session={request.node.callspec.id}", **look)
    front = Front(tab.page)
    expect(tab.page.get_by_role("button", name="Night Noodle")).to_be_visible()
    tab.assert_accessible()
    front.say(TWO)
    front.said("Added. In your cart")
    front.open_restaurant()
    tab.assert_accessible()
    front.ask_for_the_order()
    tab.assert_accessible()
    front.press("Yes, do it")
    expect(front.thanks).to_be_visible()
    tab.assert_accessible()
    assert tab.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_whoever_is_not_signed_in_is_told_what_to_do(served: Served, open_tab: OpenTab) -> None:
    tab = open_tab(served, "/")
    tab.context.clear_cookies()
    tab.go("/delivery")
    expect(tab.page.get_by_role("alert").first).to_contain_text("login-link")
    tab.assert_accessible()


def test_the_page_loads_little_javascript() -> None:
    html = (STATIC / "delivery.html").read_text(encoding="utf-8")
    names = set(re.findall(r"/assets/([\w.-]+\.js)", html))
    assert names
    assert sum(len(gzip.compress(_asset(name).read_bytes(), 9)) for name in _with_imports(names)) <= MOST_JAVASCRIPT


def _with_imports(names: set[str]) -> set[str]:
    """The scripts, and whatever they import at once."""
    imported = {
        found for name in names for found in re.findall(r"""(?:from|import)\s*["']\./([\w.-]+\.js)["']""", _asset(name).read_text())
    }
    return names if imported <= names else _with_imports(names | imported)


def _asset(name: str) -> Path:
    return STATIC / "assets" / name
