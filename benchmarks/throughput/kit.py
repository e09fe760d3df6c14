"""What all sides have in common: a model that answers at once, and what is around it.

- `handrail`: a desk, `PostgresEngine` and `Worker`: the journal, the history and the job's row are written.
- `hand`: the same jobs on the bare engine, Procrastinate as it comes, with the same lock for a session. Its task is what one writes
  by hand: read the job and its session's history, ask the model, write the history and the job's row in one transaction. No journal,
  no ring, no mailbox.
- `empty`: the bare engine and the model alone: nothing is read, and nothing written.
"""

from typing import Any

import msgspec
from procrastinate import App, PsycopgConnector
from sqlalchemy import bindparam, select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from handrail import Agent
from handrail.drivers.clock import SystemClock
from handrail.drivers.watching import OnEvent
from handrail.drivers.worker import Served, Worker
from handrail.engines.postgres import MOST_AT_ONCE, PostgresEngine
from handrail.engines.postgres_pool import CONNECTIONS
from handrail.ports import OnDelta
from handrail.stores.tables import jobs, sessions
from handrail.testing import says
from handrail.vocab.messages import AssistantMessage, Message, Said, UserMessage
from handrail.vocab.requests import ModelAnswer, ModelRequest

APP = "mini"
QUEUES = {"hand": "by_hand", "empty": "empty"}
_READ = (
    select(jobs.c.message, jobs.c.session_id, sessions.c.history)
    .join(sessions, sessions.c.session_id == jobs.c.session_id)
    .where(jobs.c.job_id == bindparam("job"))
)
_HISTORY = update(sessions).where(sessions.c.session_id == bindparam("session"))
_JOB = update(jobs).where(jobs.c.job_id == bindparam("job"))


class Instant:
    """A model that answers at once."""

    async def reply(self, request: ModelRequest, *, on_delta: OnDelta | None = None) -> ModelAnswer:
        """Answer."""
        return says("done")


def agent() -> Agent:
    """Answers; no tools, no guards."""
    return Agent(name=APP, instructions="Answer.", model="instant")


def engine(database: AsyncEngine) -> PostgresEngine:
    """Our engine, with its settings as they come."""
    return PostgresEngine(database, clock=SystemClock())


def worker(database: AsyncEngine, over: PostgresEngine, on_event: OnEvent | None = None) -> Worker:
    """Our worker."""
    served = {APP: Served(agent=agent(), model=Instant())}
    return Worker(engine=database, served=served, wake=over.wake, clock=SystemClock(), on_event=on_event)


def bare(url: str, database: AsyncEngine) -> App:
    """The bare engine with both of its tasks, and as many connections as ours has."""
    app = App(connector=PsycopgConnector(conninfo=url, min_size=1, max_size=CONNECTIONS))
    model = Instant()

    @app.task(name="hand", queue=QUEUES["hand"])
    async def by_hand(job: str) -> None:
        async with database.connect() as connection:
            row = (await connection.execute(_READ, {"job": job})).one()
        before = msgspec.convert(row.history, type=tuple[Message, ...])
        messages = (*before, UserMessage(said=(Said(text=row.message),)))
        answer = await model.reply(ModelRequest(model="instant", system="Answer.", messages=messages))
        history = msgspec.to_builtins((*messages, AssistantMessage(text=answer.text)))
        ended: dict[str, Any] = {"status": "COMPLETE", "response": answer.text, "updated_at": SystemClock().now()}
        async with database.begin() as connection:
            await connection.execute(_HISTORY, {"session": row.session_id, "history": history})
            await connection.execute(_JOB, {"job": job, **ended})

    @app.task(name="empty", queue=QUEUES["empty"])
    async def empty(job: str) -> None:
        await model.reply(ModelRequest(model="instant", system="Answer.", messages=(UserMessage(said=(Said(text=job),)),)))

    return app


async def run_bare(app: App, kind: str) -> None:
    """Take jobs until cancelled."""
    await app.run_worker_async(queues=[QUEUES[kind]], concurrency=MOST_AT_ONCE, delete_jobs="successful", install_signal_handlers=False)
