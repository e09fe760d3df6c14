"""Engines: URLs as platforms hand them out, SQLite that waits, times that keep their zone."""

import threading
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from sqlalchemy import Column, Integer, MetaData, Table, insert, select, text
from sqlalchemy.exc import OperationalError, StatementError

from handrail.errors import InputError
from handrail.stores.database import UtcDateTime, make_engine, normalised

times = Table("times", MetaData(), Column("id", Integer, primary_key=True), Column("at", UtcDateTime, nullable=True))


def _modes(folder: Path) -> dict[str, str]:
    return {file.name: oct(file.stat().st_mode & 0o777) for file in folder.iterdir()}


@pytest.mark.parametrize(
    ("url", "drivername"),
    [
        ("postgres://u:p@h/d", "postgresql+psycopg"),
        ("postgresql://u:p@h/d", "postgresql+psycopg"),
        ("postgresql+asyncpg://u:p@h/d", "postgresql+psycopg"),
        ("postgresql+psycopg2://u:p@h/d", "postgresql+psycopg"),
        ("postgresql+psycopg://u:p@h/d", "postgresql+psycopg"),
        ("sqlite:///file.db", "sqlite+aiosqlite"),
        ("sqlite+aiosqlite:///file.db", "sqlite+aiosqlite"),
    ],
)
def test_a_url_gets_the_driver_that_we_use_and_keeps_the_rest(url: str, drivername: str) -> None:
    made = normalised(url).render_as_string(hide_password=False)
    assert made == f"{drivername}://{url.partition('://')[2]}"


def test_the_word_of_asyncpg_for_encryption_becomes_that_of_libpq() -> None:
    assert normalised("postgresql+asyncpg://h/d?ssl=require").query == {"sslmode": "require"}


@pytest.mark.parametrize("url", ["mysql://u:hunter2@h/d", "hunter2", "", "://hunter2"])
def test_what_cannot_be_served_is_told_without_the_password(url: str) -> None:
    with pytest.raises(InputError, match=r"sqlite:///file\.db or postgresql://user@host/name") as found:
        normalised(url)
    assert "hunter2" not in str(found.value)


async def test_sqlite_waits_for_other_writers_and_lets_readers_read(tmp_path: Path) -> None:
    engine = make_engine(f"sqlite:///{tmp_path / 'new.db'}")
    async with engine.connect() as connection:
        asked = [(await connection.execute(text(f"PRAGMA {name}"))).scalar() for name in ("journal_mode", "busy_timeout", "foreign_keys")]
    await engine.dispose()
    assert asked == ["wal", 5000, 1]


async def test_a_new_file_and_those_beside_it_are_for_their_owner_alone(tmp_path: Path) -> None:
    engine = make_engine(f"sqlite:///{tmp_path / 'new.db'}")
    async with engine.begin() as connection:
        await connection.execute(text("CREATE TABLE kept (id INTEGER)"))
        modes = _modes(tmp_path)
    await engine.dispose()
    assert modes == dict.fromkeys(("new.db", "new.db-wal", "new.db-shm"), "0o600")


async def test_the_mode_of_a_file_that_is_there_stays(tmp_path: Path) -> None:
    shared = tmp_path / "shared.db"
    shared.touch()
    shared.chmod(0o660)
    engine = make_engine(f"sqlite:///{shared}")
    async with engine.begin() as connection:
        await connection.execute(text("CREATE TABLE kept (id INTEGER)"))
    await engine.dispose()
    assert _modes(tmp_path)["shared.db"] == "0o660"


@pytest.mark.parametrize("name", ["missing/there.db", "."], ids=["in a folder that is not there", "a folder"])
async def test_a_file_that_cannot_be_opened_leaves_no_thread_behind(name: str, tmp_path: Path) -> None:
    before = set(threading.enumerate())
    engine = make_engine(f"sqlite:///{tmp_path / name}")
    with pytest.raises(OperationalError):
        async with engine.connect():
            pass
    assert set(threading.enumerate()) <= before
    await engine.dispose()


@pytest.mark.parametrize("zone", [UTC, timezone(timedelta(hours=5, minutes=30)), timezone(timedelta(hours=-8))])
async def test_a_time_comes_back_as_the_same_moment_in_utc(tmp_path: Path, zone: timezone) -> None:
    at = datetime(2026, 3, 1, 1, 30, 15, 123456, tzinfo=zone)
    engine = make_engine(f"sqlite:///{tmp_path / 'times.db'}")
    async with engine.begin() as connection:
        await connection.run_sync(times.metadata.create_all)
        await connection.execute(insert(times), [{"at": at}, {"at": None}])
        stored = (await connection.execute(select(times.c.at).order_by(times.c.id))).scalars().all()
    await engine.dispose()
    assert stored == [at, None]
    assert stored[0] is not None and stored[0].tzinfo is UTC


async def test_a_time_without_a_zone_is_refused(tmp_path: Path) -> None:
    engine = make_engine(f"sqlite:///{tmp_path / 'times.db'}")
    async with engine.begin() as connection:
        await connection.run_sync(times.metadata.create_all)
        with pytest.raises((InputError, StatementError), match="needs a time zone"):
            await connection.execute(insert(times), {"at": datetime(2026, 3, 1, tzinfo=UTC).replace(tzinfo=None)})
    await engine.dispose()
