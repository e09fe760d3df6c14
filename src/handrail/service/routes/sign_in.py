"""`GET /sign-in`, `GET /me`, `POST /sign-out`: how a browser comes in, with a link that works once.

- The link is what a command printed; whoever opens it first in time is signed in as the user that it was made for.
- Afterwards the browser has a cookie that no script can read; its pages ask `GET /me` what their posts have to carry.
"""

import re
from html import escape
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from handrail.service.auth.callers import CalledBy
from handrail.service.auth.cookies import NAME
from handrail.service.auth.links import SIGN_IN
from handrail.service.problems import Problem
from handrail.service.running import Running
from handrail.service.schemas.others import Me
from handrail.stores import one_time
from handrail.stores.transactions import write

PRIVATE = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
LOCAL = re.compile(r"/(?![/\\])[!-~]*")
PAGE = """\
<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Signed in</title>
<body style="font: 1rem/1.5 system-ui; margin: 4rem auto; max-width: 34rem; padding: 0 1rem">
<h1>Signed in</h1><p>You are <b>{user}</b> here for the next {hours:g} hours. You can close this page.</p></body></html>
"""


def router(running: Running) -> APIRouter:
    """The routes."""
    routes = APIRouter(tags=["sign-in"])

    @routes.get("/sign-in", include_in_schema=False)
    async def sign_in(
        request: Request, token: Annotated[str, Query(max_length=200)], then: Annotated[str | None, Query(max_length=500)] = None
    ) -> Response:
        """Come in with a link, once."""
        bound = await write(running.database, one_time.use, SIGN_IN, token, at=running.clock.now())
        if bound is None:
            raise Problem(410, "link_over", "This link has been used, or its time is over. `handrail login-link --user …` makes a new one.")
        user_id = str(bound["user_id"])
        answer = _page(running, user_id) if then is None or LOCAL.fullmatch(then) is None else RedirectResponse(then, 303, headers=PRIVATE)
        answer.set_cookie(
            NAME,
            running.cookies.made(user_id),
            max_age=int(running.cookies.lasts.total_seconds()),
            httponly=True,
            samesite="lax",
            secure=request.url.scheme == "https",
        )
        return answer

    @routes.get("/me")
    async def me(called_by: CalledBy) -> Me:
        """Who calls, and what a browser's posts have to carry."""
        return Me(user_id=called_by.user_id, csrf_token=called_by.csrf)

    @routes.post("/sign-out", status_code=204)
    async def sign_out(called_by: CalledBy) -> Response:
        """Take the cookie away from this browser."""
        answer = Response(status_code=204)
        answer.delete_cookie(NAME, httponly=True, samesite="lax")
        return answer

    return routes


def _page(running: Running, user_id: str) -> Response:
    return HTMLResponse(PAGE.format(user=escape(user_id), hours=running.settings.sign_in_hours), headers=PRIVATE)
