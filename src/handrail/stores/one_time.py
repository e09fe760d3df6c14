"""Tokens that work once, for one purpose, until a time: an approval's button, a sign-in link. Stored as a hash.

Tokens that are made together (`issue_either`) are used up together: the buttons of one card.
"""

import secrets
from collections.abc import Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any

import msgspec
from sqlalchemy import insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from handrail.stores.tables import one_time_tokens

EITHER = "_either"


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """A token that is known: what it is bound to, and whether it still works."""

    bound: dict[str, Any]
    works: bool


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


async def issue_either(connection: AsyncConnection, purpose: str, bounds: Sequence[dict[str, Any]], *, expires_at: datetime) -> list[str]:
    """New tokens, each bound to what is given for it, of which one can be used."""
    tokens = [secrets.token_urlsafe(32) for _ in bounds]
    hashes = [_hashed(token) for token in tokens]
    rows = [
        {"hash": known, "purpose": purpose, "bound": {**bound, EITHER: hashes}, "expires_at": expires_at}
        for known, bound in zip(hashes, bounds, strict=True)
    ]
    await connection.execute(insert(one_time_tokens), rows)
    return tokens


async def seen(connection: AsyncConnection, purpose: str, token: str, *, at: datetime) -> Seen | None:
    """A token without using it; `None` where it is none of ours."""
    table = one_time_tokens
    query = select(table.c.bound, table.c.used_at, table.c.expires_at).where(table.c.hash == _hashed(token), table.c.purpose == purpose)
    row = (await connection.execute(query)).one_or_none()
    return None if row is None else Seen(bound=row.bound, works=row.used_at is None and row.expires_at > at)


async def use_either(connection: AsyncConnection, purpose: str, token: str, *, at: datetime) -> bool:
    """Use a token, and with it those that were made together with it; `False` where it does not work."""
    found = await seen(connection, purpose, token, at=at)
    if found is None or not found.works:
        return False
    table = one_time_tokens
    query = update(table).where(table.c.hash.in_(found.bound[EITHER]), table.c.used_at.is_(None)).values(used_at=at)
    return (await connection.execute(query)).rowcount > 0


def _hashed(token: str) -> str:
    return sha256(token.encode("utf-8", "replace")).hexdigest()
