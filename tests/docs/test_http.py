"""The page on HTTP names every route, every word for programs, and every path without a key."""

import re

from fastapi.routing import iter_route_contexts

from handrail.drivers.clock import SystemClock
from handrail.engines.embedded import EmbeddedEngine
from handrail.service import find_apps
from handrail.service.app import make_app, open_paths
from handrail.service.running import Running
from handrail.service.settings import Settings
from handrail.stores.database import make_engine
from handrail.testing import ScriptedModel
from tests.docs.markdown import DOCS, ROOT

PAGE = (DOCS / "reference" / "http.md").read_text(encoding="utf-8")
CODE = re.compile(r'Problem\(\s*\d{3},\s*"(\w+)"')


async def test_every_route_is_on_the_page() -> None:
    database = make_engine("sqlite://")
    apps = list(find_apps().values())
    engine = EmbeddedEngine(database, clock=SystemClock())
    running = Running(database, apps=[app.name for app in apps], settings=Settings(), engine=engine)
    service = make_app(apps, model=ScriptedModel(), settings=Settings(), running=running)
    walked = {f"`{method} {route.path}`" for route in iter_route_contexts(service.routes) for method in route.methods or ()}
    await database.dispose()
    assert {route for route in walked if route not in PAGE} == set()


def test_every_path_without_a_key_is_on_the_page_with_its_reason() -> None:
    for path, reason in open_paths(list(find_apps().values())).items():
        assert re.search(rf"\| `(GET|POST) {re.escape(path)}` \| {re.escape(reason)} \|", PAGE), path


def test_every_word_for_programs_is_on_the_page() -> None:
    files = sorted((ROOT / "src" / "handrail" / "service").rglob("*.py"))
    words = {word for file in files for word in CODE.findall(file.read_text(encoding="utf-8"))}
    assert {"not_found", "too_many", "unauthorized"} <= words
    assert {word for word in words if f"`{word}`" not in PAGE} == set()
