"""A filled database of each kind, and the loops that the app runs under."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from handrail.apps.foodfight.data import fill
from handrail.apps.foodfight.hooks import Analytics
from handrail.apps.foodfight.kitchen import Kitchen
from handrail.apps.foodfight.settings import Loop
from handrail.service.database import make_engine
from tests.apps.foodfight.kit import AT
from tests.postgres import postgres_server, postgres_url

__all__ = ["postgres_server", "postgres_url"]


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """An empty database."""
    return f"sqlite:///{tmp_path / 'foodfight.db'}"


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.slow)])
async def database(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[AsyncEngine]:
    """A filled database; it is the one that `HANDRAIL_DATABASE_URL` names."""
    url = request.getfixturevalue(f"{request.param}_url")
    monkeypatch.setenv("HANDRAIL_DATABASE_URL", url)
    engine = make_engine(url)
    assert await fill(engine)
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
