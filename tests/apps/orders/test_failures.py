"""A provider that fails is a 502 that leaks nothing. The client's two retries are the only ones (case 34)."""

import asyncio
import socket
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import httpx2
import pytest
from openai import AsyncOpenAI
from starlette.responses import Response

from handrail.models import OpenAIChat
from handrail.service import find_app
from handrail.service.app import make_app
from tests.apps.orders.console import CHAT, calls, console, says
from tests.models.providing import fails, replies, whole
from tests.service.kit import asking

pytestmark = pytest.mark.usefixtures("database")
SECRET = "hunter2"
FAILED = {
    "type": "about:blank",
    "title": "Bad Gateway",
    "status": 502,
    "code": "model_failed",
    "detail": "The model did not answer. Nothing is wrong with your question: try again later.",
}


async def _fails_with(played: Callable[[], Response], *, requests: int) -> None:
    async with console(played) as asked:
        answer = await asked.ask(f"my secret is {SECRET}")
        assert len(asked.provider.bodies) == requests
    assert (answer.status_code, answer.json()) == (502, FAILED)
    assert answer.headers["content-type"] == "application/problem+json"
    assert SECRET not in answer.text and SECRET not in str(answer.headers)


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503])
async def test_case_34_what_may_pass_is_asked_three_times_and_not_once_more(status: int) -> None:
    await _fails_with(fails(status, f"sk-test-{SECRET} is over its limit"), requests=3)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 418, 422])
async def test_case_34_what_cannot_pass_is_asked_once(status: int) -> None:
    await _fails_with(fails(status, f"sk-test-{SECRET} is not known"), requests=1)


async def test_a_failure_that_passes_is_not_noticed() -> None:
    async with console(fails(429), fails(500), says("Here I am.")) as asked:
        assert (await asked.ask()).json() == {"answer": "Here I am."}
        assert len(asked.bodies) == 3


async def test_a_failure_after_a_look_up_is_a_502_too() -> None:
    async with console(calls({"customer_email": "amber@example.com"}), fails(401)) as asked:
        answer = await asked.ask()
        assert len(asked.bodies) == 2
    assert (answer.status_code, answer.json()) == (502, FAILED)


def _text(body: str, kind: str = "application/json") -> Callable[[], Response]:
    return lambda: Response(body, media_type=kind)


@pytest.mark.parametrize(
    "played",
    [
        _text(""),
        _text("{"),
        _text("null"),
        _text("[]"),
        _text('"done"'),
        _text(f"<html>{SECRET}</html>", "text/html"),
        replies({}),
        replies({"choices": []}),
        replies({"choices": None}),
        replies({"choices": [{}]}),
        replies({"choices": [{"index": 0, "finish_reason": "stop", "message": None}]}),
        replies({"error": {"message": SECRET}}),
        replies(whole({"content": 5})),
        replies(whole({"content": None, "tool_calls": [{"id": "c", "type": "function"}]})),
    ],
)
async def test_a_200_that_is_no_completion_is_a_502(played: Callable[[], Response]) -> None:
    await _fails_with(played, requests=1)


def _asking(client: AsyncOpenAI) -> AbstractAsyncContextManager[httpx2.AsyncClient]:
    return asking(make_app([find_app("orders")], model=OpenAIChat(client=client)))


@pytest.mark.slow
async def test_case_34_a_provider_that_cannot_be_reached_is_a_502() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    async with AsyncOpenAI(base_url=f"http://127.0.0.1:{port}/v1", api_key=f"sk-test-{SECRET}") as client, _asking(client) as asked:
        answer = await asked.post(CHAT, json={"message": "hello"})
    assert (answer.status_code, answer.json()) == (502, FAILED)
    assert str(port) not in answer.text


@pytest.mark.slow
async def test_case_34_a_provider_that_does_not_answer_in_time_is_asked_three_times() -> None:
    connections: list[Any] = []

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections.append(writer)
        await reader.read()  # to the end, which comes when the client has given up
        writer.close()

    server = await asyncio.start_server(silent, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    client = AsyncOpenAI(base_url=f"http://127.0.0.1:{port}/v1", api_key="sk-test", timeout=0.2)
    async with server, client, _asking(client) as asked:
        answer = await asked.post(CHAT, json={"message": "hello"})
    assert (answer.status_code, answer.json()) == (502, FAILED)
    assert len(connections) == 3
