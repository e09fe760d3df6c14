"""Databases of a test's own that hold something already: made once in a process, and copied for each test. That is many times as fast."""

import asyncio
import atexit
import shutil
import tempfile
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import psycopg

from handrail.stores.database import make_engine
from handrail.stores.migrating import migrate

Fill = Callable[[str], Coroutine[Any, Any, None]]
"""Fills the empty database of that URL, and leaves no connection to it."""

_numbers = count(1)


async def migrated(url: str) -> None:
    """Fills one with our tables."""
    engine = make_engine(url)
    await migrate(engine)
    await engine.dispose()


def sqlite_copy(fill: Fill, path: Path) -> str:
    """A file that is filled so, as a URL."""
    shutil.copy(_file(fill), path)
    return f"sqlite:///{path}"


@contextmanager
def postgres_copy(fill: Fill, server: str) -> Iterator[str]:
    """A database that is filled so, as a URL.

    Args:
        fill: how.
        server: the URL of the server's own database.
    """
    template = _template(fill, server)
    name = f"handrail_copy_{next(_numbers)}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        yield _within(server, name)
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@cache
def _file(fill: Fill) -> Path:
    folder = tempfile.mkdtemp(prefix="handrail-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = Path(folder) / "filled.db"
    _run(fill, f"sqlite:///{path}")
    return path


@cache
def _template(fill: Fill, server: str) -> str:
    name = f"handrail_filled_{next(_numbers)}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    _run(fill, _within(server, name))
    return name


def _run(fill: Fill, url: str) -> None:
    """In a thread: where a loop runs in this one already, there is no room for another."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(lambda: asyncio.run(fill(url))).result()


def _within(server: str, name: str) -> str:
    return server.replace("/postgres?", f"/{name}?", 1)
