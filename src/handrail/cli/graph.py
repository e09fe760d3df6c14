"""`handrail graph`: the order of an agent's tools, as a Mermaid flowchart."""

from typing import Annotated

import typer

from handrail.check.graph import drawn
from handrail.cli.loading import load_agent
from handrail.cli.telling import told


def command(app: Annotated[str, typer.Argument(help="An app, module:agent, or path/to/file.py:agent.", show_default=False)]) -> None:
    """Print what comes before what, who looks first, and what limits it, as Mermaid."""
    with told():
        typer.echo(drawn(load_agent(app)))
