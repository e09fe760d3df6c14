"""Speech keeps nothing, so one kind of database is enough for its tests."""

from pathlib import Path

import pytest

from tests.databases import migrated, sqlite_copy


@pytest.fixture
def url(tmp_path: Path) -> str:
    return sqlite_copy(migrated, tmp_path / "handrail.db")
