"""The processes: the model's server, and a worker a contestant. They are spoken to in lines of JSON, and ended afterwards."""

import http.client
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import msgspec

from benchmarks.overhead.systems import SYSTEMS

ROOT = Path(__file__).parents[2]
PRIVATE = ("HANDRAIL_", "OPENAI_")
DROPPED = {"PYTHONDONTWRITEBYTECODE", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"}
QUIET = {"AGNO_TELEMETRY": "false", "LANGSMITH_TRACING": "false", "LITELLM_LOCAL_MODEL_COST_MAP": "True", "PYTHONHASHSEED": "0"}
"""Nothing leaves the machine."""


class LostError(RuntimeError):
    """A process ended early, or did not do the task."""


class Counted(msgspec.Struct, frozen=True):
    """What the server has had."""

    requests: int
    bytes: int


class Process:
    """A process that answers each line with a line."""

    def __init__(self, process: "subprocess.Popen[str]", errors: IO[str]) -> None:
        """Keep its pipes."""
        self._process = process
        self._errors = errors

    def ask(self, **wanted: Any) -> Any:
        """Send one line, and read the answer.

        Raises:
            LostError: it has ended; with the end of what it said on standard error.
        """
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(wanted) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise self._lost() from None
        return json.loads(self.line())

    def line(self) -> str:
        """Its next line."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise self._lost()
        return line

    def _lost(self) -> LostError:
        self._errors.seek(0)
        return LostError(f"{self._process.args!r} has ended: {self._errors.read()[-2000:].strip()}")


class Server:
    """The model's server."""

    def __init__(self, port: int) -> None:
        """Keep its port."""
        self._port = port
        self.url = f"http://127.0.0.1:{port}/v1"

    def counted(self) -> Counted:
        """What came in since this was last asked."""
        connection = http.client.HTTPConnection("127.0.0.1", self._port)
        try:
            connection.request("GET", "/stats")
            return msgspec.json.decode(connection.getresponse().read(), type=Counted)
        finally:
            connection.close()


class Worker:
    """A contestant, with the server that counts what it sends."""

    def __init__(self, process: Process, server: Server) -> None:
        """Keep both."""
        self._process = process
        self._server = server

    def ask(self, turns: int, runs: int, **wanted: Any) -> tuple[Any, int]:
        """What it says to so many runs and one before them, and the bytes of a run's requests.

        Raises:
            LostError: it has ended, or made more or fewer requests than the task has.
        """
        self._server.counted()
        said = self._process.ask(turns=turns, runs=runs, **wanted)
        counted = self._server.counted()
        if counted.requests != (due := (runs + 1) * (turns + 1)):
            raise LostError(f"it made {counted.requests} requests instead of {due}")
        return said, counted.bytes // (runs + 1)


@contextmanager
def serving(seconds: float = 0.0) -> Iterator[Server]:
    """The server, which takes so long for an answer."""
    with running([sys.executable, "-m", "benchmarks.overhead.server", str(seconds)]) as process:
        yield Server(int(process.line()))


@contextmanager
def working(name: str, python: Path, server: Server) -> Iterator[Worker]:
    """A contestant."""
    with running([str(python), "-m", "benchmarks.overhead.worker", SYSTEMS[name].module, server.url]) as process:
        yield Worker(process, server)


@contextmanager
def running(command: Sequence[str]) -> Iterator[Process]:
    """A process, ended afterwards."""
    with (
        tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as errors,
        subprocess.Popen(
            command, cwd=ROOT, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True
        ) as process,
    ):
        try:
            yield Process(process, errors)
        finally:
            process.kill()


def environment() -> Mapping[str, str]:
    """The caller's environment without keys, settings and proxies, and with whatever keeps the peers from calling home."""
    kept = {name: value for name, value in os.environ.items() if name.upper() not in DROPPED and not name.startswith(PRIVATE)}
    return kept | QUIET
