"""A tab of a real browser: signed in, watched for errors, and looked over by axe."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect

from tests.web.served import USER, Served

ROOT = Path(__file__).resolve().parents[2]
AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
LONGEST = 60_000
"""Milliseconds after which what does not come fails its test; nothing is judged by how fast it is."""

expect.set_options(timeout=LONGEST)
PHONE: Mapping[str, Any] = {"viewport": {"width": 390, "height": 800}, "has_touch": True}


class Tab:
    """A page, and what has gone wrong on it."""

    def __init__(self, context: BrowserContext, served: Served) -> None:
        self.context = context
        self.served = served
        self.wrong: list[str] = []
        self.page = self._watched(context.new_page())

    def another(self, path: str) -> Page:
        """A second tab of the same browser."""
        page = self._watched(self.context.new_page())
        page.goto(f"{self.served.url}{path}")
        return page

    def go(self, path: str) -> Page:
        self.page.goto(f"{self.served.url}{path}")
        return self.page

    def assert_accessible(self, page: Page | None = None) -> None:
        """Axe finds nothing on the page as it is now."""
        page = page or self.page
        # The page's own policy lets no script of ours in, so it is run as the browser's own.
        page.evaluate(AXE.read_text(encoding="utf-8"))
        found = page.evaluate("async () => (await axe.run()).violations.map(v => [v.id, v.help, v.nodes.map(n => n.html)])")
        assert found == [], found

    def close(self) -> None:
        """Close it, and fail where anything went wrong on it."""
        self.context.close()
        assert self.wrong == [], self.wrong

    def _watched(self, page: Page) -> Page:
        page.set_default_timeout(LONGEST)
        page.on("pageerror", lambda error: self.wrong.append(f"{page.url}: {error}"))
        page.on("console", lambda message: self._console(page, message))
        page.on("request", lambda request: self._asked(request.url))
        return page

    def _console(self, page: Page, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"} and "status of 4" not in message.text:
            self.wrong.append(f"{page.url}: {message.text}")

    def _asked(self, url: str) -> None:
        if not url.startswith((self.served.url, "blob:", "data:")):
            self.wrong.append(f"a request to {url}")


def tab(browser: Browser, served: Served, path: str = "/", *, user: str = USER, **more: Any) -> Tab:
    """A new browser that has signed in, with that page open."""
    context = browser.new_context(reduced_motion="reduce", **more)
    made = Tab(context, served)
    link = served.link or served.another_link(user) if user == USER else served.another_link(user)
    served.link = ""  # it works once
    made.page.goto(link)
    made.go(path)
    return made
