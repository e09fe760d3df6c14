"""The wiring: apps, a model and what watches, made into one HTTP service.

- Every route is on a list of routes that ask for no key, each with its reason; a route that is on none is not served.
- An app's deps are open while the service runs, and closed in the opposite order.
- Nothing is decided here about a run, and no status of an error (`service/problems.py`).
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from fastapi import FastAPI
from fastapi.routing import iter_route_contexts

from handrail.drivers.watching import OnEvent
from handrail.errors import InputError
from handrail.ports import Model
from handrail.service import problems
from handrail.service.apps import App, named
from handrail.service.bodies import BodyLimits
from handrail.service.problems import Problem
from handrail.service.serving import Serving
from handrail.service.settings import Settings, read_settings

OPEN_ROUTES: Mapping[str, str] = {
    "/healthz": "says only that the process answers",
    "/readyz": "says only whether the apps can work",
}


def make_app(
    apps: Sequence[App],
    *,
    model: Model,
    model_name: str | None = None,
    on_event: OnEvent | None = None,
    settings: Settings | None = None,
) -> FastAPI:
    """The service.

    Args:
        apps: what is served.
        model: shared by all runs.
        model_name: the provider's name of the model, instead of what the agents say.
        on_event: sees every event of every run.
        settings: from the environment, where they are not given.

    Raises:
        InputError: two apps have one name, or a route is on no list.
    """
    limits = settings or read_settings()
    served = [Serving(app, model=model, model_name=model_name, on_event=on_event) for app in apps]
    names = [app.name for app in apps]
    if len(set(names)) < len(names):
        raise InputError(f"two of the apps have one name: {names!r}")
    service = FastAPI(title="handrail", lifespan=_lifespan(served), openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False)
    service.add_middleware(BodyLimits, most_bytes=limits.most_body_bytes, most_depth=limits.most_body_depth)
    problems.install(service)
    _add_health(service, served)
    for serving in served:
        if serving.app.routes is not None:
            service.include_router(named(f"{serving.app.routes}:router")(serving))
    check_routes(service, apps)
    return service


def routes(service: FastAPI) -> list[str]:
    """The path of every route, those of included routers too."""
    return [str(route.path) for route in iter_route_contexts(service.routes)]


def check_routes(service: FastAPI, apps: Sequence[App]) -> None:
    """Let no route in that nobody has thought about.

    Raises:
        InputError: a route is on no list.
    """
    known = set(OPEN_ROUTES).union(*(app.open_routes for app in apps))
    unknown = sorted(set(routes(service)) - known)
    if unknown:
        raise InputError(f"these routes ask for no key, and are not in `open_routes` of their app with a reason: {', '.join(unknown)}")


def _lifespan(served: Sequence[Serving]) -> Any:
    @asynccontextmanager
    async def lifespan(service: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            for serving in served:
                deps = None if serving.app.deps is None else await stack.enter_async_context(serving.app.deps())
                serving.opened(deps)
                stack.callback(serving.closed)
            yield

    return lifespan


def _add_health(service: FastAPI, served: Sequence[Serving]) -> None:
    @service.get("/healthz")
    async def healthz() -> dict[str, str]:
        return {"status": "ok"}

    @service.get("/readyz")
    async def readyz() -> dict[str, str]:
        missing = [(serving.app.name, await serving.missing()) for serving in served]
        errors = [{"at": name, "rule": "ready", "detail": what} for name, what in missing if what is not None]
        if errors:
            raise Problem(503, "not_ready", "Not every app can work; `errors` says which, and what to do.", errors=errors)
        return {"status": "ready"}
