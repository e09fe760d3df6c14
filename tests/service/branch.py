"""A branch of a small bank over HTTP: one app whose agent does whatever it is told, and asks before it pays.

No test waits for a time: the clock stands still until it is told to go on, and `until` waits for an event of a run.
"""

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import httpx2
from fastapi import FastAPI
from sqlalchemy.ext.asyncio import AsyncEngine

from handrail import Agent, ToolContext, tool
from handrail.core.events import Event, RunFinished, RunParked
from handrail.core.state import RunState
from handrail.engines.contract import Engine
from handrail.engines.embedded import EmbeddedEngine
from handrail.guards import Approval
from handrail.ports import OnDelta
from handrail.service import App
from handrail.service.app import make_app
from handrail.service.running import Running
from handrail.service.settings import Settings
from handrail.stores import keys
from handrail.stores.transactions import write
from handrail.testing import ManualClock, calls, says
from handrail.vocab.messages import ToolMessage, UserMessage
from handrail.vocab.requests import ModelAnswer, ModelRequest

LONGEST = 240
"""Seconds after which what hangs fails its test; nothing is judged by how fast it is."""

SECRET = "a secret that signs cookies in tests"
_PAY = re.compile(r"pay (\d+) to (\w+)")


@tool(effect="write")
async def pay(to: str, cents: int, context: ToolContext[list[str]]) -> str:
    """Pay somebody.

    Args:
        to: whom.
        cents: how much.
        context: where it is noted.
    """
    context.deps.append(f"{to} {cents}")
    return f"paid {cents} to {to}"


def teller(expires: timedelta = timedelta(hours=1)) -> Agent:
    return Agent(name="teller", instructions="Do as you are told.", model="m", tools=[pay], guards=[Approval("pay", expires=expires)])


class Obliging:
    """A model that does what the last message says: `pay 5 to bob` is a call, `wait` waits for `go_on`, everything else is repeated."""

    def __init__(self) -> None:
        self.requests: list[ModelRequest] = []
        self.asked = asyncio.Event()
        self.go_on = asyncio.Event()

    async def reply(self, request: ModelRequest, *, on_delta: OnDelta | None = None) -> ModelAnswer:
        self.requests.append(request)
        last = request.messages[-1]
        if isinstance(last, ToolMessage):
            return says(f"Done: {last.content}")
        said = last.said[-1].text if isinstance(last, UserMessage) else ""
        if said == "wait":
            self.asked.set()
            await self.go_on.wait()
        wanted = [("pay", {"to": to, "cents": int(cents)}) for cents, to in _PAY.findall(said)]
        return calls(*wanted) if wanted else says(f"You said: {said}")


class Branch:
    """The service, open, and what is behind it."""

    def __init__(self, service: FastAPI, running: Running, clock: ManualClock, model: Obliging, paid: list[str]) -> None:
        self.service = service
        self.running = running
        self.clock = clock
        self.model = model
        self.paid = paid
        self._seen: list[tuple[str, Event]] = []
        self._news = asyncio.Condition()

    async def saw(self, event: Event, state: RunState) -> None:
        async with self._news:
            self._seen.append((state.run_id, event))
            self._news.notify_all()

    async def until(self, job_id: str, *kinds: type[Event], times: int = 1) -> None:
        """Wait until such an event of the job is written for the so-manieth time."""

        def happened() -> bool:
            return sum(name == job_id and isinstance(event, kinds) for name, event in self._seen) >= times

        async with asyncio.timeout(LONGEST), self._news:
            await self._news.wait_for(happened)

    async def ended(self, job_id: str) -> None:
        await self.until(job_id, RunFinished)

    async def waits(self, job_id: str, *, times: int = 1) -> None:
        await self.until(job_id, RunParked, times=times)

    async def key(self, user_id: str, *scopes: str) -> str:
        text, _ = await write(self.running.database, keys.create, user_id=user_id, scopes=scopes, at=self.clock.now())
        return text

    @asynccontextmanager
    async def stranger(self, **headers: str) -> AsyncIterator[httpx2.AsyncClient]:
        """A client without a key; what the service raises is an answer."""
        transport = httpx2.ASGITransport(self.service, raise_app_exceptions=False)
        async with httpx2.AsyncClient(transport=transport, base_url="http://service.test", headers=headers) as client:
            yield client

    @asynccontextmanager
    async def client(self, user_id: str, *scopes: str) -> AsyncIterator[httpx2.AsyncClient]:
        async with self.stranger(Authorization=f"Bearer {await self.key(user_id, *scopes)}") as client:
            yield client


MakeEngine = Callable[..., Engine]


@asynccontextmanager
async def opened(
    database: AsyncEngine,
    *,
    apps: Sequence[App] = (),
    agent: Callable[[], Agent] = teller,
    engine: MakeEngine = EmbeddedEngine,
    start: bool = True,
    **fields: Any,
) -> AsyncIterator[Branch]:
    """A branch on that database. Without `start` nothing runs: what is taken on stays pending."""
    paid: list[str] = []

    @asynccontextmanager
    async def deps() -> AsyncIterator[list[str]]:
        yield paid

    served = [App(name="bank", summary="Pays.", agent=agent, deps=deps), *apps]
    settings = Settings(**{"secret": SECRET, **fields})
    clock, model = ManualClock(), Obliging()
    made = engine(database, clock=clock)
    running = Running(database, apps=[app.name for app in served], settings=settings, clock=clock, engine=made, runs=start)
    seeing: list[Branch] = []

    async def saw(event: Event, state: RunState) -> None:
        await seeing[0].saw(event, state)

    service = make_app(served, model=model, settings=settings, running=running, on_event=saw)
    branch = Branch(service, running, clock, model, paid)
    seeing.append(branch)
    async with service.router.lifespan_context(service):
        yield branch


async def invoke(client: httpx2.AsyncClient, message: str, *, session: str = "s1", **more: Any) -> str:
    """Ask, and get the job's id."""
    answer = await client.post("/agent/invoke", json={"session_id": session, "message": message, **more})
    assert answer.status_code == 202, answer.text
    job_id: str = answer.json()["job_id"]
    return job_id


async def approval_of(client: httpx2.AsyncClient, job_id: str) -> dict[str, Any]:
    """The one approval of the job that waits."""
    found: list[dict[str, Any]] = (await client.get("/agent/approvals", params={"job_id": job_id, "status": "pending"})).json()["approvals"]
    assert len(found) == 1
    return found[0]
