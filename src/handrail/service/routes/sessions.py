"""`GET /agent/sessions` and `GET /agent/sessions/{session_id}`: conversations, each its owner's alone."""

from typing import Annotated

from fastapi import APIRouter, Path, Query

from handrail.service.auth.callers import USER_ID, CalledBy
from handrail.service.desk import LONGEST_ID
from handrail.service.running import Running
from handrail.service.schemas.sessions import SessionBody, Sessions
from handrail.stores import sessions
from handrail.stores.transactions import read

SessionPath = Annotated[str, Path(max_length=LONGEST_ID, description="The client's own name of the conversation.")]


def router(running: Running) -> APIRouter:
    """The routes."""
    routes = APIRouter(prefix="/agent/sessions", tags=["sessions"])

    @routes.get("", responses={404: {}})
    async def listed(
        called_by: CalledBy,
        user_id: Annotated[str | None, Query(pattern=USER_ID, description="Whose; the key's own user where it is left away.")] = None,
    ) -> Sessions:
        """A user's conversations, most recent first; 100 at most."""
        return Sessions.of(await running.desk.sessions(called_by.acting_for(user_id).user_id))

    @routes.get("/{session_id}", responses={404: {}})
    async def one(session_id: SessionPath, called_by: CalledBy) -> SessionBody:
        """A conversation, with what was said and its jobs."""
        row = await running.desk.session(called_by.user_id, session_id)
        history = await read(running.database, sessions.history, row.session_id)
        return SessionBody.made(row, history.messages, await running.desk.jobs(called_by.user_id, session_id=row.session_id))

    return routes
