"""A conversation over several runs, kept in files if there is one: `talk.jsonl`, then `talk-2.jsonl`, and so on, a run each.

Begun again with the same file, it goes on: with a run that was left unfinished, else after the last one.
"""

from collections.abc import Sequence
from pathlib import Path

from handrail.core.events import Event
from handrail.core.evolve import fold
from handrail.core.state import RunState
from handrail.errors import InputError
from handrail.ports import Journal
from handrail.stores.journals import SUFFIX, FileJournal, MemoryJournal, read_file
from handrail.vocab.messages import Message


class Conversation:
    """What was said so far, and where the next run is written.

    Args:
        path: the first run's file; without one nothing is kept.
    """

    def __init__(self, path: Path | None) -> None:
        """Find out how far it has come.

        Raises:
            InputError: the file's name is no journal's, or it cannot be opened.
            JournalError: one of its files is damaged.
        """
        if path is not None:
            _check(path)
        self._path = path
        self._number = 1
        self.state = RunState()
        while (file := self._file()) is not None and (events := _read(file)):
            self.state = fold(events)
            if self.state.outcome is None:
                break
            self._number += 1

    @property
    def kept(self) -> bool:
        """Whether the runs are written to files."""
        return self._path is not None

    @property
    def unfinished(self) -> str | None:
        """The id of a run that was left before its end."""
        return self.state.run_id if self.state.seq and self.state.outcome is None else None

    @property
    def history(self) -> tuple[Message, ...]:
        """What was said in the runs that are over."""
        return self.state.transcript

    def journal(self) -> Journal:
        """Where the run that is next, or unfinished, is written."""
        file = self._file()
        return MemoryJournal() if file is None else _File(file)

    def ended(self, state: RunState) -> None:
        """Take in how a run has come out."""
        self.state = state
        if state.outcome is not None:
            self._number += 1

    def _file(self) -> Path | None:
        if self._path is None or self._number == 1:
            return self._path
        return self._path.with_stem(f"{self._path.stem}-{self._number}")


class _File(FileJournal):
    """A journal's file that says in one line why it cannot be written."""

    async def append(self, run_id: str, seq: int, events: Sequence[Event]) -> None:
        """See `handrail.ports.Journal`."""
        try:
            await super().append(run_id, seq, events)
        except OSError as error:
            raise InputError(f"the journal {str(self.path)!r} cannot be written ({error.strerror})") from error


def _check(path: Path) -> None:
    if path.is_dir():
        raise InputError(f"{str(path)!r} is a folder; give a file in it, such as {path / f'talk{SUFFIX}'}")
    if path.suffix != SUFFIX:
        raise InputError(f"a journal's file ends in {SUFFIX}, not {path.suffix!r}: give {path.with_suffix(SUFFIX)}")
    if not path.parent.is_dir():
        raise InputError(f"there is no folder {str(path.parent)!r} for the journal; make it first, or give a file elsewhere")


def _read(file: Path) -> tuple[Event, ...]:
    try:
        return read_file(file)
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise InputError(f"the journal {str(file)!r} cannot be read ({error.strerror})") from error
