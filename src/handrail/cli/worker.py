"""`handrail worker`: advances the sessions of apps, beside any number of others on the same PostgreSQL.

- Ctrl-C or SIGTERM: nothing new is taken, tools that run may finish, and every run is gone on with by another worker.
- HANDRAIL_WORKER_PORT is where whoever watches over it finds its health and its numbers.
- Every worker of a database serves every app that `handrail serve` takes messages for.
"""

import asyncio
import signal
from collections.abc import Sequence
from contextlib import AsyncExitStack
from typing import Annotated

import typer

from handrail.cli.apps import apps_of, not_ready, scenarios_of
from handrail.cli.lasting import lasting
from handrail.cli.listening import listening, url
from handrail.cli.saying import Saying, own_loop
from handrail.cli.telling import told
from handrail.errors import InputError
from handrail.service import App
from handrail.service.choosing import chosen


def command(
    *,
    app: Annotated[
        list[str] | None, typer.Option(help="An app, or module:name for one of your own; again for more. All if not given.")
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            help="The model's name; local:PATH for one in a GGUF file, which runs here; or rehearsal for the rule-based stand-in, "
            "the default where OPENAI_API_KEY is not set."
        ),
    ] = None,
    at_once: Annotated[int, typer.Option(min=1, max=1_000, help="Sessions that are advanced here at the same time.")] = 100,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print no timeline of runs: it holds what people say.")] = False,
) -> None:
    """Advance sessions, beside any number of other workers on the same PostgreSQL."""
    with told():
        lasting(_work(apps_of(app), model, at_once, quiet=quiet))


async def _work(apps: Sequence[App], model: str | None, at_once: int, *, quiet: bool) -> None:
    from handrail.drivers.clock import SystemClock
    from handrail.service.apps import named
    from handrail.service.logs import set_up
    from handrail.service.opening import POSTGRES_ENGINE, is_sqlite, opened
    from handrail.service.running import Running
    from handrail.service.serving import Serving
    from handrail.service.settings import read_settings
    from handrail.service.watched import watched

    settings = read_settings()
    set_up(settings, apps)
    saying = Saying(logs=settings.logs, timeline=settings.timeline, quiet=quiet)
    asked_to_stop = asyncio.Event()
    async with AsyncExitStack() as stack:
        database = await stack.enter_async_context(opened(settings))
        if is_sqlite(database):
            raise InputError("workers share a PostgreSQL (HANDRAIL_DATABASE_URL); on SQLite, `handrail serve` runs its jobs itself")
        choice = await stack.enter_async_context(chosen(model or settings.model, scenarios_of(apps)))
        served = [Serving(app, model=choice.model, model_name=choice.name, on_event=saying.show) for app in apps]
        for serving in served:
            serving.opened(None if serving.app.deps is None else await stack.enter_async_context(serving.app.deps()))
            stack.callback(serving.closed)
        clock = SystemClock()
        engine = named(POSTGRES_ENGINE)(database, clock=clock, most_at_once=at_once)
        running = Running(database, apps=[app.name for app in apps], settings=settings, clock=clock, engine=engine, runs=True)
        for each in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(each, asked_to_stop.set)
        await stack.enter_async_context(running.opened(served, saying.show))
        for line in (choice.said, f"handrail works for {', '.join(running.apps)}", *own_loop(apps)):
            saying.say(line)
        if settings.worker_port is not None:
            listener = stack.enter_context(listening(settings.host, settings.worker_port))
            await stack.enter_async_context(watched(listener, running, served))
            saying.say(f"Health and numbers are at {url(listener)}")
        for line in await not_ready(served):
            saying.warn(line)
        await asked_to_stop.wait()
