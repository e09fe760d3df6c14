"""A desk on an empty database of each kind."""

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from handrail.testing import ManualClock
from tests.drivers.office import Office
from tests.stores.conftest import database, postgres_server, postgres_url, url

__all__ = ["database", "office", "postgres_server", "postgres_url", "url"]


@pytest.fixture
def office(database: AsyncEngine) -> Office:
    """A desk, and workers behind it."""
    return Office(database, ManualClock())
