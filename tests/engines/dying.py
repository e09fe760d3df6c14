"""A worker process that is to be killed: `python -m tests.engines.dying URL` takes a wake-up and never ends it."""

import asyncio
import sys

from handrail.drivers.clock import SystemClock
from handrail.engines.postgres import PostgresEngine
from handrail.stores.database import make_engine


async def main(url: str) -> None:
    async def advance(session_id: str) -> None:
        print(session_id, flush=True)
        await asyncio.Event().wait()

    await PostgresEngine(make_engine(url), clock=SystemClock()).start(advance)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
