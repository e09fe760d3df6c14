"""The `handrail` command: one command a file, each imported light; what needs an extra is imported when it runs."""

import typer

from handrail.cli import (
    chat,
    check,
    demo,
    doctor,
    graph,
    images,
    jobs,
    keys,
    login_link,
    mcp,
    migrate,
    rehearse,
    replay,
    seed,
    serve,
    sessions,
    worker,
)

app = typer.Typer(
    name="handrail", help="Run, check and replay agents that end decently.", no_args_is_help=True, pretty_exceptions_enable=False
)
for module in (chat, check, demo, doctor, graph, images, login_link, mcp, migrate, rehearse, replay, seed, serve, worker):
    app.command(module.__name__.rpartition(".")[2].replace("_", "-"))(module.command)
for several in (jobs, keys, sessions):
    app.add_typer(several.group, name=several.__name__.rpartition(".")[2])


def main() -> None:
    """The console script."""
    app()
