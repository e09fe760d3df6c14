"""The pages: files that were built from `web/`, served from our own origin under a strict content policy.

- A page holds nothing of anybody's, so it asks for no key; what it shows it asks for itself, and that does.
- Scripts, styles and pictures come from here alone: no inline script, no other origin, no frame around a page.
- The names of assets carry a digest of what is in them, so they are kept for ever; a page is asked for each time.
"""

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlencode

from fastapi import APIRouter, Response
from fastapi.responses import FileResponse

from handrail.service.problems import Problem

STATIC = Path(__file__).parent / "static"
PAGES: Mapping[str, str] = {"/": "home", "/delivery": "delivery", "/panel": "panel", "/trips": "trips", "/orders": "orders"}
POLICY = "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(self)",
}
WITHOUT = "This installation has no pages. A wheel and the image bring them; in a source tree `make web` builds them."
FOR_EVER = "public, max-age=31536000, immutable"
OPEN_PAGES: Mapping[str, str] = {
    **dict.fromkeys(PAGES, "a page that holds nothing of anybody's; what it shows it asks for with the reader's cookie"),
    "/assets/{name}": "the pages' scripts and styles",
    "/icon.svg": "the pages' icon",
}


def panel_at(base: str, session_id: str) -> str:
    """The address of a session in the developer panel."""
    return f"{base.rstrip('/')}/panel?{urlencode({'session': session_id})}"


def router(static: Path = STATIC) -> APIRouter:
    """The routes."""
    routes = APIRouter(include_in_schema=False)

    def page(path: str, name: str) -> None:
        @routes.get(path)
        async def one() -> Response:
            return _file(static / f"{name}.html", "no-cache")

    for path, name in PAGES.items():
        page(path, name)

    @routes.get("/assets/{name}")
    async def asset(name: str) -> Response:
        return _file(static / "assets" / Path(name).name, FOR_EVER)

    @routes.get("/icon.svg")
    async def icon() -> Response:
        return _file(static / "icon.svg", "public, max-age=86400")

    return routes


def _file(path: Path, kept: str) -> Response:
    if not path.is_file():
        built = (STATIC / "home.html").is_file()
        detail = "There is nothing here under that path." if built else WITHOUT
        raise Problem(404, "not_found", detail)
    return FileResponse(path, headers={**HEADERS, "Cache-Control": kept})
