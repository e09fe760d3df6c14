"""`handrail mcp`: an agent's tools over standard input and output, for a program that brings its own model.

- The program is the agent's model: what it calls is judged by the ring. Approvals are asked where the program can ask its user.
- Standard output is the protocol's; whatever else is said goes to standard error, logs as the settings want them.
- It ends when the program closes its side.
"""

import asyncio
import logging
import sys
from contextlib import AbstractAsyncContextManager, AsyncExitStack, nullcontext, redirect_stdout
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer

from handrail.cli.loading import Loaded, load
from handrail.cli.telling import told
from handrail.service.choosing import chosen
from handrail.vocab.calls import By


def command(
    app: Annotated[str, typer.Argument(help="An app, module:agent, or path/to/file.py:agent.", show_default=False)],
    *,
    model: Annotated[
        str | None,
        typer.Option(envvar="HANDRAIL_MODEL", help="The model of the ring's reviewers, where it has any; as `handrail chat` takes it."),
    ] = None,
    journal: Annotated[Path | None, typer.Option(help="Keep the runs in this folder, one file each.")] = None,
) -> None:
    """Serve an agent's tools over MCP on standard input and output."""
    with told():
        wire = sys.stdout
        with redirect_stdout(sys.stderr):
            loaded = load(app)
            _log(loaded)
            asyncio.run(_serve(loaded, wire, model=model, journal=journal))


async def _serve(loaded: Loaded, wire: TextIO, *, model: str | None, journal: Path | None) -> None:
    from mcp.server.lowlevel import NotificationOptions
    from mcp.server.stdio import stdio_server

    from handrail.adapters.mcp import Calls, InMemory, make_server
    from handrail.drivers.at_work import working_on
    from handrail.drivers.clock import SystemClock
    from handrail.service.surfaces.mcp.reviewing import Reviewing
    from handrail.stores.journals import FileJournal

    agent, clock = loaded.agent, SystemClock()
    async with AsyncExitStack() as stack:
        deps = await stack.enter_async_context(_deps(loaded))
        review = None
        if any(by is By.REVIEWER for guard in agent.guards for _, by in guard.holds):
            choice = await stack.enter_async_context(chosen(model, loaded.app.scenarios() if loaded.app is not None else ()))
            typer.echo(choice.said, err=True)
            review = Reviewing(agent, choice.model, deps=deps, clock=clock)
        if loaded.app is not None and loaded.app.ready is not None and (missing := await loaded.app.ready(deps)):
            typer.echo(missing, err=True)
        calls = Calls(agent, clock=clock, deps=deps, review=review, working_on=working_on)
        stack.push_async_callback(calls.close)
        kept = InMemory(clock, None if journal is None else FileJournal(journal))
        about = loaded.app.summary if loaded.app is not None else f"The tools of {agent.name}."
        server = make_server(calls, lambda context: kept, about=about, listens=True)
        with redirect_stdout(wire):
            incoming, outgoing = await stack.enter_async_context(stdio_server())
        await server.run(incoming, outgoing, server.create_initialization_options(NotificationOptions(tools_changed=True)))


def _log(loaded: Loaded) -> None:
    """Write logs as a service does; where the extra `service` is not installed, warnings as they are."""
    if find_spec("structlog") is None or find_spec("pydantic_settings") is None:
        logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
        return
    from handrail.service.logs import set_up
    from handrail.service.settings import read_settings

    set_up(read_settings(), () if loaded.app is None else (loaded.app,))


def _deps(loaded: Loaded) -> AbstractAsyncContextManager[Any]:
    return nullcontext() if loaded.app is None or loaded.app.deps is None else loaded.app.deps()
