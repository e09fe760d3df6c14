"""One worker process: it says that it is ready, and works until it is killed."""

import asyncio
from multiprocessing.connection import Connection
from pathlib import Path

from benchmarks.chaos.office import APP, Books, Clerk, agent
from benchmarks.chaos.places import PLACES
from handrail.drivers.clock import SystemClock
from handrail.drivers.worker import Served, Worker
from handrail.stores.database import make_engine


def work(store: str, url: str, folder: Path, pace: float, ready: Connection) -> None:
    """Work."""
    asyncio.run(_working(store, url, folder, pace, ready))


async def _working(store: str, url: str, folder: Path, pace: float, ready: Connection) -> None:
    database = make_engine(url)
    engine = PLACES[store].engine(database, folder)
    served = {APP: Served(agent=agent, model=Clerk(pace), deps=Books(database, pace))}
    worker = Worker(engine=database, served=served, wake=engine.wake, clock=SystemClock())
    await engine.start(worker.advance, nudge=worker.nudge)
    ready.send(True)
    await asyncio.Event().wait()
