"""`python -m benchmarks.throughput.worker handrail|watched|bare URL`: one worker, which begins at a line and works until it is killed.

Of `watched`, each job's first event is said once it is written: `job seconds`, by this machine's clock.
"""

import asyncio
import sys
import time
from collections.abc import Callable, Coroutine
from functools import partial

from benchmarks.throughput.kit import bare, engine, run_bare, worker
from handrail.core.events import Event, RunStarted
from handrail.core.state import RunState
from handrail.stores.database import make_engine


async def _handrail(url: str, *, watched: bool = False) -> None:
    def saw(event: Event, state: RunState) -> None:
        if watched and isinstance(event, RunStarted):
            print(event.run_id, time.time(), flush=True)

    database = make_engine(url)
    ours = engine(database)
    takes = worker(database, ours, saw)
    await _begun()
    await ours.start(takes.advance, nudge=takes.nudge)
    await asyncio.Event().wait()


async def _bare(url: str) -> None:
    app = bare(url)
    await _begun()
    async with app.open_async():
        await run_bare(app)


async def _begun() -> None:
    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.readline)


if __name__ == "__main__":
    KINDS: dict[str, Callable[[str], Coroutine[None, None, None]]] = {
        "handrail": _handrail,
        "watched": partial(_handrail, watched=True),
        "bare": _bare,
    }
    asyncio.run(KINDS[sys.argv[1]](sys.argv[2]))
