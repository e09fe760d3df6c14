"""Finds out who calls: an API key (`Authorization: Bearer …` or `X-API-Key: …`), or a browser that has signed in.

- A key that is given has to be right; a cookie beside it does not help.
- All wrong keys get the same answer, and none of them is in it.
- A browser's posts carry `X-CSRF-Token` (`GET /me` says it): another site can send the cookie along, and not the token.
"""

import hmac

from sqlalchemy.ext.asyncio import AsyncEngine
from starlette.datastructures import Headers
from starlette.requests import cookie_parser

from handrail.service.auth.callers import ACT_AS, Caller
from handrail.service.auth.cookies import NAME, Cookies
from handrail.service.problems import Problem
from handrail.service.rates import Rates
from handrail.stores import keys
from handrail.stores.transactions import read

SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
LONGEST_KEY = 200


class Doors:
    """The two ways in.

    Args:
        database: where the keys are.
        cookies: read what browsers keep.
        rates: how much one user may ask.
    """

    def __init__(self, database: AsyncEngine, *, cookies: Cookies, rates: Rates) -> None:
        """Keep them."""
        self._database = database
        self._cookies = cookies
        self._rates = rates

    async def caller(self, headers: Headers, method: str) -> Caller:
        """Who calls.

        Raises:
            Problem: nobody that is known here (401), a post that its page did not send (403), or too much at once (429).
        """
        given = _keys(headers)
        found = await self._by_key(given) if given else self._by_cookie(headers, method)
        # A service's key stands for many users, so it is counted by the one that it says.
        self._rates.take(headers.get("x-act-as", found.by)[:LONGEST_KEY] if found.for_anyone else found.by)
        return found

    async def _by_key(self, given: set[str]) -> Caller:
        text = given.pop()
        if given or len(text) > LONGEST_KEY:
            raise _unknown()
        key = await read(self._database, keys.checked, text)
        if key is None:
            raise _unknown()
        return Caller(user_id=key.user_id, by=key.user_id, key=key.key_id, for_anyone=ACT_AS in key.scopes, scopes=key.scopes)

    def _by_cookie(self, headers: Headers, method: str) -> Caller:
        signed_in = self._cookies.read(cookie_parser(headers.get("cookie", "")).get(NAME, ""))
        if signed_in is None:
            raise _unknown()
        csrf = self._cookies.csrf(signed_in)
        if method not in SAFE and not hmac.compare_digest(headers.get("x-csrf-token", "").encode(), csrf.encode()):
            raise Problem(403, "csrf", "A post from a browser carries the header X-CSRF-Token; GET /me says what it is.")
        return Caller(user_id=signed_in.user_id, by=signed_in.user_id, csrf=csrf)


def _keys(headers: Headers) -> set[str]:
    """The keys that a request carries, however often; `Basic` and the like are keys that nobody has."""
    given = set(headers.getlist("x-api-key"))
    for value in headers.getlist("authorization"):
        scheme, _, text = value.partition(" ")
        given.add(text.strip() if scheme.lower() == "bearer" else "")
    return given


def _unknown() -> Problem:
    detail = "This asks for a key: Authorization: Bearer …, or X-API-Key: …. `handrail keys create --user …` makes one."
    return Problem(401, "unauthorized", detail, headers={"WWW-Authenticate": "Bearer"})
