"""AWS Lambda as it is: real processes of `awslambdaric`, called through the Invoke and Runtime APIs, on a real PostgreSQL."""

import asyncio
import base64
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from threading import Event
from typing import Any

import psycopg
import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from handrail.drivers.clock import SystemClock
from handrail.engines.aws_lambda.engine import LambdaEngine
from handrail.models.rehearsal.scenario import Conversation, Move
from handrail.models.rehearsal.server import started
from handrail.models.rehearsal.temperament import Bent, Dice, Hang
from handrail.service.desk import Asked, Desk
from handrail.stores import jobs, keys
from handrail.stores.database import make_engine
from handrail.stores.jobs import Job
from handrail.stores.migrating import migrate
from handrail.stores.tables import session_leases
from handrail.stores.transactions import read, write
from handrail.testing.engines import PATIENCE
from tests.engines.lambda_app import BOOKED, ledger, scenarios
from tests.engines.lambda_fake import Function, FunctionError, faked
from tests.service.telemetry.outside import Collector
from tests.service.telemetry.outside import serving as telling

pytestmark = pytest.mark.slow
NEVER = "86400000"
"""Milliseconds after which an exporter would send by itself what waits."""

API, RUNNER, OPERATOR = "api", "runner", "operator"


class Once:
    """A model that never answers the first request, and every other one."""

    def __init__(self) -> None:
        self.asked = Event()

    def bend(self, move: Move, conversation: Conversation, dice: Dice) -> Bent:
        if self.asked.is_set():
            return move
        self.asked.set()
        return Hang()


class Deployment:
    """The functions, and the database behind them."""

    def __init__(self, functions: Mapping[str, Function], database: AsyncEngine) -> None:
        self.api = functions[API]
        self.runner = functions[RUNNER]
        self.operator = functions[OPERATOR]
        self.database = database
        self.key = ""

    async def tell(self, message: str) -> None:
        """Take a message on here, without a process of the API's."""

        async def invoke(session_id: str) -> None:
            self.runner.invoke(json.dumps({"session_id": session_id}).encode())

        engine = LambdaEngine(self.database, clock=SystemClock(), invoke=invoke)
        desk = Desk(self.database, engine, apps=("clerk",), clock=SystemClock())
        await desk.invoke(Asked(user_id="ada", session_id="s", app="clerk", message=message))
        await engine.told()

    async def request(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """A request as API Gateway hands it on."""
        said = {"Authorization": f"Bearer {self.key}", "X-API-Key": "the gateway's own", "Content-Type": "application/json"}
        event = {
            "resource": "/{proxy+}",
            "path": path,
            "httpMethod": method,
            "headers": said,
            "multiValueHeaders": {name: [value] for name, value in said.items()},
            "queryStringParameters": None,
            "multiValueQueryStringParameters": None,
            "requestContext": {"stage": "prod", "path": path, "httpMethod": method, "identity": {"sourceIp": "192.0.2.1"}},
            "body": None if body is None else json.dumps(body),
            "isBase64Encoded": False,
        }
        answer = await self.api.ask(event)
        text = base64.b64decode(answer["body"]).decode() if answer["isBase64Encoded"] else answer["body"]
        return answer["statusCode"], json.loads(text) if text.startswith(("{", "[")) else text

    async def ask(self, message: str, *, session: str = "s") -> str:
        """A job, by its id."""
        status, body = await self.request("POST", "/agent/invoke", {"session_id": session, "user_id": "ada", "message": message})
        assert status == 202, body
        job_id: str = body["job_id"]
        return job_id

    async def jobs(self) -> list[Job]:
        found = await read(self.database, jobs.listed)
        return sorted(found, key=lambda job: (job.session_id, job.place))

    async def booked(self) -> list[str]:
        async def act(connection: AsyncConnection) -> list[str]:
            return list(await connection.scalars(select(ledger.c.entry).order_by(ledger.c.number)))

        return await read(self.database, act)

    async def until(self, holds: Callable[[list[Job]], bool]) -> list[Job]:
        """The jobs, once that holds after an invocation of the runner."""
        async with asyncio.timeout(PATIENCE), self.runner.ended:
            while not holds(found := await self.jobs()):
                assert not self.runner.broken, self.runner.broken
                await self.runner.ended.wait()
            return found


@asynccontextmanager
async def heard(url: str) -> AsyncIterator[None]:
    """Wait at the end until the tool has said in the database that it has booked."""
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        await connection.execute(f"LISTEN {BOOKED}")
        yield
        async for _ in connection.notifies(timeout=PATIENCE):
            return
        raise AssertionError("nothing was booked")


@asynccontextmanager
async def deployed(
    url: str, *, runner_seconds: float = 900, model: Once | None = None, more: Mapping[str, str] | None = None
) -> AsyncIterator[Deployment]:
    """Three functions without a process, and a database without handrail's tables."""
    handlers = {
        API: ("handrail.engines.aws_lambda.api_handler", 5.0),
        RUNNER: ("handrail.engines.aws_lambda.runner_handler", runner_seconds),
        OPERATOR: ("handrail.service.aws_lambda.operator_handler", 300.0),
    }
    settings = {
        "HANDRAIL_DATABASE_URL": url,
        "HANDRAIL_APPS": "tests.engines.lambda_app:app",
        "HANDRAIL_LAMBDA_PROGRAM": "handrail.service.aws_lambda:opened",
        "HANDRAIL_RUNNER_FUNCTION": RUNNER,
        **(more or {}),
    }
    database = make_engine(url)
    try:
        async with started(scenarios(), temperament=model) as place:
            settings["OPENAI_BASE_URL"] = place
            async with faked(handlers, environment=settings, secret={"OPENAI_API_KEY": "a secret"}) as functions:
                made = Deployment(functions, database)
                async with database.begin() as connection:
                    await connection.run_sync(ledger.metadata.create_all)
                yield made
    finally:
        await database.dispose()


async def test_racing_wake_ups_run_the_jobs_of_a_session_once_and_in_order(postgres_url: str) -> None:
    async with deployed(postgres_url) as deployment:
        await migrate(deployment.database)
        deployment.key, _ = await write(deployment.database, keys.create, user_id="ada", at=SystemClock().now())
        await deployment.api.start()
        messages = [f"{session} {number}" for number in range(4) for session in ("a", "b")]
        job_ids = [await deployment.ask(message, session=message[0]) for message in messages]
        assert await deployment.request("GET", f"/agent/jobs/{job_ids[0]}/events") == (200, ""), "a stream ends in time, and may be empty"
        assert (len(deployment.runner.invoked), await deployment.booked()) == (8, [])
        for _ in range(2):
            await deployment.runner.start()
        found = await deployment.until(lambda found: all(job.ended for job in found))
        assert [(job.status, job.response) for job in found] == [("COMPLETE", f"booked {job.message}") for job in found]
        booked = await deployment.booked()
        assert [entry for entry in booked if entry[0] == "a"] == [f"a {number}" for number in range(4)]
        assert [entry for entry in booked if entry[0] == "b"] == [f"b {number}" for number in range(4)]
        assert len(booked) == 8
        status, body = await deployment.request("GET", f"/agent/status/{found[0].job_id}")
        assert (status, body["status"], body["response"]) == (200, "COMPLETE", "booked a 0")
        status, body = await deployment.request("GET", f"/agent/jobs/{found[0].job_id}/events")
        assert status == 200 and body.count("\ndata: ") == body.count("id: ") > 3 and '"RunFinished"' in body


async def test_a_session_whose_process_was_killed_is_taken_over_and_its_tool_does_not_run_twice(postgres_url: str) -> None:
    async with deployed(postgres_url) as deployment:
        await migrate(deployment.database)
        process = await deployment.runner.start()
        async with heard(postgres_url):
            await deployment.tell("hang")
        assert await deployment.booked() == ["hang"]
        await deployment.runner.start()
        assert await deployment.runner.ask({"session_id": "nobody knows it"}) == {"served": False}
        process.kill()
        await process.wait()

        async def until(connection: AsyncConnection) -> Any:
            return await connection.scalar(select(session_leases.c.until))

        await SystemClock().sleep_until(await read(deployment.database, until))
        assert await deployment.runner.ask({"sweep": True}) == {"woken": 1}
        (job,) = await deployment.until(lambda found: found[0].ended)
        assert (job.status, await deployment.booked()) == ("COMPLETE", ["hang"])
        assert "outcome of this call is unknown" in (job.response or "")


async def test_a_run_near_the_end_of_its_time_goes_on_in_another_invocation(postgres_url: str) -> None:
    model = Once()
    async with deployed(postgres_url, runner_seconds=4, model=model) as deployment:
        await migrate(deployment.database)
        await deployment.runner.start()
        await deployment.tell("hello")
        (job,) = await deployment.until(lambda found: found[0].ended)
        assert model.asked.is_set()
        assert (job.status, job.response, await deployment.booked()) == ("COMPLETE", "booked hello", ["hello"])
        assert len(deployment.runner.invoked) >= 2


async def test_a_process_speaks_to_its_model_as_the_settings_say_and_its_telemetry_is_sent_before_it_is_frozen(postgres_url: str) -> None:
    class Kept(Collector):
        got = []

    with telling(Kept) as url:
        more = {"HANDRAIL_TRANSPORT": "aiohttp", "HANDRAIL_TELEMETRY": "otlp", "OTEL_EXPORTER_OTLP_ENDPOINT": url}
        more |= {"OTEL_BSP_SCHEDULE_DELAY": NEVER, "OTEL_METRIC_EXPORT_INTERVAL": NEVER}
        async with deployed(postgres_url, more=more) as deployment:
            await migrate(deployment.database)
            await deployment.runner.start()
            await deployment.tell("hello")
            await deployment.until(lambda found: found[0].ended)
            async with asyncio.timeout(PATIENCE):
                # What takes longer than an invocation gives it is sent with the next one.
                while not all(any(name in body for _, body in Kept.got) for name in (b"invoke_agent clerk", b"execute_tool book")):
                    assert await deployment.runner.ask({"session_id": "nobody knows it"}) == {"served": False}


async def test_an_operator_migrates_and_makes_keys_and_an_event_that_is_none_does_nothing(postgres_url: str) -> None:
    async with deployed(postgres_url) as deployment:
        await deployment.operator.start()
        await deployment.runner.start()
        with pytest.raises(FunctionError, match="run `handrail migrate`"):
            await deployment.runner.ask({"sweep": True})
        assert (await deployment.operator.ask({"migrate": True}))["before"] is None
        made = await deployment.operator.ask({"key_for": "ada", "scopes": ["act-as"]})
        key = await read(deployment.database, keys.checked, made["key"])
        assert key is not None and (key.key_id, key.user_id, key.scopes) == (made["key_id"], "ada", ("act-as",))
        strange: Mapping[Function, Sequence[Any]] = {
            deployment.runner: ({"session_id": 5}, {"session_id": "s" * 201}, {"sweep": False}, ["s"]),
            deployment.operator: ({"migrate": "yes"}, {"drop": True}, {"key_for": "ada", "scopes": [["act-as"]]}),
        }
        for function, events in strange.items():
            for event in events:
                with pytest.raises(FunctionError, match="an event is"):
                    await function.ask(event)
        assert await deployment.runner.ask({"session_id": "nobody knows it"}) == {"served": False}
