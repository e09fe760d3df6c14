"""`database`: filled, with the service's own tables too, on SQLite and on PostgreSQL. `shop` is on it at a quarter past noon, a Tuesday."""

from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from handrail.apps.delivery.seeding import fill
from handrail.stores.database import make_engine
from handrail.stores.migrating import migrate
from tests.apps.delivery.kit import Storefront, TestShop, front
from tests.databases import postgres_copy, sqlite_copy
from tests.postgres import postgres_server, postgres_url

__all__ = ["postgres_server", "postgres_url"]


async def _filled(url: str) -> None:
    engine = make_engine(url)
    await migrate(engine)
    assert await fill(engine)
    await engine.dispose()


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.slow)])
def url(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A filled database of the test's own; it is the one that `HANDRAIL_DATABASE_URL` names."""
    with ExitStack() as stack:
        if request.param == "sqlite":
            found = sqlite_copy(_filled, tmp_path / "delivery.db")
        else:
            found = stack.enter_context(postgres_copy(_filled, request.getfixturevalue("postgres_server")))
        monkeypatch.setenv("HANDRAIL_DATABASE_URL", found)
        yield found


@pytest.fixture
async def database(url: str) -> AsyncIterator[AsyncEngine]:
    """The same, and an engine for it."""
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
