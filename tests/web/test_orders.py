"""The orders console: a question, its answer, and the rows that it came from."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.web.browsing import PHONE, Tab
from tests.web.served import Served, serving

FIELD = "What do you want to know about a customer's orders?"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("served"), "orders") as made:
        yield made


def ask(page: Page, question: str) -> None:
    page.get_by_label(FIELD).fill(question)
    page.get_by_label(FIELD).press("Enter")


def test_an_answer_comes_with_the_rows_that_it_came_from(served: Served, open_tab: Callable[..., Tab]) -> None:
    tab = open_tab(served, "/orders")
    page = tab.page
    expect(page.get_by_label(FIELD)).to_be_focused()
    tab.assert_accessible()
    ask(page, "The last 3 orders of amber@example.com")
    expect(page.get_by_role("article")).to_contain_text("amber@example.com has 3 such orders, newest first")
    table = page.get_by_role("table", name="3 orders of amber@example.com, newest first")
    expect(table.get_by_role("columnheader")).to_have_text(["Order", "Status", "Total", "Placed"])
    expect(table.get_by_role("row")).to_have_count(4)
    expect(table).to_contain_text("1282")
    expect(page.get_by_label(FIELD)).to_be_focused()
    tab.assert_accessible()


def test_a_reload_keeps_questions_and_rows(served: Served, open_tab: Callable[..., Tab]) -> None:
    page = open_tab(served, "/orders").page
    ask(page, "The last 2 orders of amber@example.com")
    expect(page.get_by_role("table")).to_be_visible()
    ask(page, "The last 2 shipped orders of amber@example.com")
    expect(page.get_by_role("article")).to_have_count(2)
    expect(page.get_by_role("table")).to_have_count(2)
    page.reload()
    expect(page.get_by_role("table")).to_have_count(2)
    expect(page.get_by_role("article").first).to_contain_text("shipped")


def test_nonsense_is_answered_kindly_and_nothing_at_all_is_not_asked(served: Served, open_tab: Callable[..., Tab]) -> None:
    tab = open_tab(served, "/orders")
    page = tab.page
    expect(page.get_by_role("button", name="Ask")).to_be_disabled()
    ask(page, "<b>fnord</b> ]]>")
    expect(page.get_by_role("article")).to_contain_text("Whose orders? Please give me the customer's e-mail address.")
    expect(page.get_by_role("heading", name="<b>fnord</b> ]]>")).to_be_visible()
    expect(page.get_by_role("table")).to_have_count(0)
    ask(page, "The orders of nobody@example.com")
    expect(page.get_by_role("article").first).to_contain_text("No orders of nobody@example.com found.")
    tab.assert_accessible()


def test_a_look_up_that_was_put_right_shows_rows_and_no_error(served: Served, open_tab: Callable[..., Tab]) -> None:
    page = open_tab(served, "/orders").page
    ask(page, "The last 60 shipped orders of amber@example.com")
    expect(page.get_by_role("table")).to_contain_text("shipped")
    expect(page.get_by_role("article")).not_to_contain_text("at most 50")


def test_the_keyboard_is_enough(served: Served, open_tab: Callable[..., Tab]) -> None:
    page = open_tab(served, "/orders").page
    question = "The last 2 orders of amber@example.com"
    ask(page, question)
    expect(page.get_by_role("table")).to_be_visible()
    page.get_by_role("region").focus()
    page.keyboard.press("/")
    expect(page.get_by_label(FIELD)).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(page.get_by_label(FIELD)).to_have_value(question)


def test_on_a_phone_in_the_dark_it_is_as_good(served: Served, open_tab: Callable[..., Tab]) -> None:
    tab = open_tab(served, "/orders", color_scheme="dark", **PHONE)
    page = tab.page
    page.get_by_role("button", name="The last 5 orders of amber@example.com").click()
    expect(page.get_by_role("table")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["viewport"]["width"]
    tab.assert_accessible()


def test_who_is_not_signed_in_is_told_what_to_do(served: Served, open_tab: Callable[..., Tab]) -> None:
    tab = open_tab(served, "/orders")
    tab.context.clear_cookies()
    ask(tab.page, "The last 5 orders of amber@example.com")
    expect(tab.page.get_by_role("alert")).to_contain_text("login-link")
    expect(tab.page.get_by_label(FIELD)).to_have_value("The last 5 orders of amber@example.com")
    tab.assert_accessible()
