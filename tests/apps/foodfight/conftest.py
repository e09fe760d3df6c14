"""A filled database of each kind, and the loops that the app runs under."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from handrail.apps.foodfight.data import fill
from handrail.apps.foodfight.hooks import Analytics
from handrail.apps.foodfight.kitchen import Kitchen
from handrail.apps.foodfight.settings import Loop
from handrail.service.database import make_engine
from tests.apps.foodfight.kit import AT
from tests.databases import postgres_copy, sqlite_copy
from tests.postgres import postgres_server, postgres_url

__all__ = ["postgres_server", "postgres_url"]


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """An empty database."""
    return f"sqlite:///{tmp_path / 'foodfight.db'}"


async def _filled(url: str) -> None:
    engine = make_engine(url)
    assert await fill(engine)
    await engine.dispose()


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.slow)])
def filled_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A filled database."""
    if request.param == "sqlite":
        yield sqlite_copy(_filled, tmp_path / "filled.db")
        return
    with postgres_copy(_filled, request.getfixturevalue("postgres_server")) as found:
        yield found


@pytest.fixture
async def database(filled_url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[AsyncEngine]:
    """The same, and an engine for it; it is the one that `HANDRAIL_DATABASE_URL` names."""
    monkeypatch.setenv("HANDRAIL_DATABASE_URL", filled_url)
    engine = make_engine(filled_url)
    yield engine
    await engine.dispose()


@pytest.fixture
def kitchen(database: AsyncEngine) -> Kitchen:
    """What the tools work with; its time stands still."""
    return Kitchen(database=database, hooks=(Analytics(),), now=lambda: AT)


@pytest.fixture(params=list(Loop), ids=str)
def loop(request: pytest.FixtureRequest) -> Loop:
    """Whose loop runs."""
    loop: Loop = request.param
    return loop
