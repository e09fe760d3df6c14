"""`database` is an empty one with our tables, on SQLite and on PostgreSQL; `branch` is a service on it.

A file of SQLite's is migrated once and copied for each test; that is several times as fast.
"""

import asyncio
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from handrail.stores.database import make_engine
from handrail.stores.migrating import migrate
from tests.postgres import postgres_server, postgres_url
from tests.service.branch import Branch, opened

__all__ = ["branch", "database", "migrated", "postgres_server", "postgres_url", "url"]


async def _migrated(url: str) -> None:
    engine = make_engine(url)
    await migrate(engine)
    await engine.dispose()


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with our tables, to be copied."""
    path = tmp_path_factory.mktemp("service") / "migrated.db"
    asyncio.run(_migrated(f"sqlite:///{path}"))
    return path


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.slow)])
def url(request: pytest.FixtureRequest, tmp_path: Path, migrated: Path) -> str:
    """An empty database, with our tables where it is SQLite's."""
    if request.param == "postgres":
        found: str = request.getfixturevalue("postgres_url")
        return found
    path = tmp_path / "handrail.db"
    shutil.copy(migrated, path)
    return f"sqlite:///{path}"


@pytest.fixture
async def database(url: str) -> AsyncIterator[AsyncEngine]:
    """The same with our tables in any case, and an engine for it."""
    engine = make_engine(url)
    if engine.dialect.name != "sqlite":
        await migrate(engine)
    yield engine
    await engine.dispose()


@pytest.fixture
async def branch(database: AsyncEngine) -> AsyncIterator[Branch]:
    """A service that runs jobs."""
    async with opened(database) as made:
        yield made
