"""`database` is an empty one with our tables, on SQLite and on PostgreSQL; `branch` is a service on it."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from handrail.stores.database import make_engine
from tests.databases import migrated, postgres_copy, sqlite_copy
from tests.postgres import postgres_server, postgres_url
from tests.service.branch import Branch, opened

__all__ = ["branch", "database", "postgres_server", "postgres_url", "url"]


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.slow)])
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


@pytest.fixture
async def branch(database: AsyncEngine) -> AsyncIterator[Branch]:
    """A service that runs jobs."""
    async with opened(database) as made:
        yield made
