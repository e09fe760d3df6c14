"""A PostgreSQL server for the engines that need one."""

from collections.abc import Iterator

import pytest

from handrail.engines.postgres_schema import migrate_queue
from handrail.stores.database import make_engine
from tests.databases import migrated, postgres_copy
from tests.postgres import postgres_server, postgres_url

__all__ = ["postgres_server", "postgres_url"]


async def _ready(url: str) -> None:
    await migrated(url)
    engine = make_engine(url)
    assert await migrate_queue(engine)
    await engine.dispose()


@pytest.fixture
def ready_url(postgres_server: str) -> Iterator[str]:
    """A database with our tables and those of the queue."""
    with postgres_copy(_ready, postgres_server) as url:
        yield url
