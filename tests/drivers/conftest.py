"""An office for the tests of the worker."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from handrail.stores.database import make_engine
from handrail.testing import ManualClock
from tests.databases import migrated, sqlite_copy
from tests.drivers.office import Office


@pytest.fixture
def office_url(tmp_path: Path) -> str:
    """Its database."""
    return sqlite_copy(migrated, tmp_path / "handrail.db")


@pytest.fixture
async def office(office_url: str) -> AsyncIterator[Office]:
    """A new one."""
    opened = Office(make_engine(office_url), ManualClock())
    yield opened
    await opened.database.dispose()
