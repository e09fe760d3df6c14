"""Who calls, and for whom.

- A key acts for its own user. A service's key (scope `act-as`) acts for any user, and says at each request for which.
- Whoever may not act for somebody finds nothing there: the same answer, whether there is such a user or not (case 71).
"""

import re
from collections.abc import Sequence
from typing import Annotated

import msgspec
from fastapi import Depends, Header, Request

from handrail.errors import Bug, InputError
from handrail.service.problems import Problem

ACT_AS = "act-as"
METRICS = "metrics"
SCOPES = {ACT_AS: "act for any user, and say at each request for which", METRICS: "read the numbers of the service"}
USER_ID = "^[!-~]([ -~]{0,126}[!-~])?$"
"""1 to 128 printable characters of ASCII, no space at either end: it has to fit into a header."""

_USER_ID = re.compile(USER_ID)


class Caller(msgspec.Struct, frozen=True, kw_only=True):
    """Who calls.

    Args:
        user_id: for whom: what is theirs can be seen and changed.
        by: who it is, as a decision records it.
        key: the id of the key, where there is one.
        for_anyone: may act for other users.
        scopes: what more the key may.
        csrf: what a browser's posts have to carry; `None` where it is no browser.
    """

    user_id: str
    by: str
    key: str | None = None
    for_anyone: bool = False
    scopes: tuple[str, ...] = ()
    csrf: str | None = None

    def acting_for(self, user_id: str | None) -> "Caller":
        """The same caller for that user; for the one that it acts for already where none is given.

        Raises:
            Problem: it may not.
        """
        if user_id is None or user_id == self.user_id:
            return self
        if not self.for_anyone or _USER_ID.fullmatch(user_id) is None:
            detail = f"There is nothing of that user's for you. A key acts for its own user; one with the scope {ACT_AS} acts for others."
            raise Problem(404, "not_found", detail)
        return msgspec.structs.replace(self, user_id=user_id, by=f"{user_id} (key {self.key})")


def check_user_id(user_id: str) -> str:
    """The name, if it is one.

    Raises:
        InputError: it is none.
    """
    if _USER_ID.fullmatch(user_id) is None:
        raise InputError(f"{user_id!r} cannot be a user's name: 1 to 128 printable characters of ASCII, no space at either end")
    return user_id


def check_scopes(scopes: Sequence[str]) -> tuple[str, ...]:
    """The scopes, each once.

    Raises:
        InputError: one of them is not known.
    """
    unknown = sorted(set(scopes) - set(SCOPES))
    if unknown:
        raise InputError(f"there is no scope {unknown[0]!r}; there is: {', '.join(f'{name} ({what})' for name, what in SCOPES.items())}")
    return tuple(dict.fromkeys(scopes))


def _caller(
    request: Request,
    act_as: Annotated[
        str | None, Header(alias="X-Act-As", pattern=USER_ID, description="For which user; only with a key of the scope `act-as`.")
    ] = None,
) -> Caller:
    """Whom the gate has let in. A route that the gate knows nothing of is a mistake of ours."""
    found = request.scope.get("state", {}).get("caller")
    if not isinstance(found, Caller):
        raise Bug(f"{request.url.path} wants to know who calls, and is on a list of routes that ask for no key")
    return found.acting_for(act_as)


CalledBy = Annotated[Caller, Depends(_caller)]
"""What a route declares to learn who calls."""
