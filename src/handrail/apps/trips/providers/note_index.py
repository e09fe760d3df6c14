"""Finding travel notes by words: SQLite's full-text index (FTS5, with stemming), in memory.

Rules: the index is built once and kept as bytes; every search opens its own copy, so that searches share no connection and any
thread may search; a searcher's text is taken as words, never as query language.
"""

import re
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing

from handrail.apps.trips.geography import Note, Place, plain

MAX_WORDS = 32
"""Words beyond these are left out: a long text finds nothing more and costs time."""


class NoteIndex:
    """The notes, ranked by BM25; words of the text count more than the names of the places."""

    def __init__(self, notes: Iterable[Note], places: Mapping[str, Place]) -> None:
        """Index each note's text, topic and the names of its places."""
        self._notes = tuple(notes)
        rows = [(number, note.text, f"{note.topic} {_names(note, places)}") for number, note in enumerate(self._notes)]
        with closing(sqlite3.connect(":memory:")) as db:
            db.execute("CREATE VIRTUAL TABLE note USING fts5(text, about, tokenize='porter unicode61')")
            db.executemany("INSERT INTO note (rowid, text, about) VALUES (?, ?, ?)", rows)
            db.commit()
            self._bytes = db.serialize()

    def search(self, text: str) -> list[Note]:
        """Return every note that holds one of the words, best first; no words fit all."""
        words = re.findall(r"\w+", plain(text))[:MAX_WORDS]
        if not words:
            return list(self._notes)
        query = " OR ".join(f'"{word}"' for word in words)
        with closing(sqlite3.connect(":memory:")) as db:
            db.deserialize(self._bytes)
            found = db.execute("SELECT rowid FROM note WHERE note MATCH ? ORDER BY bm25(note, 1.0, 2.0), rowid", (query,))
            return [self._notes[number] for (number,) in found]


def _names(note: Note, places: Mapping[str, Place]) -> str:
    """Return all names of a note's places."""
    found = (places[place_id] for place_id in note.places)
    return " ".join(f"{place.id} {place.name} {place.local_name} {place.region}" for place in found)
