"""A back-up made while the service runs, and restored elsewhere: what waited waits, what ran is gone on with, no yes is made up."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from handrail.stores.database import make_engine
from tests.databases import migrated, sqlite_copy
from tests.service.branch import approval_of, invoke, opened


def _online(source: sqlite3.Connection, target: Path) -> None:
    with closing(sqlite3.connect(target)) as copy:
        source.backup(copy)


def _vacuum(source: sqlite3.Connection, target: Path) -> None:
    source.execute("VACUUM INTO ?", (str(target),))


@pytest.mark.parametrize("back_up", [_online, _vacuum], ids=["the online back-up", "VACUUM INTO"])
async def test_a_file_that_was_backed_up_while_it_was_served_is_gone_on_with(
    back_up: Callable[[sqlite3.Connection, Path], None], tmp_path: Path
) -> None:
    served, copy = tmp_path / "served.db", tmp_path / "copy.db"
    database = make_engine(sqlite_copy(migrated, served))
    async with opened(database) as branch, branch.client("alice") as client:
        said = await invoke(client, "hello", session="said")
        await branch.ended(said)
        paying = await invoke(client, "pay 5 to bob", session="pays")
        await branch.waits(paying)
        thinking = await invoke(client, "wait", session="thinks")
        await branch.model.asked.wait()
        with closing(sqlite3.connect(served)) as source:
            back_up(source, copy)
        approval = await approval_of(client, paying)
        await client.post(f"/agent/approvals/{approval['approval_id']}/decision", json={"approve": True})
        await branch.ended(paying)
        branch.model.go_on.set()
        await branch.ended(thinking)
        key = client.headers["Authorization"]
    await database.dispose()
    assert branch.paid == ["bob 5"]

    restored = make_engine(f"sqlite:///{copy}")
    async with opened(restored) as later, later.stranger(Authorization=key) as client:
        later.model.go_on.set()
        await later.ended(thinking)
        assert [(await client.get(f"/agent/status/{job}")).json()["status"] for job in (said, paying, thinking)] == [
            "COMPLETE", "INPUT_REQUIRED", "COMPLETE",
        ]  # fmt: skip
        assert later.paid == []  # the yes came after the back-up: here nobody has said it
        again = await approval_of(client, paying)
        assert again == approval
        await client.post(f"/agent/approvals/{again['approval_id']}/decision", json={"approve": False})
        await later.ended(paying)
        assert (await client.get("/agent/sessions/said")).json()["messages"]
    await restored.dispose()
    assert later.paid == []


def test_a_plain_copy_of_a_file_that_is_served_misses_what_is_not_in_it_yet(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "served.db")) as source:
        source.execute("PRAGMA journal_mode = WAL")
        source.execute("CREATE TABLE t (x)")
        source.commit()
        (tmp_path / "plain.db").write_bytes((tmp_path / "served.db").read_bytes())
        _online(source, tmp_path / "copy.db")
    tables = []
    for name in ("plain.db", "copy.db"):
        with closing(sqlite3.connect(tmp_path / name)) as copy:
            tables.append([row[0] for row in copy.execute("SELECT name FROM sqlite_master")])
    assert tables == [[], ["t"]]
