"""The app's routes, with a recorder before the desk: what runs are told is kept beside the shop, and handed on where there is a desk."""

from fastapi import APIRouter

from handrail.apps.delivery import routes
from handrail.service import Noted, Serving


class Recorder:
    """Keeps what a run is told, and tells it."""

    def __init__(self, serving: Serving) -> None:
        self._serving = serving

    async def note(self, user_id: str, session_id: str, noted: Noted) -> None:
        shop = self._serving.deps
        shop.noted.append((user_id, session_id, noted))
        if shop.desk is not None:
            await shop.desk.note(user_id, session_id, noted)


def router(serving: Serving) -> APIRouter:
    return routes.router(serving, Recorder(serving))
