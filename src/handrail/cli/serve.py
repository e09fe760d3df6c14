"""`handrail serve`: apps over HTTP, with the live timeline of every run in this terminal."""

import asyncio
import socket
from collections.abc import Sequence
from typing import Annotated

import typer
from rich.console import Console

from handrail.cli.apps import apps_of, scenarios_of
from handrail.cli.listening import listening, url
from handrail.cli.models import chosen
from handrail.cli.telling import told
from handrail.cli.timeline import line
from handrail.core.events import Event
from handrail.core.state import RunState
from handrail.service import App


def command(
    *,
    app: Annotated[
        list[str] | None, typer.Option(help="An app, or module:name for one of your own; again for more. All if not given.")
    ] = None,
    host: Annotated[str | None, typer.Option(help="The address to listen on; else HANDRAIL_HOST, else 127.0.0.1.")] = None,
    port: Annotated[int | None, typer.Option(help="The port to listen on, 0 for a free one; else HANDRAIL_PORT, else 8000.")] = None,
    model: Annotated[
        str | None,
        typer.Option(help="The model's name, or rehearsal for the rule-based stand-in: the default where OPENAI_API_KEY is not set."),
    ] = None,
    fd: Annotated[int | None, typer.Option(help="Take over a socket that listens already, by its file descriptor.")] = None,
) -> None:
    """Serve apps over HTTP, with the live timeline of every run."""
    with told():
        from handrail.service.settings import read_settings

        settings = read_settings()
        apps = apps_of(app)
        with listening(host or settings.host, settings.port if port is None else port, fd) as listener:
            asyncio.run(_serve(apps, model or settings.model, listener))


async def _serve(apps: Sequence[App], model: str | None, listener: socket.socket) -> None:
    import uvicorn

    from handrail.service.app import make_app

    console = Console(soft_wrap=True)

    def show(event: Event, state: RunState) -> None:
        shown = line(event, state, run=True)
        if shown is not None:
            console.print(shown)

    async with chosen(model, scenarios_of(apps)) as choice:
        service = make_app(apps, model=choice.model, model_name=choice.name, on_event=show)
        console.print(choice.said)
        console.print(f"handrail serves {', '.join(app.name for app in apps)} at {url(listener)}", highlight=False)
        await uvicorn.Server(uvicorn.Config(service, log_level="warning", ws="none")).serve(sockets=[listener])
