"""Our wake-ups as Procrastinate's jobs: put in, taken, and given back, each by who holds them and nobody else.

Procrastinate's own job manager is right while the database answers and every worker lives. This one also holds when they do not:

- A job is finished or given back only by who holds it: a worker that was taken for dead and is not cannot end another one's job.
- Given back while a later wake-up waits, it goes: two that wait for one session are not let in, and the session would stand still.
- While the database is away, a worker waits for it instead of ending; a job that it was given without hearing of it goes back.
- A wake-up that finds one waiting already holds that one back until its own transaction is committed, so that it is seen by it.
- Whoever looked for a job just before one came looks again.
"""

import asyncio
import json
import logging
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import Any

from procrastinate import BaseRetryStrategy, RetryDecision
from procrastinate.connector import BaseConnector
from procrastinate.exceptions import AlreadyEnqueued, ConnectorException, UniqueViolation
from procrastinate.jobs import Job, Notification, Status
from procrastinate.manager import JobManager, NotificationCallback
from procrastinate.tasks import Task
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

QUEUE = "handrail"
CHANNEL = f"procrastinate_queue_v1#{QUEUE}"
AGAIN = timedelta(seconds=1)
LONGEST_AGAIN = timedelta(seconds=60)
logger = logging.getLogger(__name__)

# A job is held by a worker at an attempt: all three are asked for wherever one is let go.
DELETED = """
DELETE FROM procrastinate_jobs
WHERE id = %(id)s AND status = 'doing' AND worker_id = %(worker)s AND attempts = %(attempts)s
"""
GIVEN_BACK = """
WITH again AS (
  UPDATE procrastinate_jobs SET status = 'todo', attempts = attempts + 1, scheduled_at = %(at)s, worker_id = NULL
  WHERE id = %(id)s AND status = 'doing' AND worker_id = %(worker)s AND attempts = %(attempts)s
  RETURNING id
)
SELECT pg_notify(%(channel)s, json_build_object('type', 'job_inserted', 'job_id', id)::text) FROM again
"""
UNHEARD_OF = """
SELECT id, status, task_name, priority, lock, queueing_lock, args, scheduled_at, queue_name, attempts, worker_id
FROM procrastinate_jobs WHERE status = 'doing' AND worker_id = %(worker)s AND NOT (id = ANY(%(held)s))
"""
BEAT = """
INSERT INTO procrastinate_workers (id, last_heartbeat) OVERRIDING SYSTEM VALUE VALUES (%(worker)s, now())
ON CONFLICT (id) DO UPDATE SET last_heartbeat = now()
"""
HELD_BACK = text("SELECT id FROM procrastinate_jobs WHERE queueing_lock = :session AND status = 'todo' FOR UPDATE")
TOLD = text(
    "SELECT pg_notify(:channel, :news) WHERE :waits OR EXISTS (SELECT 1 FROM procrastinate_jobs WHERE lock = :session AND status = 'doing')"
)
LOST = text(
    "SELECT jobs.id, jobs.attempts, jobs.queueing_lock FROM procrastinate_jobs jobs"
    " LEFT JOIN procrastinate_workers workers ON workers.id = jobs.worker_id"
    " WHERE jobs.status = 'doing' AND jobs.queue_name = :queue AND jobs.worker_id IS DISTINCT FROM :own"
    " AND (workers.id IS NULL OR workers.last_heartbeat < now() - make_interval(secs => :silent))"
    " FOR UPDATE OF jobs SKIP LOCKED"
)
ALIVE = text("SELECT count(*) FROM procrastinate_workers WHERE last_heartbeat >= now() - make_interval(secs => :silent)")
DUE = text(
    "SELECT count(*) FROM procrastinate_jobs"
    " WHERE queue_name = :queue AND status = 'todo' AND (scheduled_at IS NULL OR scheduled_at <= now())"
)
LOST_DELETED = text("DELETE FROM procrastinate_jobs WHERE id = :id")
LOST_AGAIN = text(
    "UPDATE procrastinate_jobs SET status = 'todo', attempts = attempts + 1, scheduled_at = NULL, worker_id = NULL WHERE id = :id"
)
ON_THE_WAY = text("SELECT lock FROM procrastinate_jobs WHERE lock = ANY(:locks) AND status IN ('todo', 'doing')")


class Leaving(Exception):
    """The engine stops; somebody else goes on with the session."""


class EverLater(BaseRetryStrategy):
    """A session that cannot be advanced is tried again, ever later; one that was left, at once."""

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision:
        """When to try again."""
        if isinstance(exception, Leaving | asyncio.CancelledError):
            return RetryDecision(retry_in={"seconds": 0})
        pause = min(AGAIN * 2 ** min(job.attempts, 10), LONGEST_AGAIN)
        return RetryDecision(retry_in={"seconds": int(pause.total_seconds())})


class Queue(JobManager):
    """A job manager that holds its own.

    Attributes:
        worker_id: the worker of this process that takes jobs; `None` while there is none.
        closing: what the database does not take now is not tried again.
        nudge: told of a wake-up for a session that is being advanced somewhere.
    """

    def __init__(self, connector: BaseConnector) -> None:
        """Nothing is held."""
        super().__init__(connector)
        self.worker_id: int | None = None
        self.closing = False
        self.nudge: Callable[[str], None] | None = None
        self._held: set[int] = set()
        self._heard = 0
        self._in_doubt = False
        self._ring: NotificationCallback | None = None

    async def register_worker(self) -> int:
        """Begin to take jobs."""
        self.worker_id = await super().register_worker()
        self._held.clear()
        return self.worker_id

    async def unregister_worker(self, worker_id: int) -> None:
        """Take no more."""
        self.worker_id = None
        await super().unregister_worker(worker_id)

    async def update_heartbeat(self, worker_id: int) -> None:
        """Say that this worker lives, even if somebody has struck it off meanwhile."""
        await self.connector.execute_query_async(query=BEAT, worker=worker_id)

    async def list_jobs_to_abort_async(self, queue: str | None = None) -> Iterable[int]:
        """Nobody aborts our jobs: runs are cancelled by their mailbox."""
        return ()

    async def fetch_job(self, queues: Iterable[str] | None, worker_id: int) -> Job | None:
        """Take the next job; none while the database is away."""
        while True:
            heard = self._heard
            try:
                if self._in_doubt:
                    await self._give_back_unheard_of(worker_id)
                job = await super().fetch_job(queues, worker_id)
            except ConnectorException as error:
                self._in_doubt = True  # it may have been given, and the answer was lost
                logger.warning("the database does not answer (%r); it is asked again", error.__cause__)
                return None
            if job is not None and job.id is not None:
                self._held.add(job.id)
                return job
            if heard == self._heard:
                return None

    async def finish_job(self, job: Job, status: Status, delete_job: bool) -> None:
        """Let a job go whose session has been advanced."""
        if status is not Status.SUCCEEDED:
            await self.retry_job(job)
            return
        await self._insist(DELETED, _held(job))
        await self._let_go(job)

    async def retry_job(
        self, job: Job, retry_at: datetime | None = None, priority: int | None = None, queue: str | None = None, lock: str | None = None
    ) -> None:
        """Give a job back, for that time."""
        try:
            await self._insist(GIVEN_BACK, {**_held(job), "at": retry_at, "channel": CHANNEL})
        except UniqueViolation:  # a later wake-up waits already, and does as well
            await self._insist(DELETED, _held(job))
        await self._let_go(job)

    async def listen_for_jobs(self, *, on_notification: NotificationCallback, queues: Iterable[str] | None = None) -> None:
        """Hear of new jobs, for as long as the worker takes any."""

        async def heard(*, channel: str, notification: Notification) -> None:
            self._heard += 1
            session: Any = notification.get("session")
            if session is not None and self.nudge is not None:
                self.nudge(session)
            await on_notification(channel=channel, notification=notification)

        self._ring = heard
        while True:
            try:
                await super().listen_for_jobs(on_notification=heard, queues=queues)
            except ConnectorException as error:
                logger.warning("no news from the database (%r); it is asked again", error.__cause__)
            await asyncio.sleep(AGAIN.total_seconds())

    async def _give_back_unheard_of(self, worker_id: int) -> None:
        rows = await self.connector.execute_query_all_async(query=UNHEARD_OF, worker=worker_id, held=sorted(self._held))
        for row in rows:
            await self.retry_job(Job.from_row(row))
        self._in_doubt = False

    async def _insist(self, query: Any, arguments: dict[str, Any]) -> None:
        while True:
            try:
                await self.connector.execute_query_async(query=query, **arguments)
            except UniqueViolation:
                raise
            except ConnectorException as error:
                if self.closing:
                    raise
                logger.warning("the database does not answer (%r); it is told again", error.__cause__)
                await asyncio.sleep(AGAIN.total_seconds())
            else:
                return

    async def _let_go(self, job: Job) -> None:
        """Have the next job of the session looked for: the database tells nobody that it may be taken now."""
        if job.id is not None:
            self._held.discard(job.id)
        if self._ring is not None:
            await self._ring(channel=CHANNEL, notification={"type": "job_inserted", "job_id": job.id or 0})


async def put(connection: AsyncConnection, task: Task[Any, Any, Any], session_id: str) -> None:
    """A wake-up for now, in this transaction; where one waits already, that one."""
    lock = lock_of(session_id)
    driver = (await connection.get_raw_connection()).driver_connection
    while True:
        waits = await connection.scalar(HELD_BACK, {"session": lock}) is not None
        if waits:
            break
        try:
            async with connection.begin_nested():
                await task.configure(lock=lock, queueing_lock=lock, connection=driver).defer_async(session=session_id)
            break
        except AlreadyEnqueued:
            continue
    news = json.dumps({"type": "job_inserted", "job_id": 0, "session": session_id})
    await connection.execute(TOLD, {"channel": CHANNEL, "news": news, "waits": waits, "session": lock})


async def put_back_lost(connection: AsyncConnection, *, own: int | None, silent: timedelta) -> int:
    """Give back what other workers hold that have been silent for so long; how many that were."""
    rows = (await connection.execute(LOST, {"queue": QUEUE, "own": own, "silent": silent.total_seconds()})).all()
    for row in rows:
        waits = await connection.scalar(HELD_BACK, {"session": row.queueing_lock}) is not None
        await connection.execute(LOST_DELETED if waits else LOST_AGAIN, {"id": row.id})
    if rows:
        news = json.dumps({"type": "job_inserted", "job_id": 0})
        await connection.execute(TOLD, {"channel": CHANNEL, "news": news, "waits": True, "session": ""})
    return len(rows)


async def at_work(connection: AsyncConnection, *, silent: timedelta) -> tuple[int, int]:
    """How many workers there are that have not been silent for so long, and how many sessions wait for one."""
    workers = await connection.scalar(ALIVE, {"silent": silent.total_seconds()})
    return workers or 0, await connection.scalar(DUE, {"queue": QUEUE}) or 0


async def on_the_way(connection: AsyncConnection, sessions: Iterable[str]) -> set[str]:
    """Those of the sessions that have a wake-up, waiting or being served."""
    locks = {lock_of(session): session for session in sessions}
    return {locks[lock] for lock in await connection.scalars(ON_THE_WAY, {"locks": list(locks)})}


def lock_of(session_id: str) -> str:
    """What only one job at a time holds; other users of the same tables have other names."""
    return f"{QUEUE}:{session_id}"


def _held(job: Job) -> dict[str, Any]:
    return {"id": job.id, "worker": job.worker_id, "attempts": job.attempts}
