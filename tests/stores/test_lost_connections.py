"""Connections that PostgreSQL has closed meanwhile are replaced, and nobody is told."""

import asyncio
from collections.abc import AsyncIterator

import psycopg
import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from handrail.core.events import Ticked
from handrail.stores import database as databases
from handrail.stores import run_events
from handrail.stores.database import make_engine
from handrail.stores.migrating import migrate
from handrail.stores.news import News
from handrail.stores.transactions import read, write
from tests.stores.kit import AT, added

pytestmark = pytest.mark.slow
LONGEST = 240


@pytest.fixture
async def postgres(postgres_url: str) -> AsyncIterator[AsyncEngine]:
    engine = make_engine(postgres_url)
    await migrate(engine)
    yield engine
    await engine.dispose()


def ended(url: str) -> None:
    """End all connections but this one."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


async def one(connection: AsyncConnection) -> int:
    return int(await connection.scalar(text("SELECT 1")) or 0)


async def test_whoever_reads_or_writes_next_does_not_notice(postgres: AsyncEngine, postgres_url: str) -> None:
    assert await read(postgres, one) == 1
    await asyncio.to_thread(ended, postgres_url)
    assert await read(postgres, one) == 1
    await asyncio.to_thread(ended, postgres_url)
    assert await write(postgres, one) == 1


async def test_a_connection_that_was_quiet_is_asked_first(
    postgres: AsyncEngine, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert await read(postgres, one) == 1
    monkeypatch.setattr(databases, "QUIET_SECONDS", -1.0)
    await asyncio.to_thread(ended, postgres_url)
    async with postgres.connect() as connection:
        assert await one(connection) == 1


async def test_a_commit_that_may_have_arrived_is_not_tried_again(postgres: AsyncEngine, postgres_url: str) -> None:
    tries: list[int] = []

    async def act(connection: AsyncConnection) -> None:
        tries.append(await one(connection))
        await asyncio.to_thread(ended, postgres_url)

    with pytest.raises(DBAPIError):
        await write(postgres, act)
    assert tries == [1]


async def test_new_events_are_told_once_they_are_committed_and_after_the_connection_was_lost(
    postgres: AsyncEngine, postgres_url: str
) -> None:
    await added(postgres, "job_1")
    told: asyncio.Queue[str | None] = asyncio.Queue()
    news = News(postgres, told.put_nowait)
    listening = asyncio.create_task(news.listen())
    try:
        async with asyncio.timeout(LONGEST):
            assert await told.get() is None
            assert news.hears
            await write(postgres, run_events.append, "job_1", 0, [Ticked(at=AT)])
            assert await told.get() == "job_1"
            await asyncio.to_thread(ended, postgres_url)
            assert await told.get() is None
            await write(postgres, run_events.append, "job_1", 1, [Ticked(at=AT)])
            assert await told.get() == "job_1"
    finally:
        listening.cancel()
        await asyncio.wait({listening})
    assert not news.hears
