"""The site builds without a warning, its links lead somewhere, and its pages can be read by everybody and without a network.

It is built with the packages that `make docs` adds (`make test` runs that first).
"""

import functools
import http.server
import subprocess
import sys
import threading
from collections.abc import Iterator
from html.parser import HTMLParser
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Literal
from urllib.parse import unquote, urlsplit

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.docs.markdown import ROOT
from tests.web.browsing import ARGUMENTS, AXE, CHROMIUM, LONGEST

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("mkdocs") is None, reason="`make docs` adds what builds the site"),
]
THEMES_OWN = ["aria-dialog-name", "empty-table-header", "landmark-unique", "scrollable-region-focusable"]
"""What the theme does not name, the empty corners of tables, and wide tables, which keys scroll anyway: nobody is kept from reading."""
LIGHT = ("", "howto/mcp/", "reference/guards/grounded/", "explain/others/", "lifecycle/")
DARK = ("quickstart/", "reference/api/handrail/")
LOOK = """async passed_over => (await axe.run()).violations
    .filter(v => !passed_over.includes(v.id)).map(v => [v.id, v.help, v.nodes.map(n => n.html.slice(0, 200))])"""


class Page(HTMLParser):
    """What a page points to, and what on it can be pointed to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.links += [link for name in ("href", "src") if (link := given.get(name))]
        self.anchors |= {name for name in (given.get("id"), given.get("name")) if name}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The whole site, built strictly (with `--quiet` warnings would not be counted)."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def url(site: Path) -> Iterator[str]:
    """Where it is served."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(site))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One for all pages; while it is open, its own event loop runs in this thread."""
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield launched
        launched.close()


def _wrong(page: Path, link: str, pages: dict[Path, Page], site: Path) -> str | None:
    parts = urlsplit(link)
    if parts.scheme:
        return None if parts.scheme in {"https", "mailto", "data"} and (parts.netloc or parts.scheme != "https") else "no address"
    if parts.netloc:
        return "an address without https"
    # Only the page for what is not found points from the root: it is served anywhere.
    place = site / unquote(parts.path).lstrip("/") if parts.path.startswith("/") else page.parent / unquote(parts.path)
    target = (place if parts.path else page).resolve()
    target = target / "index.html" if target.is_dir() else target
    if not target.exists():
        return "no such page"
    if parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors | {"__tabbed", "__skip"}:
        return "no such place on that page"
    return None


def test_every_link_of_the_site_leads_somewhere(site: Path) -> None:
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    assert len(pages) > 50
    assert [
        f"{path.relative_to(site)}: {link}: {why}"
        for path in pages
        for link in pages[path].links
        if (why := _wrong(path, link, pages, site))
    ] == []


def test_every_public_name_is_in_the_reference(site: Path) -> None:
    pages = {path.parent.name: Page(path.read_text(encoding="utf-8")) for path in (site / "reference" / "api").rglob("index.html")}
    missing = []
    for name in ("handrail", "handrail.guards", "handrail.models", "handrail.ports", "handrail.service", "handrail.testing"):
        module = import_module(name)
        public = getattr(module, "__all__", [each for each, value in vars(module).items() if getattr(value, "__module__", "") == name])
        shown = {anchor.rpartition(".")[2] for anchor in pages[name.rpartition(".")[2]].anchors}
        missing += [f"{name}.{each}" for each in public if each not in shown]
    assert missing == []


@pytest.mark.parametrize(("path", "scheme"), [*((path, "light") for path in LIGHT), *((path, "dark") for path in DARK)])
def test_a_page_can_be_read_by_everybody_and_fetches_nothing_from_elsewhere(
    browser: Browser, url: str, path: str, scheme: Literal["light", "dark"]
) -> None:
    context = browser.new_context(color_scheme=scheme, viewport={"width": 390, "height": 800})
    wrong: list[str] = []
    page = context.new_page()
    page.set_default_timeout(LONGEST)
    page.on("request", lambda request: None if request.url.startswith((url, "data:", "blob:")) else wrong.append(request.url))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(url + path)
    page.wait_for_load_state("networkidle")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate(LOOK, THEMES_OWN)
    wide = page.evaluate("document.documentElement.scrollWidth > innerWidth")
    context.close()
    assert found == []
    assert wrong == []
    assert not wide
