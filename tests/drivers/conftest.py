"""An office for the tests of the worker."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.drivers.office import Office


@pytest.fixture
async def office(tmp_path: Path) -> AsyncIterator[Office]:
    """A new one."""
    opened = await Office.opened(tmp_path)
    yield opened
    await opened.database.dispose()
