"""The gate: nothing behind it is reached without being known, but for an explicit list of paths, each with its reason.

- It stands before the routes, so a new route asks for a key by default, and a stranger does not learn what there is: all say 401.
- It stands before the body is read: a stranger cannot make the service read one.
- What the list says is a route's path, as `/orders/chat`, or with `*` at its end, everything below, as `/mattermost/*`.
"""

from collections.abc import Iterable

from starlette.datastructures import Headers
from starlette.routing import compile_path
from starlette.types import ASGIApp, Receive, Scope, Send

from handrail.errors import InputError
from handrail.service.auth.doors import Doors
from handrail.service.problems import Problem, Shapes, shaped


class Gate:
    """An ASGI layer that puts a `Caller` into the request's state.

    Args:
        app: what is behind it.
        doors: find out who calls.
        open_paths: what asks for no key.
        shapes: how a refusal is said, where a path has its own way.
    """

    def __init__(self, app: ASGIApp, *, doors: Doors, open_paths: Iterable[str], shapes: Shapes) -> None:
        """Prepare the list."""
        self._app = app
        self._doors = doors
        self._open = open_to_all(open_paths)
        self._shapes = shapes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let pass, or answer why not."""
        if scope["type"] == "lifespan" or (scope["type"] == "http" and self._open.has(scope["path"])):
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        try:
            caller = await self._doors.caller(Headers(scope=scope), scope["method"])
        except Problem as problem:
            await shaped(problem, scope["path"], self._shapes)(scope, receive, send)
            return
        scope["state"] = {**scope.get("state", {}), "caller": caller}
        await self._app(scope, receive, send)


class Paths:
    """A set of paths, some with parts that may be anything."""

    def __init__(self, paths: Iterable[str]) -> None:
        """Prepare them."""
        known = list(paths)
        self._below = tuple(path.removesuffix("*") for path in known if path.endswith("/*"))
        self._patterns = [compile_path(path)[0] for path in known if not path.endswith("/*")]

    def has(self, path: str) -> bool:
        """Whether the path is one of them."""
        return path.startswith(self._below) or any(pattern.match(path) for pattern in self._patterns)


def open_to_all(paths: Iterable[str]) -> Paths:
    """The paths that ask for no key.

    Raises:
        InputError: one of them would open everything.
    """
    known = list(paths)
    if "/*" in known or any(not path.startswith("/") for path in known):
        raise InputError(f"an open path begins with / and is not all of them: {known!r}")
    return Paths(known)
