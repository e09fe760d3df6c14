"""Commands as real processes, without any setting or key of the person who runs the tests."""

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from handrail.cli.demo import HANDRAIL
from handrail.cli.listening import listening

LONGEST = 240
"""Seconds after which a process that hangs fails its test; nothing is judged by how fast it is."""


def environment(**more: str) -> dict[str, str]:
    own = {name: value for name, value in os.environ.items() if not name.startswith(("HANDRAIL_", "OPENAI_"))}
    return {**own, "PYTHONIOENCODING": "utf-8", "PYTHONWARNINGS": "error", "COLUMNS": "200", **more}


def finished(*arguments: str, folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """A command, run to its end in that folder."""
    return subprocess.run(
        [*HANDRAIL, *arguments], cwd=folder, env=environment(**more), capture_output=True, encoding="utf-8", timeout=LONGEST, check=False
    )


class Running:
    """A command that serves: where, and, once it is over, what it printed."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.printed = ""
        self.status: int | None = None


@contextmanager
def running(arguments: Sequence[str], *, folder: Path, stop: int, more: Mapping[str, str]) -> Iterator[Running]:
    """A command on a socket that listens already, ended with that signal."""
    with listening("127.0.0.1", 0) as listener:
        made = Running(listener.getsockname()[1])
        process = subprocess.Popen(
            [*HANDRAIL, *arguments, "--fd", str(listener.fileno())],
            cwd=folder,
            env=environment(**more),
            pass_fds=[listener.fileno()],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
        )
    try:
        yield made
    finally:
        process.send_signal(stop)
        try:
            made.printed, _ = process.communicate(timeout=LONGEST)
        finally:
            process.kill()
            process.wait()
        made.status = process.returncode
