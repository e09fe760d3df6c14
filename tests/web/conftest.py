"""One browser for the tests of a module; a page of its own, signed in, for each."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.web.browsing import ARGUMENTS, CHROMIUM, Tab, tab
from tests.web.served import Served


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whatever needs a browser or Node is slow, and the tests of one module share a service: they run in one process."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """While it is open, its own event loop runs in this thread: so no longer than the tests of one module."""
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield launched
        launched.close()


@pytest.fixture
def open_tab(browser: Browser) -> Iterator[Callable[..., Tab]]:
    """Opens a tab of a browser that is signed in; what went wrong on a page fails the test at its end."""
    opened: list[Tab] = []

    def open_one(served: Served, path: str = "/", **more: Any) -> Tab:
        made = tab(browser, served, path, **more)
        opened.append(made)
        return made

    yield open_one
    for each in opened:
        each.close()
