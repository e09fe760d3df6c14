"""What every system is given: a case, six seconds, forty turns; and one run of it from the beginning to the end.

- A run that is not back after `GIVEN_UP` times its limit is stopped from outside, and counts as late.
- Whatever a system raises is in the record of its run.
"""

import asyncio
import time
from collections.abc import Callable, Coroutine
from typing import Any

import msgspec

from benchmarks.decency.record import Record
from benchmarks.decency.travellers import task_for
from handrail.models.rehearsal.temperaments import TEMPERAMENTS

LIMIT = 6.0
GIVEN_UP = 3.0
MOST_TURNS = 40
LONGEST_RAISED = 300


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """One run: how the model behaves, and the seed of everything."""

    temperament: str
    seed: int

    @property
    def model(self) -> str:
        """The model's name, by which the server knows how to behave."""
        return f"{self.temperament}:{self.seed}"


def cases(runs: int, first_seed: int) -> list[Case]:
    """So many cases, spread evenly over the temperaments, each with a seed of its own."""
    names = list(TEMPERAMENTS)
    return [Case(temperament=names[at % len(names)], seed=first_seed + at) for at in range(runs)]


System = Callable[[Case, str, Record], Coroutine[Any, Any, None]]
"""Runs a case against the model at an address, and fills the record in."""


async def measured(system: System, case: Case, url: str, *, limit: float = LIMIT, given_up: float = GIVEN_UP) -> Record:
    """One run from the beginning to the end, whatever happens."""
    record = Record(task=task_for(case.seed), limit=limit, steps=[])
    begun = time.monotonic()
    going = asyncio.create_task(system(case, url, record))
    done, _ = await asyncio.wait({going}, timeout=given_up * limit)
    record.seconds = time.monotonic() - begun
    going.cancel()
    await asyncio.wait({going})
    error = None if going.cancelled() else going.exception()
    if done and error is not None:
        record.raised = f"{type(error).__name__}: {error}"[:LONGEST_RAISED]
    return record
