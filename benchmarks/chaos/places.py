"""Where it happens: a database, and the engine that belongs to it."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import msgspec
from sqlalchemy.ext.asyncio import AsyncEngine

from handrail.drivers.clock import SystemClock
from handrail.engines.contract import Engine
from handrail.engines.embedded import EmbeddedEngine

LOOKS = timedelta(milliseconds=100)
AT_ONCE = 10


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of store.

    Args:
        engine: makes the engine; the folder is for what only processes of one machine share.
        alone: only one worker process at a time.
    """

    engine: Callable[[AsyncEngine, Path], Engine]
    alone: bool


def _embedded(database: AsyncEngine, folder: Path) -> Engine:
    return EmbeddedEngine(database, clock=SystemClock(), lock=folder / "lock", looks=LOOKS, at_once=AT_ONCE)


PLACES: dict[str, Place] = {"sqlite": Place(engine=_embedded, alone=True)}
