"""The notebook of tasks that were run: a line each, so that a run that was broken off goes on where it was.

- A line says what ran: the model's file, the system, and a digest of the agent. What another agent did is not taken for this one's.
- A line is written when its task is over, whole; a last line that was cut off is not read.
"""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from benchmarks.weak_model.running import Done


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """A task, and what ran it."""

    model: str
    system: str
    app: str
    half: str
    agent: str
    done: Done


class Notebook:
    """The file."""

    def __init__(self, path: Path) -> None:
        """Nothing is read or written yet."""
        self._path = path

    def add(self, entry: Entry) -> None:
        """Write a line."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("ab") as file:
            file.write(msgspec.json.encode(entry) + b"\n")

    def entries(self) -> Iterator[Entry]:
        """All lines, in the order in which they were written."""
        if not self._path.exists():
            return
        for line in self._path.read_bytes().splitlines(keepends=True):
            if line.endswith(b"\n"):
                yield msgspec.json.decode(line, type=Entry)

    def found(self, **about: str) -> dict[str, Done]:
        """The tasks of such entries, by their ids; the latest of each."""
        return {entry.done.task: entry.done for entry in self.entries() if all(getattr(entry, name) == is_ for name, is_ in about.items())}
