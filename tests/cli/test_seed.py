"""`handrail seed`: made-up data for an app, once."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from typer import Typer
from typer.testing import CliRunner

from handrail.cli import seed

COMMANDS = Typer()
COMMANDS.command()(seed.command)


@pytest.fixture(autouse=True)
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "orders.db"
    monkeypatch.setenv("HANDRAIL_DATABASE_URL", f"sqlite:///{path}")
    return path


def test_an_empty_database_is_filled_and_a_full_one_left_alone(database: Path) -> None:
    first = CliRunner().invoke(COMMANDS, ["orders"])
    assert (first.exit_code, first.stdout) == (0, f"320 made-up orders of 40 customers are now in sqlite+aiosqlite:///{database}.\n")
    again = CliRunner().invoke(COMMANDS, ["orders"])
    assert (again.exit_code, again.stdout) == (0, f"There are orders in sqlite+aiosqlite:///{database} already; nothing was added.\n")
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute("SELECT count(*) FROM orders").fetchone() == (320,)


@pytest.mark.parametrize(
    ("app", "words"),
    [
        ("gone", "there is no app 'gone'; installed are: "),
        ("tests.service.kit:APP", "the app 'greeter' has no made-up data"),
        ("tests.service.kit:greeter", "is an agent; this needs a handrail.service.App around it"),
    ],
)
def test_what_cannot_be_filled_is_told_in_one_line(app: str, words: str) -> None:
    told = CliRunner().invoke(COMMANDS, [app])
    assert told.exit_code == 2 and told.stdout == ""
    assert words in told.stderr and len(told.stderr.splitlines()) == 1


def test_a_database_that_is_not_served_is_told_without_its_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HANDRAIL_DATABASE_URL", "mysql://me:hunter2@host/orders")
    told = CliRunner().invoke(COMMANDS, ["orders"])
    assert told.exit_code == 2 and "'mysql'" in told.stderr and "hunter2" not in told.stderr


OWN = """
from sqlalchemy.exc import DatabaseError
from handrail import Agent
from handrail.service import App

async def seed():
    raise DatabaseError("INSERT hunter2", None, Exception("file is not a database: hunter2"))

app = App(name="own", summary="Mine.", agent=lambda: Agent(name="own", instructions="", model="m"), seed="own_for_seed")
"""


def test_a_database_that_cannot_be_used_is_told_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_for_seed.py").write_text(OWN)
    monkeypatch.syspath_prepend(str(tmp_path))
    told = CliRunner().invoke(COMMANDS, ["own_for_seed:app"])
    assert told.exit_code == 2 and told.stdout == ""
    assert told.stderr == "handrail: the database cannot be used (DatabaseError): see to HANDRAIL_DATABASE_URL\n"


@pytest.mark.parametrize("app", ["orders", "foodfight"])
def test_a_database_that_is_down_is_told_in_one_line(app: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HANDRAIL_DATABASE_URL", "postgresql://me:hunter2@127.0.0.1:1/orders")
    told = CliRunner().invoke(COMMANDS, [app])
    assert told.exit_code == 2 and told.stdout == ""
    assert told.stderr == "handrail: the database cannot be used (OperationalError): see to HANDRAIL_DATABASE_URL\n"
