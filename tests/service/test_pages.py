"""The pages: built files under a strict policy, and a word where they were not built."""

from pathlib import Path

import httpx2
import pytest
from fastapi import FastAPI

from handrail.service import pages, problems


@pytest.fixture
def static(tmp_path: Path) -> Path:
    (tmp_path / "assets").mkdir()
    for name in pages.PAGES.values():
        (tmp_path / f"{name}.html").write_text(f"<!doctype html><title>{name}</title>")
    (tmp_path / "assets" / "home-1.js").write_text("export {}")
    (tmp_path / "icon.svg").write_text("<svg/>")
    return tmp_path


def _client(static: Path) -> httpx2.AsyncClient:
    service = FastAPI(openapi_url=None)
    problems.install(service, {})
    service.include_router(pages.router(static))
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(service), base_url="http://service.test")


@pytest.mark.parametrize("path", pages.PAGES)
async def test_a_page_comes_under_a_policy_that_lets_nothing_in_from_elsewhere(static: Path, path: str) -> None:
    async with _client(static) as client:
        answer = await client.get(path)
    assert answer.status_code == 200 and answer.headers["content-type"].startswith("text/html")
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'self'") and "unsafe" not in policy and "frame-ancestors 'none'" in policy
    assert answer.headers["cache-control"] == "no-cache" and answer.headers["x-content-type-options"] == "nosniff"


async def test_an_asset_is_kept_for_ever_and_nothing_beside_the_assets_is_served(static: Path) -> None:
    (static / "secret.txt").write_text("hush")
    async with _client(static) as client:
        answer = await client.get("/assets/home-1.js")
        assert answer.status_code == 200 and "immutable" in answer.headers["cache-control"]
        assert "javascript" in answer.headers["content-type"]
        for path in ("/assets/home-2.js", "/assets/../secret.txt", "/assets/..%2Fsecret.txt", "/secret.txt", "/home.html"):
            assert (await client.get(path)).status_code == 404, path
        assert (await client.get("/icon.svg")).headers["content-type"] == "image/svg+xml"


async def test_pages_that_were_not_built_say_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "STATIC", tmp_path)
    async with _client(tmp_path) as client:
        answer = await client.get("/")
    assert answer.status_code == 404 and "make web" in answer.json()["detail"]
