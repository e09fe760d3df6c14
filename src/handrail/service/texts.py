"""Streamed text of the runs in this process, for whoever listens to a session. It is no event, and in no journal.

- Where nobody listens nothing is streamed, and a run costs what it costs.
- Text that may still be refused is held back until it stands (`drivers/watching.py`), so whatever comes here may be shown.
- A run in another process brings nothing here: whoever listens has the answer's text from the journal in any case.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import msgspec

from handrail.core.events import Event, TurnOpened
from handrail.core.state import RunState
from handrail.ports import OnDelta
from handrail.stores.jobs import Job


class Piece(msgspec.Struct, frozen=True):
    """A piece of text of a job; `None` where another turn begins."""

    job_id: str
    text: str | None


Listener = Callable[[Piece], None]


class Texts:
    """All listeners of this process."""

    def __init__(self) -> None:
        """Nobody listens yet."""
        self._sessions: dict[str, list[Listener]] = {}
        self._jobs: dict[str, list[Listener]] = {}

    @contextmanager
    def listening(self, session_id: str, listener: Listener) -> Iterator[None]:
        """Listen to the jobs of a session that begin, or are gone on with, meanwhile."""
        listeners = self._sessions.setdefault(session_id, [])
        listeners.append(listener)
        try:
            yield
        finally:
            listeners.remove(listener)
            if not listeners:
                del self._sessions[session_id]
                self._jobs = {job_id: heard for job_id, heard in self._jobs.items() if heard is not listeners}

    def of(self, job: Job) -> OnDelta | None:
        """Where the job's text goes; `None` where nobody listens."""
        listeners = self._sessions.get(job.session_id)
        if listeners is None:
            return None
        self._jobs[job.job_id] = listeners
        return partial(self._tell, job.job_id)

    def saw(self, event: Event, state: RunState) -> None:
        """Tell of a turn that begins (`OnEvent`)."""
        if isinstance(event, TurnOpened):
            self._tell(state.run_id, None)

    def _tell(self, job_id: str, text: str | None) -> None:
        for listener in self._jobs.get(job_id, ()):
            listener(Piece(job_id, text))
