"""`python -m benchmarks.throughput.worker handrail|hand|empty|service URL`: one process, until it is killed.

It says `ready`, and begins at a line; `service` begins by itself, and then says where it can be reached.
"""

import asyncio
import sys
from collections.abc import Callable, Coroutine
from functools import partial

from benchmarks.throughput.kit import APP, Instant, agent, bare, engine, run_bare, worker
from handrail.cli.listening import listening
from handrail.service import App
from handrail.service.app import make_app
from handrail.service.http import Http
from handrail.service.running import Running
from handrail.service.settings import Settings
from handrail.stores.database import make_engine

MANY = 1_000_000


async def _handrail(url: str) -> None:
    database = make_engine(url)
    ours = engine(database)
    takes = worker(database, ours)
    await _begun()
    await ours.start(takes.advance, nudge=takes.nudge)
    await asyncio.Event().wait()


async def _bare(url: str, *, kind: str) -> None:
    app = bare(url, make_engine(url))
    await _begun()
    async with app.open_async():
        await run_bare(app, kind)


async def _service(url: str) -> None:
    """As `handrail serve` does on PostgreSQL: takes jobs on, tells of events, and runs none."""
    print("ready", flush=True)
    database = make_engine(url)
    settings = Settings(most_messages_per_minute=MANY, most_requests_per_minute=MANY)
    running = Running(database, apps=[APP], settings=settings)
    service = make_app([App(name=APP, summary="Answers.", agent=agent)], model=Instant(), settings=settings, running=running)
    with listening("127.0.0.1", 0) as socket:
        print(f"http://127.0.0.1:{socket.getsockname()[1]}", flush=True)
        async with service.router.lifespan_context(service):
            await Http(service, stopping=running.streams.close).serve(socket)


async def _begun() -> None:
    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.readline)


if __name__ == "__main__":
    KINDS: dict[str, Callable[[str], Coroutine[None, None, None]]] = {
        "handrail": _handrail,
        "hand": partial(_bare, kind="hand"),
        "empty": partial(_bare, kind="empty"),
        "service": _service,
    }
    asyncio.run(KINDS[sys.argv[1]](sys.argv[2]))
