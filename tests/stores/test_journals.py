"""Both journals keep the promises of every journal, and files keep some more."""

import asyncio
import logging
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from handrail.codec import encode
from handrail.core.events import RunStarted, Ticked, UserSaid
from handrail.errors import InputError, JournalError, StaleWriter
from handrail.stores.journals import FileJournal, MemoryJournal, read_file
from handrail.testing.journals import AT, JOURNAL_CHECKS, JournalCheck, one_of_each

START = RunStarted(at=AT, run_id="run_1", agent="a", fingerprint="f", message="hi")


def _name(check: JournalCheck) -> str:
    return getattr(check, "__name__", "")


@pytest.mark.parametrize("check", JOURNAL_CHECKS, ids=_name)
async def test_the_journal_in_memory_keeps_the_promises(check: JournalCheck) -> None:
    await check(MemoryJournal)


@pytest.mark.parametrize("check", JOURNAL_CHECKS, ids=_name)
async def test_a_folder_of_files_keeps_the_promises(check: JournalCheck, tmp_path: Path) -> None:
    await check(lambda: FileJournal(tmp_path / "journals"))


@pytest.mark.parametrize("check", [check for check in JOURNAL_CHECKS if _name(check) != "runs_are_apart"], ids=_name)
async def test_one_file_keeps_them_for_one_run(check: JournalCheck, tmp_path: Path) -> None:
    if _name(check) == "a_wrong_number_writes_nothing":
        with pytest.raises(JournalError, match="is the journal of the run"):
            await check(lambda: FileJournal(tmp_path / "one.jsonl"))
    else:
        await check(lambda: FileJournal(tmp_path / "one.jsonl"))


async def test_a_journal_in_memory_knows_its_runs_in_order() -> None:
    journal = MemoryJournal()
    assert journal.runs() == ()
    await journal.append("b", 0, [START])
    await journal.append("a", 0, [START])
    await journal.append("c", 0, [])
    assert journal.runs() == ("b", "a")


async def test_a_file_is_read_by_a_journal_that_did_not_write_it(tmp_path: Path) -> None:
    events = one_of_each("run_1")
    await FileJournal(tmp_path).append("run_1", 0, events)
    again = FileJournal(tmp_path)
    assert await again.read("run_1") == events
    await again.append("run_1", len(events), [Ticked(at=AT)])
    assert read_file(tmp_path / "run_1.jsonl") == (*events, Ticked(at=AT))


async def test_a_file_is_for_its_owners_eyes_alone_and_so_is_its_folder(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        await FileJournal(tmp_path / "new").append("run_1", 0, [START])
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "new" / "run_1.jsonl").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o700


async def test_a_file_has_one_line_an_event(tmp_path: Path) -> None:
    await FileJournal(tmp_path).append("run_1", 0, [START, Ticked(at=AT)])
    assert (tmp_path / "run_1.jsonl").read_bytes() == encode(START) + b"\n" + encode(Ticked(at=AT)) + b"\n"


async def test_what_is_appended_is_on_the_disk_before_append_returns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    real = os.fsync

    def noted(file: int) -> None:
        if stat.S_ISREG(os.fstat(file).st_mode):
            synced.append(os.fstat(file).st_size)
        real(file)

    monkeypatch.setattr(os, "fsync", noted)
    await FileJournal(tmp_path).append("run_1", 0, [START])
    assert synced == [(tmp_path / "run_1.jsonl").stat().st_size]


async def test_a_writer_that_missed_what_another_wrote_is_stale(tmp_path: Path) -> None:
    one, other = FileJournal(tmp_path), FileJournal(tmp_path)
    await one.append("run_1", 0, [START])
    await other.append("run_1", 1, [UserSaid(at=AT, text="other")])
    with pytest.raises(StaleWriter, match="has 2 events, not 1"):
        await one.append("run_1", 1, [UserSaid(at=AT, text="one")])
    await one.append("run_1", 2, [UserSaid(at=AT, text="one")])
    assert [event.text for event in await other.read("run_1") if isinstance(event, UserSaid)] == ["other", "one"]


async def test_a_torn_last_line_is_cut_off_with_a_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    journal, path = FileJournal(tmp_path), tmp_path / "run_1.jsonl"
    await journal.append("run_1", 0, [START])
    whole = path.read_bytes()
    path.write_bytes(whole + encode(Ticked(at=AT))[:-3])
    with caplog.at_level(logging.WARNING):
        assert await journal.read("run_1") == (START,)
        assert path.read_bytes() != whole, "reading changes no file"
        await journal.append("run_1", 1, [UserSaid(at=AT, text="on")])
    assert "cut by a crash" in caplog.text
    assert await FileJournal(tmp_path).read("run_1") == (START, UserSaid(at=AT, text="on"))


async def test_a_last_line_without_its_line_break_was_never_acknowledged(tmp_path: Path) -> None:
    path = tmp_path / "run_1.jsonl"
    path.write_bytes(encode(START) + b"\n" + encode(Ticked(at=AT)))
    assert await FileJournal(tmp_path).read("run_1") == (START,)


@pytest.mark.parametrize("keep", range(0, 400, 23))
async def test_a_file_cut_anywhere_can_be_gone_on_with(keep: int, tmp_path: Path) -> None:
    events = (START, UserSaid(at=AT, text="one"), UserSaid(at=AT, text="two"))
    path = tmp_path / "run_1.jsonl"
    path.write_bytes(b"".join(encode(event) + b"\n" for event in events)[:keep])
    journal = FileJournal(tmp_path)
    left = await journal.read("run_1")
    assert left == events[: len(left)]
    await journal.append("run_1", len(left), events[len(left) :])
    assert await journal.read("run_1") == events


async def test_a_line_in_the_middle_that_cannot_be_read_is_an_error_with_its_number(tmp_path: Path) -> None:
    path = tmp_path / "run_1.jsonl"
    path.write_bytes(encode(START) + b"\nrubbish\n" + encode(Ticked(at=AT)) + b"\n")
    with pytest.raises(JournalError, match=r"run_1\.jsonl:2: this is no line of a journal"):
        await FileJournal(tmp_path).read("run_1")


async def test_a_write_that_fails_leaves_the_file_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = FileJournal(tmp_path)
    await journal.append("run_1", 0, [START])
    before = (tmp_path / "run_1.jsonl").read_bytes()
    real = os.write

    def half(file: int, lines: bytes) -> int:
        if len(lines) > 10:
            return real(file, lines[:10])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", half)
    with pytest.raises(OSError, match="No space left"):
        await journal.append("run_1", 1, [Ticked(at=AT)])
    monkeypatch.undo()
    assert (tmp_path / "run_1.jsonl").read_bytes() == before
    await journal.append("run_1", 1, [Ticked(at=AT)])
    assert len(await journal.read("run_1")) == 2


async def test_an_append_whose_caller_is_cancelled_is_finished_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, go_on = threading.Event(), threading.Event()
    real = os.fsync

    def slow(file: int) -> None:
        begun.set()
        go_on.wait(30)
        real(file)

    journal = FileJournal(tmp_path)
    monkeypatch.setattr(os, "fsync", slow)
    task = asyncio.create_task(journal.append("run_1", 0, [START]))
    await asyncio.to_thread(begun.wait, 30)
    task.cancel()
    await asyncio.sleep(0)
    assert not task.done(), "the write is still going on"
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await journal.read("run_1") == (START,)


async def test_a_file_is_not_taken_for_another_runs(tmp_path: Path) -> None:
    journal = FileJournal(tmp_path / "chat.jsonl")
    await journal.append("run_1", 0, [START])
    assert journal.runs() == ("run_1",)
    for attempt in (journal.read("run_2"), journal.append("run_2", 0, [START]), FileJournal(journal.path).append("run_2", 1, [START])):
        with pytest.raises(JournalError, match="is the journal of the run 'run_1', not of 'run_2'"):
            await attempt
    (tmp_path / "chat.jsonl").rename(tmp_path / "run_3.jsonl")
    with pytest.raises(JournalError, match="is the journal of the run 'run_1', not of 'run_3'"):
        await FileJournal(tmp_path).read("run_3")


async def test_a_file_that_is_no_journal_is_not_written_to(tmp_path: Path) -> None:
    path = tmp_path / "other.jsonl"
    path.write_bytes(encode(Ticked(at=AT)) + b"\n")
    with pytest.raises(JournalError, match="does not begin with RunStarted"):
        await FileJournal(path).append("run_1", 1, [Ticked(at=AT)])
    path.write_text("dear diary\n")
    with pytest.raises(JournalError, match="no line of a journal"):
        await FileJournal(path).append("run_1", 1, [Ticked(at=AT)])
    assert path.read_text() == "dear diary\n"


async def test_a_folder_knows_its_runs(tmp_path: Path) -> None:
    journal = FileJournal(tmp_path / "none")
    assert journal.runs() == ()
    for run_id in ("run_b", "run_a"):
        await journal.append(run_id, 0, [START])
    assert journal.runs() == ("run_a", "run_b")
    assert FileJournal(tmp_path / "none.jsonl").runs() == ()


@pytest.mark.parametrize("run_id", ["", "../run", "a/b", ".hidden", "a\x00", "a\n", "x" * 129])
async def test_a_runs_id_never_leads_out_of_the_folder(run_id: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a run's id is"):
        await FileJournal(tmp_path).read(run_id)


WRITER = """
import asyncio, sys
from handrail.core.events import UserSaid
from handrail.errors import StaleWriter
from handrail.stores.journals import FileJournal
from handrail.testing.journals import AT

async def main():
    journal = FileJournal(sys.argv[1])
    for number in range(20):
        while True:
            there = len(await journal.read("run_1"))
            try:
                await journal.append("run_1", there, [UserSaid(at=AT, text=f"{sys.argv[2]}-{number}")] * 2)
                break
            except StaleWriter:
                pass

asyncio.run(main())
"""


@pytest.mark.slow
def test_processes_that_write_at_once_lose_nothing_and_tear_nothing(tmp_path: Path) -> None:
    asyncio.run(FileJournal(tmp_path).append("run_1", 0, [START]))
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), name]) for name in "abc"]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    texts = [event.text for event in asyncio.run(FileJournal(tmp_path).read("run_1")) if isinstance(event, UserSaid)]
    assert texts[::2] == texts[1::2], "each append is whole"
    for name in "abc":
        assert [text for text in texts[::2] if text.startswith(name)] == [f"{name}-{number}" for number in range(20)]
