"""Which session a conversation goes on in, where the client keeps no name of it but sends what was said before.

- A conversation is known by the digest of what its client has seen of it (its head), and only to the user whose it is.
- A session has one head: whoever goes back to an earlier place of a conversation begins another one.
"""

from datetime import datetime

from sqlalchemy import delete, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from handrail.stores.tables import conversation_heads


async def session_of(connection: AsyncConnection, user_id: str, digest: str) -> str | None:
    """The session that the user's conversation with this head goes on in."""
    query = select(conversation_heads.c.session_id)
    return await connection.scalar(query.where(conversation_heads.c.user_id == user_id, conversation_heads.c.digest == digest))


async def move(connection: AsyncConnection, user_id: str, session_id: str, digest: str, *, at: datetime) -> None:
    """Give the session this head instead of the one that it had. Of two sessions with the same head the later one goes on."""
    table = conversation_heads
    await connection.execute(delete(table).where(table.c.user_id == user_id, table.c.session_id == session_id))
    insert = sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert
    values = {"user_id": user_id, "digest": digest, "session_id": session_id, "created_at": at}
    moved = {"session_id": session_id, "created_at": at}
    await connection.execute(insert(table).values(values).on_conflict_do_update(index_elements=list(table.primary_key), set_=moved))
