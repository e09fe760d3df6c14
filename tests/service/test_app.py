"""The wiring: every route is on a list, deps are open while the service runs, and health says what is missing."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import msgspec
import pytest

from handrail.core.events import Event, RunFinished, RunStarted
from handrail.core.state import RunState
from handrail.errors import InputError
from handrail.service import App, find_app
from handrail.service.app import OPEN_ROUTES, make_app, routes
from handrail.service.settings import Settings
from handrail.testing import ScriptedModel, says
from tests.service import kit
from tests.service.kit import APP, asking

OPEN = {"/healthz", "/openapi.json", "/readyz"}


def test_the_routes_that_ask_for_no_key_are_these() -> None:
    orders = find_app("orders")
    walked = routes(make_app([orders], model=ScriptedModel()))
    assert sorted(walked) == ["/healthz", "/openapi.json", "/orders/chat", "/readyz"]
    assert set(walked) <= {*OPEN_ROUTES, *orders.open_routes}


def test_the_routes_of_included_routers_are_walked_too() -> None:
    assert set(routes(make_app([APP], model=ScriptedModel()))) == {*OPEN, "/greeter/break", "/greeter/greet"}


def test_a_route_that_is_on_no_list_is_not_served_where_there_are_no_keys() -> None:
    app = msgspec.structs.replace(APP, open_routes={"/greeter/greet": "a test"})
    with pytest.raises(InputError, match=r"not in `open_routes` .*: /greeter/break$"):
        make_app([app], model=ScriptedModel())


def test_every_open_route_has_its_reason() -> None:
    assert all(reason.strip() for reason in {**OPEN_ROUTES, **find_app("orders").open_routes}.values())


def test_two_apps_of_one_name_are_refused() -> None:
    with pytest.raises(InputError, match="two of the apps have one name"):
        make_app([APP, APP], model=ScriptedModel())


async def test_deps_are_open_for_as_long_as_the_service_runs() -> None:
    kit.opened.clear()
    async with asking(make_app([APP], model=ScriptedModel())) as client:
        assert kit.opened == ["open"]
        assert (await client.get("/healthz")).json() == {"status": "ok"}
        assert (await client.get("/readyz")).json() == {"status": "ready"}
    assert kit.opened == ["open", "closed"]


async def test_the_watcher_sees_every_event_of_every_run() -> None:
    seen: list[Event] = []

    def watch(event: Event, state: RunState) -> None:
        seen.append(event)

    async with asking(make_app([APP], model=ScriptedModel(says("Hello.")), on_event=watch)) as client:
        await client.post("/greeter/greet", json={"words": "hi"})
    assert isinstance(seen[0], RunStarted) and isinstance(seen[-1], RunFinished)


async def test_another_model_can_be_named_for_all_agents() -> None:
    model = ScriptedModel(says("Hello."), says("Hello."))
    for name in (None, "another-model"):
        async with asking(make_app([APP], model=model, model_name=name)) as client:
            await client.post("/greeter/greet", json={"words": "hi"})
    assert [request.model for request in model.requests] == ["some-model", "another-model"]


async def test_what_an_app_misses_is_said() -> None:
    async def missing(deps: Any) -> str | None:
        return f"{deps} is not filled; run `handrail seed greeter`" if deps else None

    app = msgspec.structs.replace(APP, ready=missing)
    async with asking(make_app([app], model=ScriptedModel())) as client:
        answer = await client.get("/readyz")
        assert (await client.get("/healthz")).status_code == 200
    assert answer.status_code == 503
    assert answer.json()["errors"] == [{"at": "greeter", "rule": "ready", "detail": "the deps is not filled; run `handrail seed greeter`"}]


async def test_deps_are_closed_in_the_opposite_order_also_where_one_cannot_be_opened() -> None:
    done: list[str] = []

    @asynccontextmanager
    async def first() -> AsyncIterator[None]:
        done.append("open")
        try:
            yield
        finally:
            done.append("closed")

    def second() -> AbstractAsyncContextManager[None]:
        raise OSError("no such database")

    apps = [App(name=name, summary="", agent=kit.greeter, deps=deps) for name, deps in (("first", first), ("second", second))]
    with pytest.raises(OSError, match="no such database"):
        async with asking(make_app(apps, model=ScriptedModel())):
            pass
    assert done == ["open", "closed"]


async def test_the_limits_of_bodies_are_settings() -> None:
    async with asking(make_app([APP], model=ScriptedModel(), settings=Settings(most_body_bytes=10, most_body_depth=2))) as client:
        assert (await client.post("/greeter/greet", content=b"x" * 11)).status_code == 413
        assert (await client.post("/greeter/greet", content=b"[[[")).status_code == 400
