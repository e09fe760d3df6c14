"""Two journals: in memory, and in files of JSON lines.

- The number of the first new event fences stale writers off: whoever has not read what is there cannot write.
- `FileJournal` is on the disk (`fsync`) before `append` returns, for its owner's eyes alone (0600), and one writer at a time holds the file
  (`flock`). An append that was begun is finished even if its caller is cancelled meanwhile.
- A last line without a line break was cut by a crash: nobody was told that it is there, so it is cut off with a warning.
"""

import asyncio
import fcntl
import logging
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import msgspec

from handrail.codec import decode, encode
from handrail.core.events import Event, RunStarted
from handrail.errors import InputError, JournalError, StaleWriter

T = TypeVar("T")
logger = logging.getLogger(__name__)

NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}")
SUFFIX = ".jsonl"


class _Known(msgspec.Struct, frozen=True):
    """What a file had when this process last wrote to it; as long as its size is the same, nobody else has written."""

    run_id: str
    size: int
    events: int


class MemoryJournal:
    """Journals of runs that need not outlive the process."""

    def __init__(self) -> None:
        """Begin without any run."""
        self._runs: dict[str, list[Event]] = {}

    async def append(self, run_id: str, seq: int, events: Sequence[Event]) -> None:
        """See `handrail.ports.Journal`."""
        kept = self._runs.get(run_id, [])
        _fence(run_id, seq, len(kept))
        if events:
            kept.extend(events)
            self._runs[run_id] = kept

    async def read(self, run_id: str) -> tuple[Event, ...]:
        """See `handrail.ports.Journal`."""
        return tuple(self._runs.get(run_id, ()))

    def runs(self) -> tuple[str, ...]:
        """The ids of all runs, in the order in which they began."""
        return tuple(self._runs)


class FileJournal:
    """Journals in files.

    Args:
        path: with the suffix `.jsonl` one file that holds one run; else a folder of `RUN.jsonl`.
    """

    def __init__(self, path: Path | str) -> None:
        """Touch nothing yet."""
        self.path = Path(path)
        self.single = self.path.suffix == SUFFIX
        self._known: dict[Path, _Known] = {}

    async def append(self, run_id: str, seq: int, events: Sequence[Event]) -> None:
        """See `handrail.ports.Journal`."""
        path = self._file(run_id)
        lines = b"".join(encode(event) + b"\n" for event in events)
        await _finished(lambda: self._append(path, run_id, seq, len(events), lines))

    async def read(self, run_id: str) -> tuple[Event, ...]:
        """See `handrail.ports.Journal`."""
        path = self._file(run_id)
        return await _finished(lambda: self._read(path, run_id))

    def runs(self) -> tuple[str, ...]:
        """The ids of all runs here, by name; of a single file the one that it holds."""
        if self.single:
            events = read_file(self.path) if self.path.exists() else ()
            return (_run_of(self.path, events[0]),) if events else ()
        return tuple(sorted(path.stem for path in self.path.glob(f"*{SUFFIX}")))

    def _file(self, run_id: str) -> Path:
        if not NAME.fullmatch(run_id):
            raise InputError(f"a run's id is letters, digits, '_', '-' and '.' (at most 128), not {run_id!r}")
        return self.path if self.single else self.path / f"{run_id}{SUFFIX}"

    def _append(self, path: Path, run_id: str, seq: int, many: int, lines: bytes) -> None:
        with _locked(path) as file:
            there = self._count(path, run_id, file)
            _fence(run_id, seq, there)
            if not lines:
                return
            size = os.lseek(file, 0, os.SEEK_END)
            try:
                _write(file, lines)
                os.fsync(file)
            except OSError:
                os.ftruncate(file, size)
                raise
            self._known[path] = _Known(run_id, size + len(lines), there + many)

    def _count(self, path: Path, run_id: str, file: int) -> int:
        """Events in the file; counted again only where somebody else may have written. A torn last line is cut off."""
        size, known = os.fstat(file).st_size, self._known.get(path)
        if known is not None and (known.run_id, known.size) == (run_id, size):
            return known.events
        whole = _whole(path, _all(file))
        if len(whole) < size:
            os.ftruncate(file, len(whole))
        if whole:
            _check_run(path, run_id, decode(whole[: whole.index(b"\n")]))
        return whole.count(b"\n")

    def _read(self, path: Path, run_id: str) -> tuple[Event, ...]:
        if not path.exists():
            return ()
        events = read_file(path)
        if events:
            _check_run(path, run_id, events[0])
        return events


def read_file(path: Path) -> tuple[Event, ...]:
    """The events of a journal file.

    Raises:
        JournalError: a line cannot be read; the text says which.
    """
    with path.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        text = file.read()
    events: list[Event] = []
    for number, line in enumerate(_whole(path, text).splitlines(), 1):
        try:
            events.append(decode(line))
        except JournalError as error:
            raise JournalError(f"{path}:{number}: {error}") from error
    return tuple(events)


def _fence(run_id: str, seq: int, there: int) -> None:
    if seq != there:
        raise StaleWriter(f"the journal of {run_id!r} has {there} events, not {seq}: somebody else has written to it; read it again")


def _check_run(path: Path, run_id: str, first: Event) -> None:
    there = _run_of(path, first)
    if there != run_id:
        raise JournalError(f"{path} is the journal of the run {there!r}, not of {run_id!r}; give another file, or a folder for many runs")


def _run_of(path: Path, first: Event) -> str:
    if not isinstance(first, RunStarted):
        raise JournalError(f"{path} does not begin with RunStarted: it is no journal, or its beginning is lost")
    return first.run_id


def _whole(path: Path, text: bytes) -> bytes:
    end = text.rfind(b"\n") + 1
    if end < len(text):
        logger.warning("%s: the last line was cut by a crash; its %d bytes are left out", path, len(text) - end)
    return text[:end]


@contextmanager
def _locked(path: Path) -> Iterator[int]:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    new = not path.exists()
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        if new:
            _sync_folder(path.parent)
        yield file
    finally:
        os.close(file)


def _sync_folder(folder: Path) -> None:
    """Without this a crash of the machine can lose the new file's name."""
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def _write(file: int, lines: bytes) -> None:
    while lines:
        lines = lines[os.write(file, lines) :]


def _all(file: int) -> bytes:
    size = os.fstat(file).st_size
    parts: list[bytes] = []
    at = 0
    while at < size and (part := os.pread(file, size - at, at)):
        parts.append(part)
        at += len(part)
    return b"".join(parts)


async def _finished(work: Callable[[], T]) -> T:
    """Run it in a thread, and wait for its end even when cancelled: a write that was begun would surprise the next writer."""
    thread = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        return await asyncio.shield(thread)
    except asyncio.CancelledError:
        await asyncio.wait({thread})
        if not thread.cancelled():
            thread.exception()
        raise
