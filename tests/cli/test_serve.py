"""`handrail serve`: apps over HTTP, with the live timeline, and the stand-in where there is no key."""

import http.client
import json
import signal
import socket
from pathlib import Path

import pytest
from typer import Typer
from typer.testing import CliRunner

from handrail.apps.orders.data import fill
from handrail.cli import serve
from handrail.stores.database import make_engine
from tests.cli.processes import LONGEST, finished, running
from tests.databases import sqlite_copy

COMMANDS = Typer()
COMMANDS.command()(serve.command)
OWN_APP = """
from fastapi import APIRouter
from handrail import Agent
from handrail.service import App, Serving
from handrail.service.problems import answered

def agent():
    return Agent(name="echo", instructions="Answer.", model="some-model")

def router(serving: Serving) -> APIRouter:
    routes = APIRouter()

    @routes.post("/echo")
    async def echo() -> dict[str, str]:
        return {"answer": answered(await serving.ask("hello"))}

    return routes

app = App(name="echo", summary="Answers.", agent=agent, routes="own", open_routes={"/echo": "it only answers"})
"""


async def filled(url: str) -> None:
    engine = make_engine(url)
    await fill(engine)
    await engine.dispose()


def _asked(port: int, method: str, path: str, body: dict[str, str] | None = None, key: str = "") -> tuple[int, dict[str, str]]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=LONGEST)
    try:
        connection.request(method, path, json.dumps(body) if body else None, {"Content-Type": "application/json", "X-API-Key": key})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


@pytest.mark.slow
def test_orders_are_served_with_the_stand_in_and_every_run_has_its_timeline(tmp_path: Path) -> None:
    url = sqlite_copy(filled, tmp_path / "orders.db")
    more = {"HANDRAIL_DATABASE_URL": url, "HANDRAIL_TIMELINE": "1"}
    with running(["serve", "--app", "orders"], folder=tmp_path, stop=signal.SIGINT, more=more) as server:
        assert _asked(server.port, "GET", "/readyz") == (200, {"status": "ready"})
        status, body = _asked(server.port, "POST", "/orders/chat", {"message": "the last 80 orders of basil@example.com"})
    assert status == 200 and body["answer"].startswith("basil@example.com has 6 such orders")
    assert (
        "The model is the rehearsal, a rule-based stand-in for a model, which understands no language (OPENAI_API_KEY is not set)."
        in server.printed
    )
    assert f"handrail serves orders at http://127.0.0.1:{server.port}" in server.printed
    assert "refused" in server.printed and "limit must be at most 50, not 80" in server.printed and "completed" in server.printed
    assert server.status == 0 and "Traceback" not in server.printed


@pytest.mark.slow
def test_an_app_of_ones_own_beside_which_one_stands_is_served_the_same_way(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(OWN_APP)
    with running(["serve", "--app", "own:app", "--model", "rehearsal"], folder=tmp_path, stop=signal.SIGINT, more={}) as server:
        status, body = _asked(server.port, "POST", "/echo")
    assert status == 200 and "rehearsal" in body["answer"]
    assert "(OPENAI_API_KEY is not set)" not in server.printed
    assert server.status == 0 and "Traceback" not in server.printed


@pytest.mark.slow
@pytest.mark.parametrize("logs", ["text", "json"])
def test_what_is_collected_from_a_container_holds_nothing_that_people_say(logs: str, tmp_path: Path) -> None:
    url = sqlite_copy(filled, tmp_path / "orders.db")
    more = {"HANDRAIL_DATABASE_URL": url, "HANDRAIL_LOGS": logs}
    with running(["serve", "--app", "orders", "--user", "alice"], folder=tmp_path, stop=signal.SIGTERM, more=more) as server:
        assert _asked(server.port, "POST", "/orders/chat", {"message": "the last 20 orders of basil@example.com"})[0] == 200
    assert "handrail serves orders at" in server.printed and "basil" not in server.printed
    assert server.status == 0 and "Traceback" not in server.printed
    records = [json.loads(line) for line in server.printed.splitlines()] if logs == "json" else []
    assert (len(records) > 0, "Sign in as alice" in server.printed) == (logs == "json", logs == "text")


@pytest.mark.slow
def test_a_database_that_was_not_filled_is_not_ready_and_says_what_to_do(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'orders.db'}"
    with running(["serve", "--app", "orders"], folder=tmp_path, stop=signal.SIGTERM, more={"HANDRAIL_DATABASE_URL": url}) as server:
        status, body = _asked(server.port, "GET", "/readyz")
    assert status == 503 and "handrail seed orders" in json.dumps(body)
    (line,) = [line for line in server.printed.splitlines() if line.startswith("orders is not ready: ")]
    assert "run `handrail seed orders`" in line


@pytest.mark.slow
def test_from_nothing_a_message_is_taken_on_and_answered(tmp_path: Path) -> None:
    arguments = ["serve", "--app", "foodfight", "--model", "rehearsal", "--user", "alice"]
    with running(arguments, folder=tmp_path, stop=signal.SIGINT, more={}) as server:
        assert _asked(server.port, "GET", "/healthz")[0] == 200
        key = finished("keys", "create", "--user", "alice", "--quiet", folder=tmp_path).stdout.strip()
        body = {"session_id": "s1", "user_id": "alice", "message": "Which promo fights are open?"}
        assert _asked(server.port, "POST", "/agent/invoke", body)[0] == 401
        status, taken = _asked(server.port, "POST", "/agent/invoke", body, key)
        assert status == 202
        printed = finished("jobs", "tail", taken["job_id"], folder=tmp_path).stdout
        assert "completed" in printed
        status, job = _asked(server.port, "GET", f"/agent/status/{taken['job_id']}", key=key)
        assert (status, job["status"]) == (200, "COMPLETE") and job["response"]
    assert "Sign in as alice, once and soon: http://127.0.0.1:" in server.printed
    assert server.status == 0 and "Traceback" not in server.printed
    assert (tmp_path / "handrail.db").exists()


@pytest.mark.slow
def test_a_second_process_on_the_same_file_is_told(tmp_path: Path) -> None:
    with running(["serve", "--app", "trips"], folder=tmp_path, stop=signal.SIGINT, more={}) as server:
        assert _asked(server.port, "GET", "/healthz")[0] == 200
        told = finished("serve", "--app", "trips", "--port", "0", folder=tmp_path)
    assert told.returncode == 2 and told.stderr.startswith("handrail: another process serves this database (handrail.db-lock)")
    assert len(told.stderr.splitlines()) == 1


def test_a_port_that_is_taken_is_told_with_what_to_do() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        told = CliRunner().invoke(COMMANDS, ["--app", "orders", "--port", str(taken.getsockname()[1])])
    assert told.exit_code == 2 and "take another with --port, or 0 for a free one" in told.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--app", "gone"], "there is no app 'gone'; installed are: "),
        (["--app", "tests.service.kit:greeter"], "this needs a handrail.service.App around it"),
        (["--app", "orders", "--host", "192.0.2.1", "--port", "0"], "is the address one of this machine's?"),
        (["--app", "orders", "--fd", "9999"], "file descriptor 9999 is no socket"),
    ],
)
def test_what_cannot_be_served_is_told_in_one_line(arguments: list[str], words: str) -> None:
    told = CliRunner().invoke(COMMANDS, arguments)
    assert told.exit_code == 2
    assert words in told.stderr and len(told.stderr.splitlines()) == 1


def test_a_model_by_name_needs_a_key() -> None:
    told = CliRunner().invoke(COMMANDS, ["--app", "orders", "--port", "0", "--model", "gpt-4o-mini-2024-07-18"])
    assert told.exit_code == 2 and "OPENAI_API_KEY" in told.stderr
