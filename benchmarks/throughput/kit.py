"""What both sides have in common: a model that answers at once, our engine around it, and the bare engine around it.

- `handrail`: a desk, `PostgresEngine` and `Worker`: the journal, the history and the job's row are written.
- `bare`: Procrastinate as it comes, with the same lock for a session; its task asks the same model and writes nothing.
"""

from procrastinate import App, PsycopgConnector
from sqlalchemy.ext.asyncio import AsyncEngine

from handrail import Agent
from handrail.drivers.clock import SystemClock
from handrail.drivers.watching import OnEvent
from handrail.drivers.worker import Served, Worker
from handrail.engines.postgres import CONNECTIONS, MOST_AT_ONCE, PostgresEngine
from handrail.ports import OnDelta
from handrail.testing import says
from handrail.vocab.messages import Said, UserMessage
from handrail.vocab.requests import ModelAnswer, ModelRequest

APP = "mini"
BARE_QUEUE = "bare"
BARE_TASK = "bare"


class Instant:
    """A model that answers at once."""

    async def reply(self, request: ModelRequest, *, on_delta: OnDelta | None = None) -> ModelAnswer:
        """Answer."""
        return says("done")


def engine(database: AsyncEngine) -> PostgresEngine:
    """Our engine, with its settings as they come."""
    return PostgresEngine(database, clock=SystemClock())


def worker(database: AsyncEngine, over: PostgresEngine, on_event: OnEvent) -> Worker:
    """Our worker."""
    served = {APP: Served(agent=Agent(name=APP, instructions="Answer.", model="instant"), model=Instant())}
    return Worker(engine=database, served=served, wake=over.wake, clock=SystemClock(), on_event=on_event)


def bare(url: str) -> App:
    """The bare engine, with as many connections."""
    app = App(connector=PsycopgConnector(conninfo=url, min_size=1, max_size=CONNECTIONS))
    model = Instant()

    @app.task(name=BARE_TASK, queue=BARE_QUEUE)
    async def ask(message: str) -> None:
        await model.reply(ModelRequest(model="instant", system="Answer.", messages=(UserMessage(said=(Said(text=message),)),)))

    return app


async def run_bare(app: App) -> None:
    """Take jobs until cancelled."""
    await app.run_worker_async(queues=[BARE_QUEUE], concurrency=MOST_AT_ONCE, delete_jobs="successful", install_signal_handlers=False)
