"""`handrail serve`: apps over HTTP, with the live timeline of every run where this is a terminal.

- On SQLite it needs nothing else: the file gets its tables, and jobs run in this process. On PostgreSQL workers run them.
- On a loopback address it prints a link that signs a browser in; whoever can read this terminal may.
- Where logs are JSON nothing else is printed, and no link: `handrail login-link` gives one.
- Ctrl-C or SIGTERM lets requests finish, ends streams, and leaves every run resumable.
"""

import asyncio
import getpass
import ipaddress
import signal
import socket
from collections.abc import Sequence
from typing import Annotated

import typer

from handrail.cli.apps import apps_of, not_ready, scenarios_of
from handrail.cli.lasting import lasting
from handrail.cli.listening import listening, url
from handrail.cli.saying import Saying, own_loop
from handrail.cli.telling import told
from handrail.service import App
from handrail.service.choosing import chosen


def command(
    *,
    app: Annotated[
        list[str] | None, typer.Option(help="An app, or module:name for one of your own; again for more. All if not given.")
    ] = None,
    host: Annotated[str | None, typer.Option(help="The address to listen on; else HANDRAIL_HOST, else 127.0.0.1.")] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65_535, help="The port to listen on, 0 for a free one; else HANDRAIL_PORT, else 8000.")
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            help="The model's name; local:PATH for one in a GGUF file, which runs here; or rehearsal for the rule-based stand-in, "
            "the default where OPENAI_API_KEY is not set."
        ),
    ] = None,
    user: Annotated[str | None, typer.Option(help="Whom the printed link signs in; else who you are on this machine.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print no timeline of runs: it holds what people say.")] = False,
    fd: Annotated[int | None, typer.Option(help="Take over a socket that listens already, by its file descriptor.")] = None,
) -> None:
    """Serve apps over HTTP, with the live timeline of every run."""
    with told():
        from handrail.service.logs import set_up
        from handrail.service.settings import read_settings

        settings = read_settings()
        apps = apps_of(app)
        set_up(settings, apps)
        with listening(host or settings.host, settings.port if port is None else port, fd) as listener:
            # Whoever hands a socket over is no person at a terminal.
            guest = (user or getpass.getuser()) if user is not None or (fd is None and _is_loopback(listener)) else None
            lasting(_serve(apps, model or settings.model, listener, guest, quiet=quiet))


async def _serve(apps: Sequence[App], model: str | None, listener: socket.socket, guest: str | None, *, quiet: bool) -> None:
    from handrail.service.app import make_app
    from handrail.service.auth.links import sign_in_link
    from handrail.service.http import Http
    from handrail.service.opening import opened
    from handrail.service.running import Running
    from handrail.service.settings import read_settings

    settings = read_settings()
    saying = Saying(logs=settings.logs, timeline=settings.timeline, quiet=quiet)
    async with opened(settings) as database, chosen(model, scenarios_of(apps)) as choice:
        running = Running(database, apps=[app.name for app in apps], settings=settings)
        service = make_app(apps, model=choice.model, model_name=choice.name, on_event=saying.show, settings=settings, running=running)
        http = Http(service, stopping=running.streams.close)
        for each in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(each, http.stop)
        async with service.router.lifespan_context(service):
            for line in (choice.said, f"handrail serves {', '.join(running.apps)} at {url(listener)}", *own_loop(apps)):
                saying.say(line)
            for line in await not_ready(service.state.served):
                saying.warn(line)
            if not running.runs:
                saying.say("Jobs are run by `handrail worker`, here or on any other machine.")
            if guest is not None and not saying.logs:
                link = await sign_in_link(database, settings.public_url or url(listener), user_id=guest, clock=running.clock)
                saying.say(f"Sign in as {guest}, once and soon: {link}")
            await http.serve(listener)


def _is_loopback(listener: socket.socket) -> bool:
    return ipaddress.ip_address(listener.getsockname()[0]).is_loopback
