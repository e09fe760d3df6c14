"""One system in a process and an environment of its own: `python -m benchmarks.decency.worker NAME`.

- It says that it is there with an empty line: what a library takes to be imported is no part of any run.
- Each line of standard input is a case to run, each line of standard output the record of one, in the order in which they end; as many
  run at once as have been asked for. It ends when its standard input does.
- What a library prints goes to standard error, and nothing of what it logs anywhere.
"""

import asyncio
import logging
import os
import sys
from typing import BinaryIO

import msgspec

from benchmarks.decency.cases import Case, System, measured
from benchmarks.decency.record import Record
from benchmarks.decency.systems import system_of


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """A run that is wanted.

    Args:
        limit: seconds that it may take.
        given_up: times the limit, after which it is stopped.
    """

    case: Case
    url: str
    limit: float
    given_up: float


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """What came of it."""

    case: Case
    record: Record


async def serve(system: System, asking: BinaryIO, telling: BinaryIO) -> None:
    """Run what is asked for, until nothing more is."""

    async def one(asked: Asked) -> None:
        record = await measured(system, asked.case, asked.url, limit=asked.limit, given_up=asked.given_up)
        telling.write(msgspec.json.encode(Told(case=asked.case, record=record), enc_hook=str) + b"\n")
        telling.flush()

    async with asyncio.TaskGroup() as running:
        while line := await asyncio.to_thread(asking.readline):
            running.create_task(one(msgspec.json.decode(line, type=Asked)))


def main(name: str) -> None:
    """Be that system."""
    logging.disable(logging.CRITICAL)
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as telling:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        system = system_of(name)
        telling.write(b"\n")
        telling.flush()
        asyncio.run(serve(system, sys.stdin.buffer, telling))


if __name__ == "__main__":
    main(*sys.argv[1:])
