"""A job, followed until it rests: it has ended, or people have to answer something before it goes on.

- The request takes the message on, and follows it: it has no part in the run, so a client that goes away ends nothing.
- That the job rests is read from what is stored, the mailbox first: a message that nobody has read yet is no rest.
- A job behind another one that waits for people rests with it.
- What the browser has to do is not waited for here: it has a deadline of its own.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import ExitStack

import msgspec
from sqlalchemy.ext.asyncio import AsyncConnection

from handrail.core.evolve import fold
from handrail.core.outstanding import open_holds
from handrail.service.desk import Asked
from handrail.service.problems import Problem
from handrail.service.running import Running
from handrail.service.texts import Piece
from handrail.stores import jobs, mailbox, run_events
from handrail.stores.jobs import Job, JobStatus
from handrail.stores.transactions import read
from handrail.vocab.outcomes import OpenHold
from handrail.vocab.usage import Usage

COMMENT = b":"


class Alive(msgspec.Struct, frozen=True):
    """Nothing has happened for a while."""


class Rested(msgspec.Struct, frozen=True):
    """The end, or what people have to answer first. The job is the one that waits."""

    job: Job
    holds: tuple[OpenHold, ...]
    usage: Usage


Happened = Piece | Alive | Rested
Came = asyncio.Queue[bytes | Piece | None]


class Following:
    """A job that is followed. Whoever has it closes it; the job goes on.

    Attributes:
        job: as it was when the message was taken on.
    """

    def __init__(self, running: Running, job: Job, came: Came, stack: ExitStack) -> None:
        """Begin to watch."""
        self.job = job
        self._running = running
        self._came = came
        self._stack = stack
        self._watching = asyncio.create_task(self._watch(), name=f"{job.job_id}/followed")
        self._watching.add_done_callback(lambda _: came.put_nowait(None))
        stack.callback(self._watching.cancel)

    def close(self) -> None:
        """Follow no further."""
        self._stack.close()

    async def happens(self) -> AsyncGenerator[Happened, None]:
        """What happens: `Rested` comes last.

        Raises:
            Problem: the server stops, or the user has too many streams open.
        """
        while (item := await self._came.get()) is not None:
            if isinstance(item, Piece):
                if item.job_id == self.job.job_id:
                    yield item
            elif (rested := await read(self._running.database, _rested, self.job.job_id)) is not None:
                for piece in self._left():
                    yield piece
                yield rested
                return
            elif item.startswith(COMMENT):
                yield Alive()
        self._watching.result()
        raise Problem(
            503, "stopping", "The server stops. The job goes on once it runs again; GET /agent/status/{job_id} says how it stands."
        )

    async def _watch(self) -> None:
        events = await self._running.streams.opened(self.job.user_id, self.job.job_id, after=-1)
        if events is not None:
            async for event in events:
                self._came.put_nowait(event)

    def _left(self) -> list[Piece]:
        """Pieces that have come already."""
        items = [self._came.get_nowait() for _ in range(self._came.qsize())]
        return [item for item in items if isinstance(item, Piece) and item.job_id == self.job.job_id]


async def follow(running: Running, asked: Asked, *, live: bool) -> Following:
    """Ask, and follow the job; with its text as it comes, where that is wanted (`live`).

    Raises:
        InputError: what the desk does not take.
        NotThere: the session is somebody else's.
        Problem: the user follows too much at once.
    """
    running.streams.check_room(asked.user_id)
    came: Came = asyncio.Queue()
    with ExitStack() as stack:
        if live:
            stack.enter_context(running.texts.listening(asked.session_id, came.put_nowait))
        job = await running.desk.invoke(asked)
        return Following(running, job, came, stack.pop_all())


async def _rested(connection: AsyncConnection, job_id: str) -> Rested | None:
    if await mailbox.waiting(connection, job_id):
        return None
    job = await jobs.found(connection, job_id)
    if job is not None and job.status is JobStatus.PENDING:
        job = await jobs.current(connection, job.session_id)
    if job is None or not (job.ended or job.status is JobStatus.INPUT_REQUIRED):
        return None
    if job.job_id != job_id and await mailbox.waiting(connection, job.job_id):
        return None
    state = fold(await run_events.read(connection, job.job_id))
    holds = open_holds(state)
    return Rested(job, holds, state.usage) if job.ended or holds else None
