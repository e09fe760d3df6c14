"""What an app's routes get from the service: the agent, the model, the open deps, and a way to ask.

`on_event` is the service's own watcher (the live timeline); the service writes to no terminal itself.
"""

from typing import Any, Protocol

from handrail.core.agent import Agent
from handrail.drivers.in_process import run
from handrail.drivers.watching import OnEvent
from handrail.errors import Bug
from handrail.ports import Model
from handrail.service.apps import App
from handrail.vocab.facts import Noted
from handrail.vocab.outcomes import Outcome, Parked


class Notes(Protocol):
    """Tells the run of a session that is going on what an interface knows; the desk is one."""

    async def note(self, user_id: str, session_id: str, noted: Noted) -> None:
        """Note facts whose ids have been checked.

        Raises:
            NotThere: the session is somebody else's, or nobody has said anything in it yet.
        """
        ...


class Serving:
    """One app while it is served.

    Attributes:
        app: what is served.
        agent: made once, for all runs.
        model: shared by all runs.
        on_event: sees every event of every run.
        notes: tells the runs of sessions what an interface knows; none where nothing takes jobs on.
    """

    def __init__(
        self, app: App, *, model: Model, model_name: str | None = None, on_event: OnEvent | None = None, notes: Notes | None = None
    ) -> None:
        """Make the agent; with another model's name where one is given."""
        self.app = app
        self.agent: Agent = app.agent() if model_name is None else app.agent().but(model=model_name)
        self.model = model
        self.on_event = on_event
        self.notes = notes
        self._deps: list[Any] = []  # none before the service has started, and after it has stopped

    @property
    def deps(self) -> Any:
        """What the tools need, while the service runs."""
        if not self._deps:
            raise Bug(f"the deps of {self.app.name!r} are asked for before the service has started")
        return self._deps[-1]

    def opened(self, deps: Any) -> None:
        """The service has started, and these are the deps."""
        self._deps.append(deps)

    def closed(self) -> None:
        """The service stops."""
        self._deps.clear()

    async def ask(self, message: str) -> Outcome | Parked:
        """One run, from asking to finish."""
        return await run(self.agent, message, model=self.model, deps=self.deps, on_event=self.on_event)

    async def missing(self) -> str | None:
        """What keeps this app from working, and what to do; `None` where nothing does."""
        if not self._deps:
            return "it has not started"
        return None if self.app.ready is None else await self.app.ready(self.deps)
