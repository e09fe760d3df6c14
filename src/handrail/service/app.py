"""The wiring: apps, a model, what watches, and what takes jobs on, made into one HTTP service.

- Every route asks for a key, unless it is on a list of routes that do not, each with its reason. Where nothing takes jobs on there are no
  keys: a route that is on no list is then not served.
- An app's deps are open while the service runs, and closed in the opposite order; jobs run within.
- Nothing is decided here about a run, and no status of an error (`service/problems.py`).
"""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import cache
from importlib.util import find_spec
from typing import Any

from fastapi import FastAPI
from fastapi.responses import JSONResponse
from fastapi.routing import iter_route_contexts

from handrail.core.events import Event
from handrail.core.state import RunState
from handrail.drivers.watching import OnEvent
from handrail.errors import InputError
from handrail.ports import Model
from handrail.service import pages, problems
from handrail.service.apps import App, named
from handrail.service.auth.gate import Gate, open_to_all
from handrail.service.bodies import BodyLimits
from handrail.service.openapi import described
from handrail.service.pages import OPEN_PAGES
from handrail.service.routes import agent, approvals, calls, fleet, health, hops, jobs, metrics, sessions, sign_in
from handrail.service.routes import apps as apps_routes
from handrail.service.running import Running
from handrail.service.serving import Serving
from handrail.service.settings import Settings, read_settings
from handrail.service.surfaces.audio import Audio
from handrail.service.surfaces.audio.surface import RECORDINGS
from handrail.service.surfaces.mattermost import Mattermost
from handrail.service.surfaces.mcp import errors as mcp_errors
from handrail.service.surfaces.openai import errors as openai_errors
from handrail.service.surfaces.openai import routes as openai_routes
from handrail.service.telemetry.timing import Timed

OPEN_ROUTES: Mapping[str, str] = {
    "/healthz": "says only that the process answers",
    "/readyz": "says only whether the apps can work",
    "/openapi.json": "says only what the documentation says",
    "/sign-in": "the link that leads there is the key, once",
    "/mattermost/command": "Mattermost's server sends the token of its slash command along",
    "/mattermost/action": "the button that leads there carries a token, once",
    **OPEN_PAGES,
}
SHAPES: problems.Shapes = {"/mcp": mcp_errors.shape, "/v1": openai_errors.shape}
MCP_SURFACE = "handrail.service.surfaces.mcp.surface:Surface"


def make_app(
    apps: Sequence[App],
    *,
    model: Model,
    model_name: str | None = None,
    on_event: OnEvent | None = None,
    settings: Settings | None = None,
    running: Running | None = None,
) -> FastAPI:
    """The service.

    Args:
        apps: what is served.
        model: shared by all runs.
        model_name: the provider's name of the model, instead of what the agents say.
        on_event: sees every event of every run.
        settings: from the environment, where they are not given.
        running: takes jobs on and runs them; without it there are the apps' own routes only.

    Raises:
        InputError: two apps have one name, a route is on no list, or a surface's settings do not fit.
    """
    limits = settings or read_settings()
    notes = None if running is None else running.desk
    served = [Serving(app, model=model, model_name=model_name, on_event=_watched(running, on_event), notes=notes) for app in apps]
    names = [app.name for app in apps]
    if len(set(names)) < len(names):
        raise InputError(f"two of the apps have one name: {names!r}")
    mattermost = None if running is None else Mattermost(running)
    audio = None if running is None else Audio(running)
    # Without the extra `mcp` there is no MCP; everything else is served.
    mcp = named(MCP_SURFACE)(running, served) if running is not None and find_spec("mcp") is not None else None
    service = FastAPI(
        title="handrail",
        lifespan=_lifespan(served, running, on_event, mattermost, [surface for surface in (mcp, audio) if surface is not None]),
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    service.state.served = served
    service.add_middleware(
        BodyLimits,
        most_bytes=limits.most_body_bytes,
        most_depth=limits.most_body_depth,
        most_seconds=limits.most_body_seconds,
        longer={RECORDINGS: limits.most_audio_bytes},
        shapes=SHAPES,
    )
    problems.install(service, SHAPES)
    service.include_router(health.router(served, running))
    if running is not None:
        for noun in (agent, sessions, jobs, fleet, calls, approvals, sign_in, metrics):
            service.include_router(noun.router(running))
        service.include_router(hops.router(running, served))
        service.include_router(apps_routes.router(served))
        service.include_router(openai_routes.router(running, served))
        service.include_router(pages.router())
    if mattermost is not None:
        service.include_router(mattermost.router())
    for surface in (mcp, audio):
        if surface is not None:
            service.include_router(surface.router())
    for serving in served:
        if serving.app.routes is not None:
            service.include_router(named(f"{serving.app.routes}:router")(serving))
    _describe(service, apps, keys=running is not None)
    if running is None:
        check_routes(service, apps)
    else:
        service.add_middleware(Gate, doors=running.doors, open_paths=open_paths(apps), shapes=SHAPES)
        service.add_middleware(Timed, answers=running.telemetry.numbers.answers)
    return service


def routes(service: FastAPI) -> list[str]:
    """The path of every route, those of included routers too."""
    return [str(route.path) for route in iter_route_contexts(service.routes)]


def open_paths(apps: Sequence[App]) -> Mapping[str, str]:
    """Every path that asks for no key, with the reason."""
    return {**OPEN_ROUTES, **{path: reason for app in apps for path, reason in app.open_routes.items()}}


def check_routes(service: FastAPI, apps: Sequence[App]) -> None:
    """Let no route in that nobody has thought about, where there are no keys.

    Raises:
        InputError: a route is on no list.
    """
    known = open_to_all(open_paths(apps))
    unknown = sorted({path for path in routes(service) if not known.has(path)})
    if unknown:
        raise InputError(f"these routes ask for no key, and are not in `open_routes` of their app with a reason: {', '.join(unknown)}")


def _describe(service: FastAPI, apps: Sequence[App], *, keys: bool) -> None:
    """Serve the description of what there is; it is written when somebody first asks for it, which is long after the start."""

    @cache
    def document() -> dict[str, Any]:
        return described(service, open_paths=open_to_all(open_paths(apps)), keys=keys)

    @service.get("/openapi.json", include_in_schema=False)
    async def openapi() -> JSONResponse:
        return JSONResponse(await asyncio.to_thread(document))


def _watched(running: Running | None, on_event: OnEvent | None) -> OnEvent | None:
    """What sees the runs that a route of an app's own asks for; `Running` sees to those of jobs."""
    if running is None:
        return on_event

    def saw(event: Event, state: RunState) -> Any:
        running.telemetry.saw(event, state)
        return None if on_event is None else on_event(event, state)

    return saw


def _lifespan(
    served: Sequence[Serving], running: Running | None, on_event: OnEvent | None, mattermost: Mattermost | None, surfaces: Sequence[Any]
) -> Any:
    @asynccontextmanager
    async def lifespan(service: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            for serving in served:
                deps = None if serving.app.deps is None else await stack.enter_async_context(serving.app.deps())
                serving.opened(deps)
                stack.callback(serving.closed)
            if running is not None and mattermost is not None:
                await stack.enter_async_context(running.opened(served, mattermost.watching(on_event)))
                await stack.enter_async_context(mattermost.opened())
            for surface in surfaces:
                await stack.enter_async_context(surface.opened())
            yield

    return lifespan
