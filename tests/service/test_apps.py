"""Apps are found by entry point, or by `module:name`; what is wrong is said with what there is."""

from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from handrail.errors import InputError
from handrail.service import App, apps, find_app, find_apps, later
from handrail.service.apps import named
from tests.service import kit


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Entry points of the test's own in place of those of this machine."""
    entries: dict[str, str] = {}

    def entry_points(*, group: str) -> list[EntryPoint]:
        assert group == "handrail.apps"
        return [EntryPoint(name=name, value=value, group=group) for name, value in entries.items()]

    monkeypatch.setattr(apps, "entry_points", entry_points)
    return entries


def test_orders_is_installed_and_says_what_it_needs() -> None:
    app = find_app("orders")
    assert (app.name, app.routes, app.seed) == ("orders", "handrail.apps.orders.routes", "handrail.apps.orders.data")
    assert list(app.open_routes) == ["/orders/chat"] and app.open_routes["/orders/chat"]


def test_apps_are_found_by_name_in_order(installed: dict[str, str]) -> None:
    installed.update(second="tests.service.kit:APP", first="tests.service.kit:APP")
    assert list(find_apps()) == ["first", "second"]
    assert find_app("second") is kit.APP


def test_an_unknown_name_is_told_what_is_installed(installed: dict[str, str]) -> None:
    with pytest.raises(InputError, match="no app 'gone'; installed are: none"):
        find_app("gone")
    installed.update(here="tests.service.kit:APP")
    with pytest.raises(InputError, match=r"installed are: here\. An app of your own can be given as module:name"):
        find_app("gone")


def test_an_app_that_is_broken_stops_nobody_who_asks_for_another(installed: dict[str, str]) -> None:
    installed.update(broken="tests.service.nowhere:APP", whole="tests.service.kit:APP")
    assert find_app("whole") is kit.APP
    with pytest.raises(InputError, match=r"'tests\.service\.nowhere:APP' needs the module 'tests\.service\.nowhere'"):
        find_app("broken")


def test_of_all_apps_the_broken_one_is_named_with_the_cause(
    installed: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "a_broken_bakery.py").write_text("raise RuntimeError('no flour')\n")
    installed.update(bakery="a_broken_bakery:app", whole="tests.service.kit:APP")
    with pytest.raises(InputError, match=r"^the installed app 'bakery' cannot be loaded: it raised RuntimeError: no flour$"):
        find_apps()
    with pytest.raises(RuntimeError):  # alone, for its traceback
        find_app("bakery")
    installed.update(bakery="tests.service.nowhere:APP")
    with pytest.raises(InputError, match=r"^the installed app 'bakery' cannot be loaded: 'tests\.service\.nowhere:APP' needs the module"):
        find_apps()


def test_an_app_of_ones_own_needs_no_entry_point() -> None:
    assert find_app("tests.service.kit:APP") is kit.APP


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("tests.service.kit:GONE", "has no 'GONE'"),
        ("tests.service.gone:APP", "is its name right, and is it installed"),
        ("tests.service.kit:greeter", "leads to a function; an app is a handrail.service.App"),
    ],
)
def test_a_place_that_leads_nowhere_is_told(place: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        find_app(place)


def test_a_missing_extra_is_told_apart_from_a_wrong_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def import_module(name: str) -> Any:
        raise ModuleNotFoundError("No module named 'sqlalchemy'", name="sqlalchemy")

    monkeypatch.setattr(apps, "import_module", import_module)
    with pytest.raises(InputError, match="needs the module 'sqlalchemy', which is not there: install handrail with the extra"):
        named("handrail.apps.orders.tables:Order")


def test_what_is_named_for_later_is_imported_when_it_is_called() -> None:
    make = later("tests.service.kit:greeter")
    assert make().name == "greeter"
    with pytest.raises(InputError, match="nowhere"):
        later("tests.nowhere:x")()


def test_an_app_with_an_agent_alone_is_an_app() -> None:
    app = App(name="small", summary="Small.", agent=kit.greeter)
    assert (app.deps, app.routes, app.seed, tuple(app.scenarios())) == (None, None, None, ())
