"""`database`: filled, with the service's own tables too, on SQLite and on PostgreSQL. `shop` is on it at a quarter past noon on a Tuesday.

A file of SQLite's is filled once and copied for each test; that is several times as fast.
"""

import asyncio
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from handrail.apps.delivery.seeding import fill
from handrail.stores.database import make_engine
from handrail.stores.migrating import migrate
from tests.apps.delivery.kit import Storefront, TestShop, front
from tests.postgres import postgres_server, postgres_url

__all__ = ["postgres_server", "postgres_url"]


async def _filled(url: str) -> None:
    engine = make_engine(url)
    await migrate(engine)
    assert await fill(engine)
    await engine.dispose()


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with all tables, to be copied."""
    path = tmp_path_factory.mktemp("delivery") / "filled.db"
    asyncio.run(_filled(f"sqlite:///{path}"))
    return path


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.slow)])
def url(request: pytest.FixtureRequest, tmp_path: Path, filled: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A database of the test's own, filled where it is SQLite's; it is the one that `HANDRAIL_DATABASE_URL` names."""
    path = tmp_path / "delivery.db"
    if request.param == "sqlite":
        shutil.copy(filled, path)
    found: str = request.getfixturevalue("postgres_url") if request.param == "postgres" else f"sqlite:///{path}"
    monkeypatch.setenv("HANDRAIL_DATABASE_URL", found)
    return found


@pytest.fixture
async def database(url: str) -> AsyncIterator[AsyncEngine]:
    """The same, filled in any case, and an engine for it."""
    if not url.startswith("sqlite"):
        await _filled(url)
    engine = make_engine(url)
    yield engine
    await engine.dispose()


@pytest.fixture
def shop(database: AsyncEngine) -> TestShop:
    """The shop; its time stands still until a test moves it."""
    return TestShop(database)


@pytest.fixture
async def storefront(shop: TestShop) -> AsyncIterator[Storefront]:
    """The service with the shop."""
    async with front(shop) as opened:
        yield opened
