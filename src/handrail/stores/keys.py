"""API keys: shown once, stored as a hash, compared in constant time.

A key is `hrk_<id>_<secret>`: 256 random bits need no slow hash (OWASP, Password Storage: those are for what people choose).
"""

import hmac
import secrets
from collections.abc import Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any

import msgspec
from sqlalchemy import insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from handrail.stores.tables import api_keys

PREFIX = "hrk"
NOBODY = sha256(b"").hexdigest()


class ApiKey(msgspec.Struct, frozen=True, kw_only=True):
    """A key without its secret. A scope `act-as` lets it act for other users, and it says which at each request."""

    key_id: str
    user_id: str
    scopes: tuple[str, ...]
    label: str
    created_at: datetime
    revoked_at: datetime | None


_COLUMNS = (api_keys.c.key_id, api_keys.c.user_id, api_keys.c.scopes, api_keys.c.label, api_keys.c.created_at, api_keys.c.revoked_at)


async def create(
    connection: AsyncConnection, *, user_id: str, scopes: Sequence[str] = (), label: str = "", at: datetime
) -> tuple[str, ApiKey]:
    """A new key: the text that is shown once, and what is stored of it."""
    key_id, secret = secrets.token_hex(6), secrets.token_urlsafe(32)
    key = ApiKey(key_id=key_id, user_id=user_id, scopes=tuple(scopes), label=label, created_at=at, revoked_at=None)
    values = {**msgspec.to_builtins(key), "created_at": at, "scopes": list(scopes), "hash": _hashed(secret)}
    await connection.execute(insert(api_keys).values(values))
    return f"{PREFIX}_{key_id}_{secret}", key


async def checked(connection: AsyncConnection, text: str) -> ApiKey | None:
    """Whose key the text is; `None` where it is nobody's, or revoked."""
    prefix, _, rest = text.partition("_")
    key_id, _, secret = rest.partition("_")
    row: Any = None
    if prefix == PREFIX and key_id.isascii() and key_id.isalnum():
        query = select(*_COLUMNS, api_keys.c.hash).where(api_keys.c.key_id == key_id, api_keys.c.revoked_at.is_(None))
        row = (await connection.execute(query)).one_or_none()
    fits = hmac.compare_digest(_hashed(secret), NOBODY if row is None else row.hash)
    return _row(row) if row is not None and fits else None


async def listed(connection: AsyncConnection) -> Sequence[ApiKey]:
    """All keys, newest first."""
    return [_row(row) for row in await connection.execute(select(*_COLUMNS).order_by(api_keys.c.created_at.desc(), api_keys.c.key_id))]


async def revoke(connection: AsyncConnection, key_id: str, *, at: datetime) -> bool:
    """Make a key worthless; `False` where there is no such key that still works."""
    query = update(api_keys).where(api_keys.c.key_id == key_id, api_keys.c.revoked_at.is_(None))
    return (await connection.execute(query.values(revoked_at=at))).rowcount == 1


def _hashed(secret: str) -> str:
    return sha256(secret.encode("utf-8", "replace")).hexdigest()


def _row(row: Any) -> ApiKey:
    return msgspec.convert(row, type=ApiKey, from_attributes=True)
