"""A database of a test's own: SQLite in a file, filled with the made-up orders; and PostgreSQL where a test asks for it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from handrail.apps.orders.data import fill
from handrail.service.database import make_engine
from tests.postgres import postgres_server, postgres_url

__all__ = ["postgres_server", "postgres_url"]


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """An empty database, which the app's settings name too."""
    return f"sqlite:///{tmp_path / 'orders.db'}"


@pytest.fixture
async def database(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[AsyncEngine]:
    """A filled database; it is the one that `HANDRAIL_DATABASE_URL` names."""
    monkeypatch.setenv("HANDRAIL_DATABASE_URL", sqlite_url)
    engine = make_engine(sqlite_url)
    await fill(engine)
    yield engine
    await engine.dispose()
