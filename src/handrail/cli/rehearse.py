"""`handrail rehearse`: the rule-based stand-in for a model, as a process of its own that speaks chat completions.

It follows the scenarios of the apps and understands no language; it says so when it starts.
"""

from typing import Annotated

import typer

from handrail.cli.apps import apps_of, scenarios_of
from handrail.cli.listening import listening, url
from handrail.cli.telling import told
from handrail.models.rehearsal.temperaments import TEMPERAMENTS
from handrail.models.rehearsal.temperaments import temperament as find_temperament
from handrail.service.choosing import WHAT_IT_IS


def command(
    *,
    app: Annotated[
        list[str] | None, typer.Option(help="An app whose scenarios are played; again for more. All of them if not given.")
    ] = None,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65_535, help="The port to listen on; 0 takes a free one.")] = 8091,
    temperament: Annotated[str, typer.Option(help=f"How it behaves: {', '.join(TEMPERAMENTS)}.")] = "steady",
    seed: Annotated[int, typer.Option(help="What chance depends on; the same seed does the same again.")] = 0,
    fd: Annotated[int | None, typer.Option(help="Take over a socket that listens already, by its file descriptor.")] = None,
) -> None:
    """Serve the rule-based stand-in for a model, at /v1/chat/completions."""
    with told():
        behaves = find_temperament(temperament)
        scenarios = scenarios_of(apps_of(app))
        import uvicorn

        from handrail.models.rehearsal.server import make_server

        listener = listening(host, port, fd)
        print(f"handrail rehearse: {WHAT_IT_IS}.", flush=True)
        if temperament != "steady":
            print(f"It is {temperament}, seed {seed}: the same requests are answered the same way again.", flush=True)
        print(f"Use it with OPENAI_BASE_URL={url(listener)}/v1 OPENAI_API_KEY=rehearsal", flush=True)
        server = make_server(scenarios, temperament=behaves, seed=seed)
        uvicorn.Server(uvicorn.Config(server, log_level="warning", lifespan="off", ws="none")).run(sockets=[listener])
