"""What the tools need, opened for as long as the service or the command runs: the embedded data set, which holds nothing open."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from handrail.apps.trips.providers.embedded import embedded
from handrail.apps.trips.providers.port import Providers


@asynccontextmanager
async def offline() -> AsyncIterator[Providers]:
    """The providers over the embedded data set."""
    yield embedded()
