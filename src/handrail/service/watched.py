"""What a worker answers over HTTP, where it is told on which port: whether it lives, whether it can work, and its numbers.

- It is there for whoever watches over workers, and takes no work on: apps have no routes here, and there is no page.
- Health asks for no key, as the service's does; numbers ask for a key with the scope `metrics`, and so does every path that is none.
"""

import asyncio
import socket
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager

from fastapi import FastAPI

from handrail.service import problems
from handrail.service.auth.gate import Gate
from handrail.service.http import Http
from handrail.service.routes import health, metrics
from handrail.service.running import Running
from handrail.service.serving import Serving

OPEN_ROUTES: Mapping[str, str] = {
    "/healthz": "says only that the process lives",
    "/readyz": "says only whether the apps can work",
}


@asynccontextmanager
async def watched(listener: socket.socket, running: Running, served: Sequence[Serving]) -> AsyncIterator[None]:
    """Answer on that socket meanwhile."""
    http = Http(make_watched(running, served), stopping=lambda: None)
    answering = asyncio.create_task(http.serve(listener), name="the worker's own port")
    try:
        yield
    finally:
        http.stop()
        await answering


def make_watched(running: Running, served: Sequence[Serving]) -> FastAPI:
    """The routes, and the gate before them."""
    service = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False)
    problems.install(service, {})
    service.include_router(health.router(served, running))
    service.include_router(metrics.router(running))
    service.add_middleware(Gate, doors=running.doors, open_paths=OPEN_ROUTES, shapes={})
    return service
