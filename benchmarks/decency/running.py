"""Many runs, a few at a time, against one server; and what came of them, counted."""

import asyncio
import os
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager

import msgspec

from benchmarks.decency.judge import Violation, judge
from benchmarks.decency.systems import GIVEN_UP, SYSTEMS, Case, measured
from handrail.models.rehearsal.temperaments import TEMPERAMENTS


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """A run with what the judge says about it."""

    case: Case
    violations: list[Violation]
    partial: bool
    seconds: float
    model_calls: int
    tokens: int


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """What is printed of a system. A run counts once under each kind."""

    system: str
    runs: int
    decent: int
    violations: dict[str, int]
    model_calls: int
    tokens: int


def cases(runs: int, first_seed: int) -> list[Case]:
    """So many cases, spread evenly over the temperaments, each with a seed of its own."""
    names = list(TEMPERAMENTS)
    return [Case(temperament=names[at % len(names)], seed=first_seed + at) for at in range(runs)]


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
    system: str, wanted: Sequence[Case], url: str, *, at_once: int | None = None, given_up: float = GIVEN_UP
) -> AsyncIterator[Judged]:
    """Run the cases, a few at a time, in order. So few that the machine keeps up: the limits are real seconds."""
    free = asyncio.Semaphore(at_once or len(os.sched_getaffinity(0)))

    async def one(case: Case) -> Judged:
        async with free:
            record = await measured(SYSTEMS[system], case, url, given_up=given_up)
        return Judged(
            case=case,
            violations=judge(record),
            partial=record.partial,
            seconds=record.seconds,
            model_calls=record.model_calls,
            tokens=record.tokens,
        )

    running = [asyncio.create_task(one(case)) for case in wanted]
    for task in running:
        yield await task


def figures(system: str, results: Sequence[Judged]) -> Figures:
    """The sums."""
    kinds = Counter(kind for each in results for kind in {violation.kind for violation in each.violations})
    return Figures(
        system=system,
        runs=len(results),
        decent=sum(not each.violations for each in results),
        violations=dict(sorted(kinds.items())),
        model_calls=sum(each.model_calls for each in results),
        tokens=sum(each.tokens for each in results),
    )
