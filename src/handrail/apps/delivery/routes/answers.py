"""What the routes have in common: the shop that is open, whose things it is about, and a no of the service layer as a problem."""

from collections.abc import Iterator
from contextlib import contextmanager

from handrail.apps.delivery.possible import NotPossible
from handrail.apps.delivery.shop import Shop
from handrail.apps.delivery.trail import Owner
from handrail.service import Serving
from handrail.service.auth.callers import Caller
from handrail.service.problems import Problem

STATUS = {"no_such_food": 404, "no_such_restaurant": 404, "act_reused": 422, "key_reused": 422}
OTHERWISE = 409


def shop_of(serving: Serving) -> Shop:
    """The shop, while the service runs."""
    found: Shop = serving.deps
    return found


def owner(caller: Caller, session_id: str) -> Owner:
    """Whose cart and trail it is."""
    return Owner(caller.user_id, session_id)


@contextmanager
def told() -> Iterator[None]:
    """A no of the service layer, as a problem that says why."""
    try:
        yield
    except NotPossible as no:
        raise Problem(STATUS.get(no.code, OTHERWISE), no.code, no.detail) from no
