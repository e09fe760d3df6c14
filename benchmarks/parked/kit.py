"""The agent whose runs wait: it pays when a person says yes, which they have thirty days for."""

from datetime import timedelta

from sqlalchemy.ext.asyncio import AsyncEngine

from handrail import Agent, tool
from handrail.drivers.clock import SystemClock
from handrail.drivers.worker import Served, Worker
from handrail.engines.contract import Engine
from handrail.guards import Approval
from handrail.ports import OnDelta
from handrail.service.opening import engine_for
from handrail.testing import calls, says
from handrail.vocab.messages import ToolMessage
from handrail.vocab.requests import ModelAnswer, ModelRequest

APP = "payer"


@tool(effect="write")
async def pay(to: str, cents: int) -> str:
    """Pay somebody.

    Args:
        to: whom.
        cents: how much.
    """
    return f"paid {cents} to {to}"


class Payer:
    """A model that wants to pay, and says so when it has."""

    async def reply(self, request: ModelRequest, *, on_delta: OnDelta | None = None) -> ModelAnswer:
        """Answer."""
        return says("paid") if isinstance(request.messages[-1], ToolMessage) else calls(("pay", {"to": "bob", "cents": 5}))


def engine(database: AsyncEngine) -> Engine:
    """The one that fits the database, with its settings as they come."""
    return engine_for(database, SystemClock())


def worker(database: AsyncEngine, over: Engine) -> Worker:
    """Our worker."""
    agent = Agent(name=APP, instructions="Pay.", model="payer", tools=[pay], guards=[Approval("pay", expires=timedelta(days=30))])
    return Worker(engine=database, served={APP: Served(agent=agent, model=Payer())}, wake=over.wake, clock=SystemClock())
