"""Sign-in links: they work once, within minutes, and for one user."""

from datetime import timedelta
from urllib.parse import urlencode

from sqlalchemy.ext.asyncio import AsyncEngine

from handrail.ports import Clock
from handrail.service.auth.callers import check_user_id
from handrail.stores import one_time
from handrail.stores.transactions import write

SIGN_IN = "sign-in"
LASTS = timedelta(minutes=15)


async def sign_in_link(database: AsyncEngine, base: str, *, user_id: str, clock: Clock) -> str:
    """A new link.

    Args:
        database: where it is written down, as a hash.
        base: where the service is reached.
        user_id: who is signed in by it.
        clock: says the time.

    Raises:
        InputError: nobody can have that name.
    """
    bound = {"user_id": check_user_id(user_id)}
    token = await write(database, one_time.issue, SIGN_IN, bound, expires_at=clock.now() + LASTS)
    return f"{base.rstrip('/')}/sign-in?{urlencode({'token': token})}"
