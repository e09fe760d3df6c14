"""The engine of several machines keeps the promises of every engine, on a real PostgreSQL, and some of its own."""

import logging
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import timedelta

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from handrail.drivers.clock import SystemClock
from handrail.engines.postgres import PostgresEngine
from handrail.engines.postgres_schema import migrate_queue
from handrail.testing.engines import ENGINE_CHECKS, TOGETHER_CHECKS, EngineCheck, Ground
from tests.engines.ground import StoreGround, ground

pytestmark = pytest.mark.slow
NEVER = timedelta(days=1)


def patient(database: AsyncEngine) -> PostgresEngine:
    """An engine that takes nobody for dead, however slow this machine is, and sweeps only when it is told to."""
    return PostgresEngine(database, clock=SystemClock(), silent=NEVER, sweep=NEVER)


@asynccontextmanager
async def postgres_ground(url: str) -> AsyncIterator[StoreGround]:
    async with ground(url, patient) as made:
        assert await migrate_queue(made.database)
        yield made


@pytest.mark.parametrize("check", ENGINE_CHECKS + TOGETHER_CHECKS, ids=lambda check: getattr(check, "__name__", ""))
async def test_the_engine_of_several_machines_keeps_the_promises(
    check: EngineCheck, postgres_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL)

    def make() -> AbstractAsyncContextManager[Ground]:
        return postgres_ground(postgres_url)

    await check(make)
