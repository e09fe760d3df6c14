"""The way in: what is served here, for whoever is signed in, and words for whoever is not."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import expect

from tests.web.browsing import PHONE, Tab
from tests.web.served import Served, serving


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("served"), "orders") as made:
        yield made


def test_the_way_in_lists_what_is_served_and_is_accessible(served: Served, open_tab: Callable[..., Tab]) -> None:
    tab = open_tab(served, "/")
    expect(tab.page.get_by_role("heading", name="orders")).to_be_visible()
    expect(tab.page.get_by_text("Signed in as ada")).to_be_visible()
    tab.assert_accessible()


def test_who_is_not_signed_in_is_told_what_to_do(served: Served, open_tab: Callable[..., Tab]) -> None:
    tab = open_tab(served, "/", **PHONE)
    tab.context.clear_cookies()
    tab.go("/")
    expect(tab.page.get_by_role("alert")).to_contain_text("login-link")
    tab.assert_accessible()
