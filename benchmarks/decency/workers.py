"""The processes of the systems, from our side.

- A process that dies is started again for the next run; the runs that it was at have raised, and are told as that.
- One that does not say anything for longer than a run may take, with time to be stopped, is ended.
"""

import asyncio
import os
import subprocess
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec

from benchmarks.decency.cases import GIVEN_UP, LIMIT, Case
from benchmarks.decency.record import Record
from benchmarks.decency.travellers import task_for
from benchmarks.decency.worker import Asked, Told

ROOT = Path(__file__).parents[2]
TIME_TO_STOP = 10.0
"""Seconds."""

MOST_OF_A_RECORD = 2**27
"""Bytes of one line."""


class Worker:
    """A system's process."""

    def __init__(self, command: Sequence[str | Path]) -> None:
        """Nothing is started yet."""
        self._command = command
        self._alive: _Process | None = None
        self._one_at_a_time = asyncio.Lock()

    async def run(self, case: Case, url: str, *, limit: float = LIMIT, given_up: float = GIVEN_UP) -> Record:
        """One case; no two of the same at once."""
        async with self._one_at_a_time:
            if self._alive is None or self._alive.over:
                await self.close()
                self._alive = await _Process.started(self._command)
            alive = self._alive
        asked = Asked(case=case, url=url, limit=limit, given_up=given_up)
        try:
            return await asyncio.wait_for(alive.asked(asked), given_up * limit + TIME_TO_STOP)
        except TimeoutError:
            alive.kill()
            return _lost(asked, "the process did not say anything any more", seconds=given_up * limit)
        except ChildProcessError as died:
            return _lost(asked, str(died))

    async def close(self) -> None:
        """Let it end; end it, if it does not."""
        alive, self._alive = self._alive, None
        if alive is not None:
            await alive.close()


class _Process:
    """One life of it."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None and process.stdout is not None
        self._process = process
        self._stdin, self._stdout = process.stdin, process.stdout
        self._waiting: dict[Case, asyncio.Future[Record]] = {}
        self._reading = asyncio.create_task(self._read())

    @classmethod
    async def started(cls, command: Sequence[str | Path]) -> "_Process":
        """Start it, and wait until it says that it is there, or ends."""
        process = await asyncio.create_subprocess_exec(
            *command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, limit=MOST_OF_A_RECORD, env={**os.environ, **QUIET}
        )
        assert process.stdout is not None
        await process.stdout.readline()
        return cls(process)

    @property
    def over(self) -> bool:
        return self._reading.done()

    async def asked(self, asked: Asked) -> Record:
        coming: asyncio.Future[Record] = asyncio.get_running_loop().create_future()
        self._waiting[asked.case] = coming
        self._stdin.write(msgspec.json.encode(asked) + b"\n")
        try:
            return await coming
        finally:
            del self._waiting[asked.case]

    def kill(self) -> None:
        if self._process.returncode is None:
            self._process.kill()

    async def close(self) -> None:
        self._stdin.close()
        try:
            await asyncio.wait_for(self._process.wait(), TIME_TO_STOP)
        except TimeoutError:
            self.kill()
        await self._reading

    async def _read(self) -> None:
        while line := await self._stdout.readline():
            told = msgspec.json.decode(line, type=Told)
            if (coming := self._waiting.get(told.case)) is not None and not coming.done():
                coming.set_result(told.record)
        code = await self._process.wait()
        for coming in self._waiting.values():
            if not coming.done():
                coming.set_exception(ChildProcessError(f"the process has ended with {code}"))


QUIET = {"OPENAI_AGENTS_DISABLE_TRACING": "1", "LANGSMITH_TRACING": "false", "PYTHONWARNINGS": "ignore"}
"""Nothing is sent anywhere but to the rehearsal server."""


@asynccontextmanager
async def working(name: str, python: Path) -> AsyncIterator[Worker]:
    """The process of a system, in that environment."""
    worker = Worker([python, "-m", "benchmarks.decency.worker", name])
    try:
        yield worker
    finally:
        await worker.close()


def _lost(asked: Asked, why: str, *, seconds: float = 0.0) -> Record:
    return Record(task=task_for(asked.case.seed), limit=asked.limit, steps=[], seconds=seconds, raised=why)
