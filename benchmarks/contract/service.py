"""The service that is asked: one app, with a session, a job that has ended, and an approval that waits: there is something to find."""

import asyncio
import signal
import sys
import tempfile
from pathlib import Path

import msgspec

from handrail import Agent, tool
from handrail.cli.listening import listening, url
from handrail.guards import Approval
from handrail.ports import OnDelta
from handrail.service import App
from handrail.service.app import make_app
from handrail.service.auth.callers import ACT_AS
from handrail.service.desk import Asked
from handrail.service.http import Http
from handrail.service.opening import make_ready
from handrail.service.running import Running
from handrail.service.settings import Settings
from handrail.stores import keys
from handrail.stores.database import make_engine
from handrail.stores.jobs import Job, JobStatus
from handrail.stores.transactions import write
from handrail.testing import calls, says
from handrail.vocab.messages import ToolMessage, UserMessage
from handrail.vocab.requests import ModelAnswer, ModelRequest

LONGEST_PAUSE = 600.0
"""Seconds after which something hangs."""

ASK = "please pay bob what he is owed"
APP = "parrot"
USER = "contract"
MANY = 1_000_000


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """Where the service is, who may ask it, and what is there."""

    url: str
    key: str
    session_id: str
    job_id: str
    approval_id: str
    model_id: str = APP
    call_id: str = "t1c1"


@tool(effect="write")
async def pay(to: str) -> str:
    """Pay somebody.

    Args:
        to: whom.
    """
    return f"paid {to}"


class Parrot:
    """A model that repeats what it hears, and pays where it is told to."""

    async def reply(self, request: ModelRequest, *, on_delta: OnDelta | None = None) -> ModelAnswer:
        """Answer at once."""
        match request.messages[-1]:
            case UserMessage(said=said) if said[-1].text == ASK:
                return calls(("pay", {"to": "bob"}))
            case UserMessage(said=said):
                return says(said[-1].text[:100])
            case ToolMessage(content=content):
                return says(content)
            case _:
                return says("")


def _agent() -> Agent:
    return Agent(name=APP, instructions="Repeat.", model="m", tools=[pay], guards=[Approval("pay")])


async def _main() -> None:
    """Serve on a free port, say where and what is there in one line, and stop on SIGTERM."""
    with tempfile.TemporaryDirectory() as folder, listening("127.0.0.1", 0) as listener:
        database = make_engine(f"sqlite:///{Path(folder) / 'contract.db'}")
        await make_ready(database)
        settings = Settings(most_requests_per_minute=MANY, most_messages_per_minute=MANY, most_streams=MANY)
        running = Running(database, apps=[APP], settings=settings)
        service = make_app([App(name=APP, summary="Repeats.", agent=_agent)], model=Parrot(), settings=settings, running=running)
        http = Http(service, stopping=running.streams.close)
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, http.stop)
        async with service.router.lifespan_context(service):
            sys.stdout.write(msgspec.json.encode(await _known(running, url(listener))).decode() + "\n")
            sys.stdout.flush()
            await http.serve(listener)
        await database.dispose()


async def _known(running: Running, address: str) -> Known:
    key, _ = await write(running.database, keys.create, user_id=USER, scopes=[ACT_AS], at=running.clock.now())
    done = await _came(running, "hello", "done", JobStatus.COMPLETE)
    waits = await _came(running, ASK, "waits", JobStatus.INPUT_REQUIRED)
    approvals = await running.desk.approvals(USER)
    assert [approval.job_id for approval in approvals] == [waits.job_id]
    return Known(url=address, key=key, session_id=done.session_id, job_id=done.job_id, approval_id=approvals[0].approval_id)


async def _came(running: Running, message: str, session_id: str, status: JobStatus) -> Job:
    """A job that has come as far as that."""
    job = await running.desk.invoke(Asked(user_id=USER, session_id=session_id, app=APP, message=message))
    async with asyncio.timeout(LONGEST_PAUSE):
        while job.status is not status:
            await asyncio.sleep(0.02)
            job = await running.desk.job(USER, job.job_id)
    return job


if __name__ == "__main__":
    asyncio.run(_main())
