"""`python -m benchmarks.chaos.worker STORE URL FOLDER PACE`: one worker. It says `ready`, and works until it is killed."""

import asyncio
import sys
from pathlib import Path

from benchmarks.chaos.office import APP, Books, Clerk, agent
from benchmarks.chaos.places import PLACES
from handrail.drivers.clock import SystemClock
from handrail.drivers.worker import Served, Worker
from handrail.stores.database import make_engine


async def main(store: str, url: str, folder: Path, pace: float) -> None:
    """Work."""
    database = make_engine(url)
    engine = PLACES[store].engine(database, folder)
    served = {APP: Served(agent=agent, model=Clerk(pace), deps=Books(database, pace))}
    worker = Worker(engine=database, served=served, wake=engine.wake, clock=SystemClock())
    await engine.start(worker.advance, nudge=worker.nudge)
    print("ready", flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], Path(sys.argv[3]), float(sys.argv[4])))
