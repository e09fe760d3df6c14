"""Every test of the stores runs on SQLite and on PostgreSQL: `database` is an empty one with our tables."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from handrail.stores.database import make_engine
from tests.databases import migrated, postgres_copy, sqlite_copy
from tests.postgres import postgres_server, postgres_url

__all__ = ["database", "empty_url", "postgres_server", "postgres_url", "url"]

BOTH = ["sqlite", pytest.param("postgres", marks=pytest.mark.slow)]


@pytest.fixture(params=BOTH)
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database."""
    found: str = request.getfixturevalue("postgres_url") if request.param == "postgres" else f"sqlite:///{tmp_path / 'handrail.db'}"
    return found


@pytest.fixture(params=BOTH)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """An empty database with our tables."""
    if request.param == "sqlite":
        yield sqlite_copy(migrated, tmp_path / "handrail.db")
        return
    with postgres_copy(migrated, request.getfixturevalue("postgres_server")) as found:
        yield found


@pytest.fixture
async def database(url: str) -> AsyncIterator[AsyncEngine]:
    """The same, and an engine for it."""
    engine = make_engine(url)
    yield engine
    await engine.dispose()
