"""A process of Lambda's: one loop and one program for all its invocations, named by the environment."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from handrail.drivers.clock import SystemClock
from handrail.engines.aws_lambda import api_handler
from handrail.engines.aws_lambda.engine import LambdaEngine
from handrail.engines.aws_lambda.handlers import PROGRAM, Program, Sandbox, prepare
from handrail.errors import InputError, RemoteError
from handrail.service.settings import read_settings
from handrail.stores.database import make_engine
from handrail.stores.migrating import migrate
from handrail.stores.transactions import write
from tests.stores.kit import added

PLACE = "tests.engines.test_aws_lambda_handlers:opened"
happened: list[str] = []
flushed: list[tuple[list[str], float]] = []


class Context:
    """What Lambda tells a handler beside the event."""

    def get_remaining_time_in_millis(self) -> int:
        return 5_000


async def invoke(session_id: str) -> None:
    happened.append(f"invoked for {session_id}")
    raise RemoteError("nobody is there")


async def flush(seconds: float) -> None:
    flushed.append((list(happened), seconds))


@asynccontextmanager
async def opened(runs: bool) -> AsyncIterator[Program]:
    """A program that wakes a session at each request, and says on which loop it runs."""
    database, clock = make_engine(read_settings().database_url.get_secret_value()), SystemClock()
    engine = LambdaEngine(database, clock=clock, invoke=invoke)

    async def woken(request: Request) -> JSONResponse:
        await write(database, engine.wake, "s")
        return JSONResponse({"loop": id(asyncio.get_running_loop())})

    async def advance(session_id: str) -> None:
        happened.append(f"advanced {session_id}")

    try:
        await migrate(database)
        await added(database, session_id="s")
        if runs:
            await engine.start(advance)
        happened.append("opened")
        yield Program(app=Starlette(routes=[Route("/wake", woken)]), engine=engine, clock=clock, flush=flush)
    finally:
        await database.dispose()
        happened.append("closed")


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[pytest.MonkeyPatch]:
    happened.clear()
    flushed.clear()
    monkeypatch.setenv("HANDRAIL_DATABASE_URL", f"sqlite:///{tmp_path / 'handrail.db'}")
    monkeypatch.setenv(PROGRAM, PLACE)
    yield monkeypatch
    happened.clear()


def request() -> dict[str, Any]:
    return {
        "resource": "/{proxy+}",
        "path": "/wake",
        "httpMethod": "GET",
        "headers": {},
        "multiValueHeaders": {},
        "queryStringParameters": None,
        "multiValueQueryStringParameters": None,
        "requestContext": {"identity": {"sourceIp": "192.0.2.1"}},
        "body": None,
        "isBase64Encoded": False,
    }


def test_all_requests_of_a_process_are_answered_on_one_loop_and_whom_they_wake_is_invoked_before_the_answer(
    environment: pytest.MonkeyPatch,
) -> None:
    sandbox = Sandbox(runs=False)
    try:
        first = sandbox.answer(request(), Context())
        assert happened == ["opened", "invoked for s"], "a process that is frozen after its answer sends nothing"
        second = sandbox.answer(request(), Context())
        assert (first["statusCode"], json.loads(first["body"])) == (200, json.loads(second["body"]))
    finally:
        sandbox.close()
    assert happened == ["opened", "invoked for s", "invoked for s", "closed"]


def test_a_runner_sweeps_and_serves_what_is_wanted(environment: pytest.MonkeyPatch) -> None:
    api = Sandbox(runs=False)
    try:
        api.answer(request(), Context())
    finally:
        api.close()
    happened.clear()
    runner = Sandbox(runs=True)
    try:
        assert runner.serve({"sweep": True}, Context()) == {"woken": 1}
        assert runner.serve({"session_id": "s"}, Context()) == {"served": True}
        assert runner.serve({"session_id": "s"}, Context()) == {"served": False}
    finally:
        runner.close()
    assert happened == ["opened", "invoked for s", "advanced s", "closed"]


def test_telemetry_is_sent_before_an_invocation_ends_and_takes_a_part_of_what_is_left_of_its_time(environment: pytest.MonkeyPatch) -> None:
    sandbox = Sandbox(runs=True)
    try:
        sandbox.answer(request(), Context())
        assert flushed == [(["opened", "invoked for s"], 1.25)]
        sandbox.serve({"session_id": "s"}, Context())
        assert [seen[-1] for seen, _ in flushed] == ["invoked for s", "advanced s"]
        with pytest.raises(InputError, match="an event is"):
            sandbox.serve({}, Context())
        assert len(flushed) == 3, "of an invocation that fails, too"
    finally:
        sandbox.close()


def test_without_a_program_or_with_one_that_is_not_there_it_is_said_what_is_missing(environment: pytest.MonkeyPatch) -> None:
    environment.setenv(PROGRAM, "tests.engines.nowhere:opened")
    with pytest.raises(InputError, match=r"names 'tests\.engines\.nowhere:opened', which is not there"):
        Sandbox(runs=True)
    environment.delenv(PROGRAM)
    with pytest.raises(InputError, match="HANDRAIL_LAMBDA_PROGRAM names no program"):
        api_handler(request(), Context())


def test_a_process_that_could_not_be_opened_says_so_at_each_invocation(environment: pytest.MonkeyPatch) -> None:
    environment.setenv("HANDRAIL_DATABASE_URL", "mysql://nobody")
    for _ in range(2):
        with pytest.raises(InputError, match="of the kind 'mysql'"):
            api_handler(request(), Context())


def test_a_program_is_imported_before_the_first_invocation_where_lambda_calls_these_handlers(environment: pytest.MonkeyPatch) -> None:
    environment.setenv(PROGRAM, "tests.engines.nowhere:opened")
    prepare()
    environment.setenv("_HANDLER", "handrail.engines.aws_lambda.api_handler")
    with pytest.raises(InputError, match="which is not there"):
        prepare()
