"""Sessions: a conversation's history, and whose it is.

- The owner is checked in the query itself: a session of somebody else's looks like one that is not there (case 71).
- Whoever adds to a session locks its row first, so that what comes at the same moment comes one after the other (case 38).
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import bindparam, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from handrail.codec import cleaned, known_messages
from handrail.errors import StoredDataError
from handrail.stores.tables import sessions
from handrail.vocab.facts import Fact
from handrail.vocab.messages import Message

MOST_LISTED = 100


class SessionRow(msgspec.Struct, frozen=True, kw_only=True):
    """A session without its history."""

    session_id: str
    user_id: str
    app: str
    created_at: datetime
    updated_at: datetime


class Remembered(msgspec.Struct, frozen=True):
    """What a session's next run begins with: what was said, and what people have confirmed."""

    messages: tuple[Message, ...] = ()
    confirmed: tuple[Fact, ...] = ()


_COLUMNS = (sessions.c.session_id, sessions.c.user_id, sessions.c.app, sessions.c.created_at, sessions.c.updated_at)
_KEPT = update(sessions).where(sessions.c.session_id == bindparam("session"))


async def joined(connection: AsyncConnection, session_id: str, *, user_id: str, app: str, at: datetime) -> SessionRow | None:
    """The session, locked, and made where it is not there yet; `None` where it is somebody else's, or another app's."""
    insert = sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert
    values = {"session_id": session_id, "user_id": user_id, "app": app, "history": [], "created_at": at, "updated_at": at}
    await connection.execute(insert(sessions).values(values).on_conflict_do_nothing(index_elements=[sessions.c.session_id]))
    query = select(*_COLUMNS).where(sessions.c.session_id == session_id, sessions.c.user_id == user_id, sessions.c.app == app)
    row = (await connection.execute(query.with_for_update(key_share=True))).one_or_none()
    return None if row is None else _row(row)


async def owned(connection: AsyncConnection, session_id: str, *, user_id: str) -> SessionRow | None:
    """The session, if it is this user's."""
    query = select(*_COLUMNS).where(sessions.c.session_id == session_id, sessions.c.user_id == user_id)
    row = (await connection.execute(query)).one_or_none()
    return None if row is None else _row(row)


async def of_user(connection: AsyncConnection, user_id: str, *, most: int = MOST_LISTED) -> Sequence[SessionRow]:
    """The user's sessions, most recent first."""
    query = select(*_COLUMNS).where(sessions.c.user_id == user_id).order_by(sessions.c.updated_at.desc(), sessions.c.session_id)
    return [_row(row) for row in await connection.execute(query.limit(most))]


async def history(connection: AsyncConnection, session_id: str) -> Remembered:
    """What the session's next run begins with.

    Raises:
        StoredDataError: it cannot be read.
    """
    row = (
        await connection.execute(select(sessions.c.history, sessions.c.confirmed).where(sessions.c.session_id == session_id))
    ).one_or_none()
    return Remembered() if row is None else remembered(session_id, row.history, row.confirmed)


def remembered(session_id: str, history: Any, confirmed: Any) -> Remembered:
    """What the two columns have; without what only a newer version than this one can read (case 48).

    Raises:
        StoredDataError: it cannot be read.
    """
    stored = {"messages": history, "confirmed": confirmed or []}
    try:
        return msgspec.convert(stored, type=Remembered)
    except msgspec.ValidationError:
        stored["messages"] = known_messages(history)
    try:
        return msgspec.convert(stored, type=Remembered)
    except msgspec.ValidationError as error:
        raise StoredDataError(f"the history of session {session_id!r} cannot be read: {error}") from error


async def keep_history(connection: AsyncConnection, session_id: str, remembered: Remembered, *, at: datetime) -> None:
    """Write the history that the journal leads to."""
    stored = msgspec.to_builtins(cleaned(remembered))
    values = {"history": stored["messages"], "confirmed": stored["confirmed"], "updated_at": at}
    await connection.execute(_KEPT, {"session": session_id, **values})


def _row(row: Any) -> SessionRow:
    return msgspec.convert(row, type=SessionRow, from_attributes=True)
