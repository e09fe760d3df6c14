"""What the running task works on, for whoever writes logs or traces of it.

It travels with the task: what a run starts (its tools' threads too) works on the same.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import msgspec


class AtWork(msgspec.Struct, frozen=True, kw_only=True):
    """A run (a job's run has the job's id), and the conversation that it belongs to, where there is one."""

    run_id: str
    session_id: str | None = None


_AT_WORK: ContextVar[AtWork | None] = ContextVar("handrail_at_work", default=None)


def at_work() -> AtWork | None:
    """What this task works on; `None` where it works on no run."""
    return _AT_WORK.get()


@contextmanager
def working_on(run_id: str, session_id: str | None = None) -> Iterator[None]:
    """Work on a run; one that runs inside another one belongs to the same conversation."""
    around = _AT_WORK.get()
    token = _AT_WORK.set(AtWork(run_id=run_id, session_id=session_id or (around.session_id if around is not None else None)))
    try:
        yield
    finally:
        _AT_WORK.reset(token)
