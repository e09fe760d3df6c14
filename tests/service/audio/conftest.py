"""Speech keeps nothing, so one kind of database is enough for its tests."""

import shutil
from pathlib import Path

import pytest


@pytest.fixture
def url(tmp_path: Path, migrated: Path) -> str:
    path = tmp_path / "handrail.db"
    shutil.copy(migrated, path)
    return f"sqlite:///{path}"
