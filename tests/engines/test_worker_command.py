"""`handrail worker`: a process of its own that takes jobs from PostgreSQL."""

import asyncio
import re
import signal
from pathlib import Path

import httpx2
import pytest

from handrail.cli.demo import HANDRAIL
from handrail.drivers.clock import SystemClock
from handrail.engines.postgres import PostgresEngine, workers_of
from handrail.service.desk import Asked, Desk
from handrail.stores import keys
from handrail.stores.database import make_engine
from handrail.stores.jobs import JobStatus
from handrail.stores.transactions import write
from handrail.testing.engines import PATIENCE
from tests.cli.processes import LONGEST, environment, finished

pytestmark = pytest.mark.slow
ENDED = 'handrail_jobs_ended_total{agent="orders",status="COMPLETE"} 1.0'
PLACE = re.compile(rb"Health and numbers are at (http://\S+)")


async def told_of(place: str, key: str) -> None:
    """The worker's own port tells of its run to whoever may ask."""
    async with httpx2.AsyncClient(base_url=place, trust_env=False) as client:
        assert (await client.get("/healthz")).json() == {"status": "ok"}
        assert (await client.get("/readyz")).status_code == 200
        assert [(await client.get(path)).status_code for path in ("/metrics", "/agent/jobs")] == [401, 401]
        # What ended the run is written before it is told.
        while ENDED not in (await client.get("/metrics", headers={"X-API-Key": key})).text:
            pass


async def test_a_worker_takes_what_a_desk_has_taken_on_and_ends_when_it_is_asked_to(postgres_url: str, tmp_path: Path) -> None:
    early = finished("worker", "--app", "orders", folder=tmp_path, HANDRAIL_DATABASE_URL=postgres_url)
    assert (early.returncode, "handrail migrate" in early.stderr) == (2, True)
    for arguments in (("migrate",), ("migrate",), ("seed", "orders")):
        assert finished(*arguments, folder=tmp_path, HANDRAIL_DATABASE_URL=postgres_url).returncode == 0
    database, clock = make_engine(postgres_url), SystemClock()
    desk = Desk(database, PostgresEngine(database, clock=clock), apps=("orders",), clock=clock)
    message = "the last 80 orders of basil@example.com"
    job = await desk.invoke(Asked(user_id="ada", session_id="s", app="orders", message=message))
    key, _ = await write(database, keys.create, user_id="prometheus", scopes=("metrics",), at=clock.now())
    told = finished("doctor", "--app", "orders", "--no-model", folder=tmp_path, HANDRAIL_DATABASE_URL=postgres_url)
    assert (told.returncode, "wrong workers    0 alive; sessions that wait for one: 1: start `handrail worker`" in told.stdout) == (1, True)
    process = await asyncio.create_subprocess_exec(
        *(*HANDRAIL, "worker", "--app", "orders", "--at-once", "2"),
        cwd=tmp_path,
        env=environment(HANDRAIL_DATABASE_URL=postgres_url, HANDRAIL_WORKER_PORT="0"),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    assert process.stdout is not None
    printed = b""
    try:
        async with asyncio.timeout(PATIENCE):
            while (place := PLACE.search(printed)) is None:
                printed += await process.stdout.readline()
            while not (found := await desk.job("ada", job.job_id)).ended:
                pass  # the question lets others work
            await told_of(place[1].decode(), key)
        assert (await workers_of(database))[0] == 1
    finally:
        process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(LONGEST):
            printed += (await process.communicate())[0]
        await database.dispose()
    assert found.status is JobStatus.COMPLETE and (found.response or "").startswith("basil@example.com has 6 such orders")
    assert process.returncode == 0, printed
    assert b"handrail works for orders" in printed


def test_on_sqlite_there_is_nothing_for_a_worker_to_do(tmp_path: Path) -> None:
    said = finished("worker", "--app", "orders", folder=tmp_path, HANDRAIL_DATABASE_URL=f"sqlite:///{tmp_path / 'x.db'}")
    assert (said.returncode, "handrail serve" in said.stderr) == (2, True)
