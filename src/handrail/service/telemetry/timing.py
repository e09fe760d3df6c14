"""How long it takes until an answer begins, by route: an ASGI layer. A stream is timed until its first byte."""

from collections.abc import Callable
from time import perf_counter

from prometheus_client import Histogram
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from handrail.service.telemetry.stretches import OTHER

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class Timed:
    """The layer.

    Args:
        app: what is behind it.
        answers: is told method, route, status and seconds.
        seconds: a clock that only goes forward.
    """

    def __init__(self, app: ASGIApp, *, answers: Histogram, seconds: Callable[[], float] = perf_counter) -> None:
        """Time nothing yet."""
        self._app = app
        self._answers = answers
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on, and time it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = self._seconds()

        async def timed(message: Message) -> None:
            if message["type"] == "http.response.start":
                method = scope["method"] if scope["method"] in METHODS else OTHER
                # Only a route that was found is a name of ours; a path is whatever somebody has sent.
                route = str(getattr(scope.get("route"), "path", OTHER))
                self._answers.labels(method, route, str(message["status"])).observe(self._seconds() - began)
            await send(message)

        await self._app(scope, receive, timed)
