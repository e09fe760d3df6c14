"""Many runs, a few at a time, against one server; the judge is here, and no system is."""

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx2
import msgspec

from benchmarks.decency.cases import GIVEN_UP, LIMIT, Case
from benchmarks.decency.judge import Violation, judge
from benchmarks.decency.record import Record
from benchmarks.decency.seeing import SEEN, Seen
from benchmarks.decency.workers import working


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """A run with what the judge says about it.

    Args:
        partial: its plan is said to be less than what was asked for.
        empty: there is no plan in what it hands over.
    """

    case: Case
    violations: list[Violation]
    partial: bool
    empty: bool
    seconds: float
    model_calls: int
    tokens: int


@contextmanager
def serving() -> Iterator[str]:
    """The server in a process of its own: gives the address of its API."""
    command = [sys.executable, "-m", "benchmarks.decency.server"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin is not None and server.stdout is not None
        port = server.stdout.readline().strip()
        if not port:
            raise RuntimeError("the rehearsal server did not start")
        try:
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            server.stdin.close()


async def judged(
    system: str,
    python: Path,
    wanted: Sequence[Case],
    url: str,
    *,
    at_once: int | None = None,
    limit: float = LIMIT,
    given_up: float = GIVEN_UP,
) -> AsyncIterator[Judged]:
    """Run the cases, a few at a time, in order. So few that the machine keeps up: the limits are real seconds."""
    free = asyncio.Semaphore(at_once or len(os.sched_getaffinity(0)))
    async with working(system, python) as worker, httpx2.AsyncClient() as client:

        async def one(case: Case) -> Judged:
            async with free:
                record = await worker.run(case, url, limit=limit, given_up=given_up)
            return told(case, record, await seen(client, case, url))

        running = [asyncio.create_task(one(case)) for case in wanted]
        try:
            for task in running:
                yield await task
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)


async def seen(client: httpx2.AsyncClient, case: Case, url: str) -> Seen:
    """What the server has seen of a run, which it then forgets."""
    answer = await client.get(f"{url.removesuffix('/v1')}{SEEN}{case.model}")
    return msgspec.json.decode(answer.content, type=Seen)


def told(case: Case, record: Record, seen: Seen) -> Judged:
    """Judge a run by its record and by what the server has seen."""
    record.messages = record.messages or seen.messages
    return Judged(
        case=case,
        violations=judge(record),
        partial=record.partial,
        empty=not (isinstance(record.output, dict) and record.output.get("days")),
        seconds=record.seconds,
        model_calls=seen.model_calls,
        tokens=seen.tokens,
    )
