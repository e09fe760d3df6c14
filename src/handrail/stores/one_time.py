"""Tokens that work once, for one purpose, until a time: an approval's button, a sign-in link. Stored as a hash."""

import secrets
from datetime import datetime
from hashlib import sha256
from typing import Any

from sqlalchemy import insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from handrail.stores.tables import one_time_tokens


async def issue(connection: AsyncConnection, purpose: str, bound: dict[str, Any], *, expires_at: datetime) -> str:
    """A new token, bound to what is given."""
    token = secrets.token_urlsafe(32)
    values = {"hash": _hashed(token), "purpose": purpose, "bound": bound, "expires_at": expires_at}
    await connection.execute(insert(one_time_tokens).values(values))
    return token


async def use(connection: AsyncConnection, purpose: str, token: str, *, at: datetime) -> dict[str, Any] | None:
    """What the token is bound to, the first time that it is used in time; `None` otherwise."""
    table = one_time_tokens
    fitting = (table.c.hash == _hashed(token), table.c.purpose == purpose)
    query = update(table).where(*fitting, table.c.used_at.is_(None), table.c.expires_at > at).values(used_at=at)
    if (await connection.execute(query)).rowcount != 1:
        return None
    return await connection.scalar(select(table.c.bound).where(*fitting))


def _hashed(token: str) -> str:
    return sha256(token.encode("utf-8", "replace")).hexdigest()
