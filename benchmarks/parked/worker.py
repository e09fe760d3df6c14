"""`python -m benchmarks.parked.worker URL`: a worker that says after each line what it has cost so far, until its standard input ends."""

import asyncio
import os
import sys
import time
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import event

from benchmarks.parked.kit import engine, worker
from handrail.stores.database import make_engine


class Cost(msgspec.Struct, frozen=True, kw_only=True):
    """What a process has cost until `at`.

    Attributes:
        at: seconds, by a clock of this machine's.
        memory: bytes that are resident.
        cpu: seconds, user and system.
        statements: asked through SQLAlchemy; what Procrastinate asks by itself is not among them.
    """

    at: float
    memory: int
    cpu: float
    statements: int


async def _work(url: str) -> None:
    database = make_engine(url)
    statements = 0

    def counted(*call: Any) -> None:
        nonlocal statements
        statements += 1

    event.listen(database.sync_engine, "before_cursor_execute", counted)
    ours = engine(database)
    takes = worker(database, ours)
    await ours.start(takes.advance, nudge=takes.nudge)
    print("ready", flush=True)
    while await asyncio.to_thread(sys.stdin.readline):
        cost = Cost(at=time.monotonic(), memory=_resident(), cpu=time.process_time(), statements=statements)
        print(msgspec.json.encode(cost).decode(), flush=True)
    await ours.stop()
    await database.dispose()


def _resident() -> int:
    """Bytes (Linux's /proc)."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    asyncio.run(_work(sys.argv[1]))
