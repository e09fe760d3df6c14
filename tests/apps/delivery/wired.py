"""The app's routes, with a recorder in the place of runs: what they would be told is kept beside the shop."""

from collections.abc import Sequence

from fastapi import APIRouter

from handrail import Fact
from handrail.apps.delivery import routes
from handrail.service import Serving


class Recorder:
    """Hands on what a run would be told to the shop of the test."""

    def __init__(self, serving: Serving) -> None:
        self._serving = serving

    async def note(self, user_id: str, session_id: str, facts: Sequence[Fact], replaces: Sequence[str]) -> None:
        self._serving.deps.noted.append((user_id, session_id, tuple(facts), tuple(replaces)))


def router(serving: Serving) -> APIRouter:
    return routes.router(serving, Recorder(serving))
