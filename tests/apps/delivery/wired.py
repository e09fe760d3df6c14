"""The app's routes, with a recorder before the desk: what runs are told is kept beside the shop, and handed on where there is a desk."""

from fastapi import APIRouter

from handrail.apps.delivery import routes
from handrail.service import Noted, Serving
from handrail.service.serving import Notes


class Recorder:
    """Keeps what a run is told, and tells it."""

    def __init__(self, serving: Serving, notes: Notes | None) -> None:
        self._serving, self._notes = serving, notes

    async def note(self, user_id: str, session_id: str, noted: Noted) -> None:
        self._serving.deps.noted.append((user_id, session_id, noted))
        if self._notes is not None:
            await self._notes.note(user_id, session_id, noted)


def router(serving: Serving) -> APIRouter:
    serving.notes = Recorder(serving, serving.notes)
    return routes.router(serving)
