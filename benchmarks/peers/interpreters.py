"""Which Python an environment is made with: this one, where it is new enough, and otherwise the first on this machine that is.

Nothing is installed for it.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

NEWEST = 14
ASK = "import sys; print(*sys.version_info[:2])"


@cache
def interpreter(wanted: str) -> Path | None:
    """An interpreter of at least the wanted version (`3.12`), or `None`."""
    least = tuple(map(int, wanted.split(".")))
    if sys.version_info[:2] >= least:
        return Path(sys.executable).resolve()
    return next((path for path in _candidates(least[1]) if (_version(path) or (0,)) >= least), None)


def _candidates(least: int) -> Iterator[Path]:
    """The oldest that will do comes first: packages have wheels for it."""
    versions = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    for minor in range(least, NEWEST + 1):
        if found := shutil.which(f"python3.{minor}"):
            yield Path(found)
        yield from sorted(versions.glob(f"3.{minor}.*/bin/python3.{minor}"))


def _version(python: Path) -> tuple[int, ...] | None:
    """The version that an interpreter says it has; a stand-in that leads nowhere says none."""
    done = subprocess.run([python, "-c", ASK], capture_output=True, text=True, check=False)
    return tuple(map(int, done.stdout.split())) if done.returncode == 0 else None
