"""A database of a test's own: SQLite in a file, filled with the made-up orders; and PostgreSQL where a test asks for it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from handrail.apps.orders.data import fill
from handrail.service.database import make_engine
from tests.databases import sqlite_copy
from tests.postgres import postgres_server, postgres_url

__all__ = ["postgres_server", "postgres_url"]


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """An empty database, which the app's settings name too."""
    return f"sqlite:///{tmp_path / 'orders.db'}"


async def _filled(url: str) -> None:
    engine = make_engine(url)
    await fill(engine)
    await engine.dispose()


@pytest.fixture
def filled_url(tmp_path: Path) -> str:
    """A filled database."""
    return sqlite_copy(_filled, tmp_path / "filled.db")


@pytest.fixture
async def database(filled_url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[AsyncEngine]:
    """The same, and an engine for it; it is the one that `HANDRAIL_DATABASE_URL` names."""
    monkeypatch.setenv("HANDRAIL_DATABASE_URL", filled_url)
    engine = make_engine(filled_url)
    yield engine
    await engine.dispose()
