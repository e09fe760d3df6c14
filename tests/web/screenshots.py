"""`python -m tests.web.screenshots`: a picture of every page, from a real service, into docs/pictures/.

The model is the rule-based stand-in, so the pictures can be made again by anyone, and show what is there.
"""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from playwright.sync_api import Page, expect, sync_playwright

from handrail.service import find_app
from tests.web.browsing import ARGUMENTS, CHROMIUM, PHONE, ROOT, Tab, tab
from tests.web.served import serving

PICTURES = ROOT / "docs" / "pictures"
WIDE = {"viewport": {"width": 1280, "height": 800}}
APPS = ("delivery", "foodfight", "orders", "trips")


def _said(page: Page, text: str) -> None:
    box = page.get_by_role("textbox").last
    box.fill(text)
    box.press("Enter")


def _delivery(page: Page) -> None:
    expect(page.get_by_role("heading").first).to_be_visible()
    _said(page, find_app("delivery").example)
    page.wait_for_timeout(6_000)


def _asked(app: str) -> Callable[[Page], None]:
    def act(page: Page) -> None:
        _said(page, find_app(app).example)
        page.wait_for_timeout(8_000)

    return act


def _looked(page: Page) -> None:
    expect(page.get_by_role("heading").first).to_be_visible()


SHOTS: tuple[tuple[str, str, Mapping[str, Any], Callable[[Page], None]], ...] = (
    ("home", "/", WIDE, _looked),
    ("storefront", "/delivery", WIDE, _delivery),
    ("storefront-phone", "/delivery", {**PHONE, "color_scheme": "dark"}, _looked),
    ("panel", "/panel?app=foodfight", WIDE, _asked("foodfight")),
    ("trips", "/trips", WIDE, _asked("trips")),
    ("orders", "/orders", WIDE, _asked("orders")),
)


def main(names: list[str]) -> None:
    """Make the pictures of those names, or all of them."""
    PICTURES.mkdir(exist_ok=True)
    writing = {"HANDRAIL_FOODFIGHT_WRITES": "1"}
    with TemporaryDirectory() as folder, serving(Path(folder), *APPS, **writing) as served, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        for name, path, screen, act in SHOTS:
            if names and name not in names:
                continue
            opened: Tab = tab(browser, served, path, **screen)
            act(opened.page)
            opened.page.screenshot(path=PICTURES / f"{name}.png")
            opened.close()
            print(PICTURES / f"{name}.png")
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
