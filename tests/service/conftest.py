"""`database` is an empty one with our tables, on SQLite and on PostgreSQL; `branch` is a service on it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from handrail.stores.database import make_engine
from handrail.stores.migrating import migrate
from tests.postgres import postgres_server, postgres_url
from tests.service.branch import Branch, opened

__all__ = ["branch", "database", "postgres_server", "postgres_url", "url"]


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.slow)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database."""
    found: str = request.getfixturevalue("postgres_url") if request.param == "postgres" else f"sqlite:///{tmp_path / 'handrail.db'}"
    return found


@pytest.fixture
async def database(url: str) -> AsyncIterator[AsyncEngine]:
    """The same with our tables, and an engine for it."""
    engine = make_engine(url)
    await migrate(engine)
    yield engine
    await engine.dispose()


@pytest.fixture
async def branch(database: AsyncEngine) -> AsyncIterator[Branch]:
    """A service that runs jobs."""
    async with opened(database) as made:
        yield made
